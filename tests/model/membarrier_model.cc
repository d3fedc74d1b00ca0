// membarrier_model: a bell whose ringer leaves out its fence, in every interleaving of a
// machine with store buffers.
//
// Relacy knows the language's memory model, in which membarrier does not exist; store_buffers.h
// has a machine that has it. (Where stores may also overtake each other the proof in bell.h holds
// too: each side stores one word ahead of its fence.)
//
// RING_HEADER may name a header with a planted mistake.
#include <cstdint>
#include <cstdio>

#ifndef RING_HEADER
#define RING_HEADER "shm/bell.h"
#endif
#include RING_HEADER

#include "store_buffers.h"

namespace comch::model {
namespace {

// As core/shm/machine.h wants it.
struct Machine {
  template <class T>
  class Atomic {
   public:
    T load(std::memory_order) const { return StoreBuffers::now->load(word_); }
    void store(T value, std::memory_order order) { StoreBuffers::now->store(word_, value, order); }

   private:
    std::size_t word_ = StoreBuffers::now->make_word(0);
  };

  static void full_fence() { StoreBuffers::now->full_fence(); }
  static void light_fence() { StoreBuffers::now->light_fence(); }
};

// `kLast` publications; the sleeper relaxes its bell after each look that found something,
// where `relaxes` says so, and sleeps whenever it finds nothing.
template <std::uint64_t kLast>
bool one_run(StoreBuffers::Path& path, bool relaxes) {
  StoreBuffers machine(path, HeldBack::kAllOfTheFirst);
  shm::Bell<Machine> bell;
  Machine::Atomic<std::uint64_t> published;
  const auto ringer = [&] {
    shm::BellRinger<Machine> ringing(bell);
    for (std::uint64_t n = 1; n <= kLast; ++n) {
      published.store(n, std::memory_order_release);
      if (ringing.should_ring()) machine.ring();
    }
  };
  const auto sleeper = [&] {
    shm::BellSleeper<Machine> sleeping(bell);
    if (relaxes) sleeping.relax();
    for (std::uint64_t seen = 0; seen < kLast;) {
      machine.forget_old_rings();
      if (sleeping.arm()) machine.membarrier();
      const std::uint64_t found = published.load(std::memory_order_acquire);
      if (found == seen) machine.sleep();
      sleeping.disarm();
      if (found != seen && relaxes) sleeping.relax();
      seen = found;
    }
  };
  return machine.run(ringer, sleeper) != RunEnd::kStuck;
}

template <std::uint64_t kLast>
bool no_run_loses_a_wake_up(const char* name, bool relaxes) {
  StoreBuffers::Path path;
  std::uint64_t runs = 0;
  bool held = true;
  do {
    ++runs;
    held = one_run<kLast>(path, relaxes);
  } while (held && path.next());
  std::printf("%s: %s after %llu runs\n", name, held ? "no lost wake-up" : "LOST WAKE-UP",
              static_cast<unsigned long long>(runs));
  return held;
}

}  // namespace
}  // namespace comch::model

int main() {
  using namespace comch::model;
  const bool held = no_run_loses_a_wake_up<1>("guarded, one publication", false) &&
                    no_run_loses_a_wake_up<1>("relaxed, one publication", true) &&
                    no_run_loses_a_wake_up<2>("relaxed, two publications", true);
#ifdef EXPECT_KILLED
  std::puts(held ? "the planted mistake SURVIVED" : "the planted mistake was found");
  return held ? 1 : 0;
#else
  return held ? 0 : 1;
#endif
}
