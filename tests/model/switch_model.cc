// switch_model: a Desk whose sole producer takes without a fence while a second one attaches,
// in every interleaving of a machine with store buffers. No descriptor may be taken twice.
//
// DESK_HEADER may name a header with a planted mistake.
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

#ifndef DESK_HEADER
#define DESK_HEADER "shm/desk.h"
#endif
#include DESK_HEADER

#include "store_buffers.h"

namespace comch::model {
namespace {

// As shm/fast_machine.h wants it. What was posted does not change, and is no word. The
// stashes change at once, for their interleavings are desk_model's.
struct Machine {
  static inline bool at_once = false;  // The words made now.

  template <class T>
  class Atomic {
   public:
    Atomic() : Atomic(T{}) {}
    explicit Atomic(T value) : at_once_(at_once), word_(buffers().make_word(value)) {}

    T load(std::memory_order) const {
      return static_cast<T>(at_once_ ? buffers().load_at_once(word_) : buffers().load(word_));
    }
    void store(T value, std::memory_order order) {
      at_once_ ? buffers().store_at_once(word_, value) : buffers().store(word_, value, order);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order order,
                                 std::memory_order) {
      std::uint64_t was = at_once_ ? buffers().load_at_once(word_) : expected;
      bool swapped = was == expected;
      if (!at_once_) {
        swapped = buffers().swap(word_, was, desired);
      } else if (swapped) {
        store(desired, order);
      }
      expected = static_cast<T>(was);
      return swapped;
    }
    // A hint in the desk: not worth an interleaving.
    T fetch_add(T by, std::memory_order) { return (hint_ += by) - by; }
    T fetch_sub(T by, std::memory_order) { return (hint_ -= by) + by; }

   private:
    static StoreBuffers& buffers() { return *StoreBuffers::now; }

    bool at_once_;
    std::size_t word_;
    T hint_{};
  };

  using Data = std::uint64_t*;
  static std::uint64_t load_header(Data data, std::size_t offset, std::memory_order) {
    return data[offset / 8];
  }
  static void store_header(Data data, std::size_t offset, std::uint64_t value, std::memory_order) {
    data[offset / 8] = value;
  }
  static std::uint64_t load_word(Data data, std::size_t offset) { return data[offset / 8]; }
  static void store_word(Data data, std::size_t offset, std::uint64_t value) {
    data[offset / 8] = value;
  }
  static void full_fence() { StoreBuffers::now->full_fence(); }
  static void prefetch(Data, std::size_t) {}
  static void light_fence() { StoreBuffers::now->light_fence(); }
};

constexpr std::uint32_t kRoom = 2;
constexpr std::uint32_t kSlots = 8;
constexpr std::uint16_t kPosted = 4;
using Desk = shm::Desk<Machine, kRoom>;

enum class Way { kTakes, kTakesWhatIsNext, kFences };

// The sole producer takes `takes` times; the second attaches, if it may by its second try, and
// takes once. kTakesWhatIsNext: the sole one knows ahead what it takes. kFences: there is no
// membarrier, and it fences for itself.
bool one_run(StoreBuffers::Path& path, unsigned takes, Way way) {
  const bool fences = way == Way::kFences;
  StoreBuffers machine(path);
  std::array<std::uint64_t, std::size_t{2} * kSlots> ring{};
  Machine::at_once = true;
  std::array<Desk::Seat, 2> stashes;
  std::uint64_t run = 0;
  Machine::at_once = false;
  Desk desk(Desk::Reader(&run, ring.data(), kSlots, 64), kPosted, stashes, fences);
  shm::PostedWriter<Machine> writer(&run, ring.data(), kSlots);
  for (std::uint16_t n = 0; n < kPosted; ++n) writer.post(n, n, 1);
  writer.publish();
  shm::SeatId first = 0;
  static_cast<void>(desk.try_attach(first, [] {}));
  std::array<unsigned, kPosted> used{};
  const auto take = [&](shm::SeatId seat) {
    shm::Posted posted;
    if (desk.take(seat, std::span(&posted, 1)) == 0) return false;
    ++used[posted.index];
    return true;
  };
  if (way == Way::kTakesWhatIsNext) desk.look();
  shm::DeskNext next = desk.next();
  const auto take_next = [&] {
    if (next.room == 0) return take(first);
    if (!desk.use_next([&] { ++used[next.index]; })) {
      next = {};
      return take(first);
    }
    next = desk.next();
    return true;
  };
  const RunEnd end = machine.run(
      [&] {
        for (unsigned n = 0; n < takes; ++n)
          way == Way::kTakesWhatIsNext ? take_next() : take(first);
      },
      [&] {
        shm::SeatId second = 0;
        for (unsigned tries = 0; tries < 2; ++tries) {
          const auto barrier = [&] { fences ? machine.full_fence() : machine.membarrier(); };
          if (desk.try_attach(second, barrier) != shm::Attach::kAttached) continue;
          take(second);
          break;
        }
      });
  if (end == RunEnd::kKnown) return true;
  while (take(first)) continue;
  for (const unsigned uses : used) {
    if (uses != 1) return false;
  }
  return true;
}

bool no_run_takes_twice(const char* name, unsigned takes, Way way) {
  StoreBuffers::Path path;
  std::uint64_t runs = 0;
  bool held = true;
  do {
    ++runs;
    held = one_run(path, takes, way);
  } while (held && path.next());
  std::printf("%s: %s after %llu runs\n", name, held ? "each taken once" : "TAKEN TWICE OR LOST",
              static_cast<unsigned long long>(runs));
  return held;
}

}  // namespace
}  // namespace comch::model

int main() {
  using namespace comch::model;
  const bool held = no_run_takes_twice("one take, membarrier", 1, Way::kTakes) &&
                    no_run_takes_twice("one take, fences", 1, Way::kFences) &&
                    no_run_takes_twice("two takes, membarrier", 2, Way::kTakes) &&
                    no_run_takes_twice("two takes of what is next", 2, Way::kTakesWhatIsNext);
#ifdef EXPECT_KILLED
  std::puts(held ? "the planted mistake SURVIVED" : "the planted mistake was found");
  return held ? 1 : 0;
#else
  return held ? 0 : 1;
#endif
}
