// ring_race: two threads pass messages through a RecordRing, for TSan to watch. With a
// planted mistake (RING_HEADER, see plant.py) it must report a race: that shows that its
// silence about the real ring means something.
#include <array>
#include <cstdint>
#include <cstring>
#include <thread>

#ifndef RING_HEADER
#define RING_HEADER "shm/record_ring.h"
#endif
#include RING_HEADER
#include "race.h"

namespace {

using namespace comch::shm;
using comch::model::too_late;

constexpr std::uint32_t kCapacity = 256;
constexpr std::uint32_t kMaxMessage = 64;
constexpr std::uint32_t kQueue = 16;
// Where others have the processors, each time the ring is full costs a turn of theirs.
constexpr std::uint64_t kMessages = 50'000;

RingShared<> shared;
alignas(8) std::array<std::byte, kCapacity> data;

std::uint32_t size_of(std::uint64_t n) { return static_cast<std::uint32_t>(8 + n % 7 * 8); }

void send() {
  RecordSender<> sender(shared, data.data(), kCapacity, kMaxMessage, kQueue);
  std::array<std::byte, kMaxMessage> message{};
  for (std::uint64_t n = 0; n < kMessages && !too_late();) {
    std::memcpy(message.data(), &n, sizeof n);
    if (sender.push(std::span(message).first(size_of(n)))) {
      ++n;
    } else {
      std::this_thread::yield();
    }
  }
}

bool receive() {
  RecordReceiver<> receiver(shared, data.data(), kCapacity, kMaxMessage, kQueue);
  std::array<std::byte, kMaxMessage> scratch{};
  for (std::uint64_t n = 0; n < kMessages;) {
    std::uint32_t size = 0;
    const Look look = receiver.look(scratch.data(), size);
    if (look == Look::kBroken || too_late()) return false;
    if (look == Look::kNothing) {
      static_cast<void>(receiver.flush());
      std::this_thread::yield();
      continue;
    }
    std::uint64_t got = 0;
    std::memcpy(&got, scratch.data(), sizeof got);
    if (got != n || size != size_of(n)) return false;
    receiver.pop();
    ++n;
  }
  return true;
}

}  // namespace

int main() { return comch::model::race(send, receive); }
