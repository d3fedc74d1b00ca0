// DeviceHandle: see device_handle.h.
//
//   number   generation : index           not 0
//   slot     generation : users, object
//
// A number is good while its generation is the slot's. Whoever enters counts as a user of the same
// word, so that the generation changes before or after, and never meanwhile.
#include "doca/device_handle.h"

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace comch::doca {

namespace {

constexpr unsigned int kShift = 32;
constexpr std::size_t kSlots =
    65536;  // The first stays empty. 1 MiB, of which what is used counts.

struct Slot {
  // Edge ENTER: made where a number is given, and met by who enters; what the object was made of
  // is seen. Edge LEAVE: made by who leaves, and met where a number is taken back.
  std::atomic<std::uint64_t> word{std::uint64_t{1} << kShift};
  std::atomic<void*> object{nullptr};
};

constinit std::array<Slot, kSlots> slots;

// Which slots are given; for the program's threads.
struct Given {
  std::mutex mutex;
  std::vector<std::uint32_t> free;
  std::uint32_t next = 1;  // That was never given.
};
Given& given() {
  static Given all;
  return all;
}

constexpr std::uint64_t generation_of(std::uint64_t word) { return word >> kShift; }
constexpr std::uint64_t low_of(std::uint64_t word) {
  return word & ((std::uint64_t{1} << kShift) - 1);
}
Slot& slot_of(std::uint64_t number) { return slots[low_of(number) % kSlots]; }

}  // namespace

Result<std::uint64_t> DeviceHandle::give(void* object) {
  if (number_ != 0) return number_;
  const std::lock_guard lock(given().mutex);
  std::uint32_t index = 0;
  if (!given().free.empty()) {
    index = given().free.back();
    given().free.pop_back();
  } else if (given().next < kSlots) {
    index = given().next++;
  } else {
    return fail(Errc::no_memory, "device functions have as many objects as they may have");
  }
  Slot& slot = slots[index];
  slot.object.store(object, std::memory_order_relaxed);
  // ENTER: nobody has this generation's number yet; the store is for who will get it.
  const std::uint64_t word = slot.word.load(std::memory_order_relaxed);
  slot.word.store(word, std::memory_order_release);
  number_ = generation_of(word) << kShift | index;
  return number_;
}

DeviceHandle::~DeviceHandle() {
  // In a child nobody leaves whose thread is the parent's.
  if (number_ == 0 || home_.is_forked()) return;
  Slot& slot = slot_of(number_);
  slot.word.fetch_add(std::uint64_t{1} << kShift, std::memory_order_relaxed);
  // LEAVE: what users did happens before the object goes. Calls are short, and nobody may enter.
  while (low_of(slot.word.load(std::memory_order_acquire)) != 0) std::this_thread::yield();
  const std::lock_guard lock(given().mutex);
  given().free.push_back(static_cast<std::uint32_t>(low_of(number_)));
}

void* enter_object(std::uint64_t number) {
  Slot& slot = slot_of(number);
  std::uint64_t word = slot.word.load(std::memory_order_relaxed);
  do {
    if (number == 0 || generation_of(word) != generation_of(number)) return nullptr;
    // ENTER: meets the giving of the number.
  } while (!slot.word.compare_exchange_weak(word, word + 1, std::memory_order_acquire,
                                            std::memory_order_relaxed));
  return slot.object.load(std::memory_order_relaxed);
}

void leave_object(std::uint64_t number) {
  slot_of(number).word.fetch_sub(1, std::memory_order_release);  // LEAVE.
}

}  // namespace comch::doca
