// ReceiveEnd: a consumer of a MsgQ on the CPU, without the tasks and callbacks that a Consumer
// puts around it.
//
//   auto end = ReceiveEnd::create(queue).value();        // Has a seat; the MsgQ cannot stop.
//   end->open(64, 32);                                   // Has an id; producers find it.
//   for (std::uint16_t n = 0; n < 64; ++n) end->post(n);
//   end->publish();
//   end->poll(64, [](const Delivery& delivery) { ... }); // In the order the indexes were posted.
//
// As a source of a progress engine: arm(), ready() and disarm() are those of engine/source.h,
// and wake_fd() becomes readable when somebody rings; drain_wakes() then.
//
//   closed --open()--> open --close()--> closing --poll() until drained()--> take_back() --> closed
//
// Threads: the progress engine's. create() and destruction: any, one at a time.
// Lifetime: outlived by the MsgQ. Nothing is allocated between open() and close() but for a
// producer's first message. Errors: see each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "comch/msgq.h"
#include "comch/result.h"
#include "msgq/hub.h"
#include "msgq/inbox.h"

namespace comch::msgq {

// A message that has filled a posted receive. The data is valid until its index is posted again.
struct Delivery {
  std::uint16_t index = 0;
  ProducerId producer{};
  std::span<const std::byte> immediate;
};

class ReceiveEnd {
 public:
  // bad_state: the MsgQ is not started. not_permitted: its consumers run on the accelerator.
  // full: it has as many as it may have.
  static Result<std::unique_ptr<ReceiveEnd>> create(MsgQ& queue);

  ReceiveEnd(const ReceiveEnd&) = delete;
  ReceiveEnd& operator=(const ReceiveEnd&) = delete;
  ~ReceiveEnd();

  // `depth`: how many indexes there are, from 0.
  // bad_state: it is open. invalid_value: depth is 0 or above kMaxDepth, or immediate_max above
  // kMaxImmediate. operating_system: there is no descriptor to wait on.
  Status open(std::uint32_t depth, std::uint32_t immediate_max);
  ConsumerId id() const { return id_; }  // Of the last opening.

  // Posts an index that is not posted; producers learn of it at publish().
  void post(std::uint16_t index);
  void publish();
  std::size_t posted() const { return count_; }

  // Hands at most `budget` messages to `sink`, which may post and close. Answers how many.
  template <class Sink>
  std::size_t poll(std::size_t budget, Sink&& sink) {
    std::size_t count = 0;
    Delivery delivery;
    for (; count != budget && take(delivery); ++count) sink(std::as_const(delivery));
    return count;
  }

  // No message is accepted any more. Those accepted for a posted index still come by poll(),
  // and when drained() says so the rest of the indexes is the caller's to take back.
  void close();
  bool drained() const { return inbox_->drained(); }
  std::optional<std::uint16_t> take_back();

  // For sleeping. arm(): true: the caller owes a membarrier.
  [[nodiscard]] bool arm() { return sleeper_->arm(); }
  bool ready() { return inbox_->ready(); }
  void disarm() { sleeper_->disarm(); }
  void relax();
  int wake_fd() const { return doorbell_->event().fd().get(); }
  void drain_wakes() { doorbell_->event().drain(); }

 private:
  explicit ReceiveEnd(ConsumerSeat seat) : seat_(std::move(seat)) {}

  bool take(Delivery& delivery);
  std::span<std::byte> room_of(std::uint16_t index) {
    return std::span(bytes_).subspan(std::size_t{index} * kMaxImmediate, kMaxImmediate);
  }

  const ConsumerSeat seat_;
  ConsumerId id_{};
  std::shared_ptr<EventDoorbell> doorbell_;
  std::optional<shm::BellSleeper<>> sleeper_;
  std::optional<Inbox> inbox_;       // From open() on.
  std::vector<std::uint16_t> ring_;  // Posted indexes, in order.
  std::vector<std::byte> bytes_;     // By index.
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::uint32_t unpublished_ = 0;
  bool open_ = false;
};

}  // namespace comch::msgq
