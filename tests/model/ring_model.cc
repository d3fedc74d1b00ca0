// ring_model: one sender and one receiver of a RecordRing of 64 bytes, in every interleaving
// and with every value that the memory model allows a load to see.
#include "exploration.h"
#include "relacy_machine.h"

namespace comch::model {
namespace {

constexpr std::uint32_t kCapacity = 64;

using Shared = shm::RingShared<RelacyMachine>;
using Sender = shm::RecordSender<RelacyMachine>;
using Receiver = shm::RecordReceiver<RelacyMachine>;

// The messages of `Shape::kWords` words are numbered from one, and each word is the number.
// Sending and receiving stop after so many tries, so that the search ends; what was sent and
// not received is received afterwards.
template <class Shape>
struct RingModel : rl::test_suite<RingModel<Shape>, 2> {
  Shared shared;
  std::array<RelacyWord, kCapacity / 8> data;
  Sender sender{shared, data.data(), kCapacity, Shape::kWords * 8, Shape::kQueue};
  Receiver receiver{shared, data.data(), kCapacity, Shape::kWords * 8, Shape::kQueue};
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  void thread(unsigned index) {
    for (unsigned tries = 0; tries < Shape::kTries; ++tries) {
      if (index == 0 && sent < Shape::kMessages) send();
      if (index == 1 && received < Shape::kMessages) receive();
    }
  }

  void after() {
    while (receive()) continue;
    RL_ASSERT(received == sent);
    RL_ASSERT(sent >= Shape::kFit);
  }

  void send() {
    std::array<std::uint64_t, Shape::kWords> message;
    message.fill(sent + 1);
    const Status pushed = sender.push(std::as_bytes(std::span(message)).first(length(sent + 1)));
    RL_ASSERT(pushed || pushed.error().code == Errc::again);
    if (pushed) ++sent;
  }

  // No two messages of a kind, so that an old header is not taken for a new one.
  static std::uint32_t length(std::uint64_t n) {
    return Shape::kWords == 0 ? 0 : Shape::kWords * 8 - static_cast<std::uint32_t>(n);
  }

  bool receive() {
    std::array<std::uint64_t, Shape::kWords> message{};
    std::uint32_t size = 0;
    const shm::Look look = receiver.look(reinterpret_cast<std::byte*>(message.data()), size);
    RL_ASSERT(look != shm::Look::kBroken);
    if (look != shm::Look::kMessage) return false;
    ++received;
    RL_ASSERT(size == length(received));
    for (const std::uint64_t word : message) RL_ASSERT(word == received);
    receiver.pop();
    return true;
  }
};

// Two fit; the third goes past a padding to the beginning, where the first one was.
struct TwoSlots {
  static constexpr std::uint32_t kWords = 2, kQueue = 3;
  static constexpr std::uint64_t kMessages = 3, kFit = 2;
  static constexpr unsigned kTries = 4;
};

// Three fit, for the place behind the last must be free too; no padding ever.
struct ThreeSlots {
  static constexpr std::uint32_t kWords = 1, kQueue = 8;
  static constexpr std::uint64_t kMessages = 6, kFit = 3;
  static constexpr unsigned kTries = 12;
};

// Nothing but headers: every word of the ring is one, lap after lap.
struct OnlyHeaders {
  static constexpr std::uint32_t kWords = 0, kQueue = 16;
  static constexpr std::uint64_t kMessages = 16, kFit = 7;
  static constexpr unsigned kTries = 32;
};

}  // namespace
}  // namespace comch::model

int main(int count, char** arguments) {
  using namespace comch::model;
  return explore<InFull<"two slots, three messages, in full", RingModel<TwoSlots>>,
                 AtRandom<"three slots, six messages", RingModel<ThreeSlots>>,
                 AtRandom<"eight headers, sixteen messages", RingModel<OnlyHeaders>>>(
      count, arguments, 100'000);
}
