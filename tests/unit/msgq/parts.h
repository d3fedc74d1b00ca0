// Parts: the two halves of a MsgQ without the public faces: a consumer's mailbox with its inbox,
// and a producer's outbox, on one hub.
//
// Threads: the test's. Lifetime: the hub outlives both.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "msgq/inbox.h"
#include "msgq/outbox.h"
#include "unit/comch/parties.h"

namespace comch::msgq {

inline constexpr ConsumerId kFirst{1};

// Counts how often it was rung.
class CountingDoorbell final : public Doorbell {
 public:
  void ring() override { ++rings; }
  int rings = 0;
};

// What a hub and its ends need for one consumer, in seat 0.
struct Receiver {
  explicit Receiver(Hub& hub, std::uint32_t depth = 4, std::uint32_t immediate = kMaxImmediate)
      : seat(hub.join_consumer().value()),
        inbox(hub.open(seat, depth, immediate, doorbell)),
        id(inbox.terms().id) {}

  // The next message.
  std::optional<std::string> take() {
    std::array<std::byte, kMaxImmediate> room{};
    if (!inbox.take(room, arrival)) return std::nullopt;
    return test::text_of(std::span(room).first(arrival.length));
  }

  std::shared_ptr<CountingDoorbell> doorbell = std::make_shared<CountingDoorbell>();
  const std::uint32_t seat;
  Inbox inbox;
  const ConsumerId id;
  Arrival arrival;  // Of the last take().
};

struct Transmitter {
  explicit Transmitter(std::shared_ptr<Hub> hub, std::uint32_t held = 0)
      : id(hub->join_producer().value()), outbox(std::move(hub), id, doorbell, held) {}

  Status send(std::string_view text, ConsumerId to = kFirst) {
    const auto placed = outbox.put(to, test::bytes(text));
    outbox.publish();
    if (!placed) return std::unexpected(placed.error());
    return {};
  }

  std::shared_ptr<CountingDoorbell> doorbell = std::make_shared<CountingDoorbell>();
  const ProducerId id;
  Outbox outbox;
};

}  // namespace comch::msgq
