// Link: the way from one producer of a MsgQ to one consumer: a lane (shm/lane.h) in private
// memory, with both of its halves.
//
//   record in the lane   8 bytes   number of the message (mailbox.h)
//                        0..32     immediate data
//
// Made by the producer at its first message, and then introduced to the consumer; from there on
// the producer's half is touched by the producer's thread alone and the consumer's half by the
// consumer's.
//
// There is always a free slot: the lane has as many as the consumer may have receives posted and
// the producer messages held. A message that is neither was taken before a receive was posted
// that the producer has seen (POST, mailbox.h), so that its slot may be written again: lane.h,
// rule 4, has the proof, in which a held message is one more that is out.
//
// Threads: see above. Lifetime: shared by both ends; each lets go when the other is gone and
// nothing is left to take. Errors: see create().
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/intrusive_list.h"
#include "comch/consumer.h"
#include "comch/result.h"
#include "msgq/doorbell.h"
#include "msgq/mailbox.h"
#include "shm/lane_reader.h"
#include "shm/lane_writer.h"

namespace comch::msgq {

inline constexpr std::uint32_t kMaxImmediate = 32;  // Bytes of a message: the documents' limit.
inline constexpr std::uint32_t kMaxDepth = 8192;    // Receives, or sends, of one end.

// What a producer that wants completions remembers of a message.
struct Send : ListLink<> {
  std::uint64_t number = 0;
  std::uint64_t user_data = 0;
  bool report = false;
  bool lost = false;  // Once completed: its consumer had ended.
};

// A message that was taken from a link.
struct Arrival {
  ProducerId producer{};
  std::uint32_t length = 0;
};

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): lines apart on purpose.
class Link {
 public:
  // no_memory: there is none for so many slots (a power of two).
  static Result<std::shared_ptr<Link>> create(ProducerId producer, std::shared_ptr<Mailbox> mailbox,
                                              std::shared_ptr<Doorbell> back, std::uint32_t slots);

  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  ProducerId producer() const { return producer_; }
  Mailbox& mailbox() const { return *mailbox_; }

  // ---- The producer's half.

  // A message that publish() exposes. The number is claimed.
  void put(std::uint64_t number, std::span<const std::byte> immediate);
  void publish() {
    if (writer_.publish()) to_consumer_.tell();
  }
  // No message follows.
  void end() {
    ended_.store(true, std::memory_order_release);  // LANE: all that was put happens before.
  }

  IntrusiveList<Send> sends;  // The producer's notes: not completed yet, in order.

  // ---- The consumer's half.

  // The number of the next message, when there is one.
  std::optional<std::uint64_t> peek();
  // Takes it, copying its immediate data to `room`.
  Arrival take(std::span<std::byte> room);
  // Receives were posted, or never will be again.
  void tell_producer() { to_producer_.tell(); }
  // Whether nothing will ever come again.
  bool is_over() {
    // LANE: meets end(); what was put before is seen by the look behind it.
    return ended_.load(std::memory_order_acquire) && !reader_.ready();
  }

 private:
  struct alignas(shm::kCacheLine) Slot {
    std::array<std::byte, shm::kLaneSlot> bytes{};
  };
  static constexpr std::size_t kNumber = sizeof(std::uint64_t);
  using Record = std::array<std::byte, kNumber + kMaxImmediate>;

  Link(ProducerId producer, std::shared_ptr<Mailbox> mailbox, std::shared_ptr<Doorbell> back,
       std::unique_ptr<Slot[]> slots, std::uint32_t count);

  const ProducerId producer_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::unique_ptr<Slot[]> slots_;
  std::atomic<bool> ended_{false};
  shm::LaneShared<> shared_{};
  alignas(shm::kCacheLine) shm::LaneWriter<> writer_;
  Ringer to_consumer_;
  alignas(shm::kCacheLine) shm::LaneReader<> reader_;
  Ringer to_producer_;
  shm::LaneRecord next_;  // What peek() found, with its bytes.
  Record bytes_{};
};

}  // namespace comch::msgq
