// Bare slot ring: one writer, one reader.
#include "bench/bare_slot_ring.h"

#include "bench/bare_slot.h"
#include "bench/processes.h"

namespace comch::bench {
namespace {

constexpr std::uint64_t kSlots = 1024;  // 128 KiB: stays in the second-level cache.

struct Ring {
  alignas(128) std::atomic<std::uint64_t> head{0};
  std::array<BareSlot, kSlots> slots;
};

void consume(Ring& ring) {
  Message message{};
  for (std::uint64_t n = 1; message[0] != kLast; ++n) {
    ring.slots[n % kSlots].await(n, message);
    // SPACE: the copy is finished before the writer sees that the slot is free.
    if (n % (kSlots / 8) == 0 || message[0] == kLast) ring.head.store(n, std::memory_order_release);
  }
}

double produce(Ring& ring, Duration duration) {
  std::uint64_t n = 0;
  std::uint64_t head = 0;
  Message message{};
  const auto send = [&] {
    ++n;
    // SPACE: meets the reader's release.
    while (n - head > kSlots) head = ring.head.load(std::memory_order_acquire);
    ring.slots[n % kSlots].put(n, message);
  };
  const double rate = median_rate(duration, send);
  message[0] = kLast;
  send();
  return rate;
}

}  // namespace

double bare_rate(const Pair& pair, Duration duration) {
  const SharedMemory<Ring> ring;
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        consume(*ring);
      },
      [&] { return produce(*ring, duration); });
}

}  // namespace comch::bench
