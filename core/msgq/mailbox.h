// Mailbox: what all producers of a MsgQ know of one consumer, and how they agree on who fills
// which of its receives.
//
//   posted    consumer's    receives posted so far
//   claimed   producers'    messages accepted so far, and whether the mailbox is closed
//
// A producer claims a number before it sends. Message n fills the n-th receive posted:
// as soon as more than n are posted the message counts as delivered, whether or not the
// consumer has looked; until then it is *held*. Numbers are given out once, so that two
// producers never count on the same receive, and one that stops between its claim and its
// message keeps nobody from anything but that one receive.
//
// Closing makes every later claim fail. The consumer then still takes the messages that
// were claimed before and have a receive; the held ones will never be delivered, and their
// producers can see it: closed, and not delivered.
//
// Ordering:
//
//   POST    consumer's posted store(release) -> producer's load(acquire)
//   CLOSE   consumer's closed bit (release) -> producer's load(acquire)
//           who sees the mailbox closed also sees the last receive posted.
//   INTRODUCE   new links: the mutex; `has_news_` is only a hint to take it.
//
// Threads: producers any, post(), close() and adopt() the consumer's. Lifetime: shared by the
// consumer and the links to it. Errors: see claim().
// Tests: mailbox_test.cc, msgq_threads_test.cc (under TSan).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "comch/consumer.h"
#include "comch/result.h"
#include "msgq/doorbell.h"

namespace comch::msgq {

class Link;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): lines apart on purpose.
class Mailbox {
 public:
  struct Terms {
    ConsumerId id{};
    std::uint32_t depth = 0;          // Receives posted at most at a time.
    std::uint32_t immediate_max = 0;  // Bytes of a message.
  };
  // Whether a message may be accepted for which nothing is posted yet.
  enum class Hold : std::uint8_t { kNo, kYes };

  Mailbox(const Terms& terms, std::shared_ptr<Doorbell> doorbell)
      : terms_(terms), doorbell_(std::move(doorbell)) {}

  const Terms& terms() const { return terms_; }
  const std::shared_ptr<Doorbell>& doorbell() const { return doorbell_; }

  // ---- Producers.

  // The number of the caller's next message, which it sends without fail.
  // again: no receive is left, and it is not to be held. not_found: closed.
  Result<std::uint64_t> claim(Hold hold);
  // Whether a claim without hold would be refused.
  bool is_empty() const;
  bool is_delivered(std::uint64_t number) const {
    return posted_.load(std::memory_order_acquire) > number;  // POST: meets post().
  }
  // Whether message `number` will never be delivered.
  bool is_lost(std::uint64_t number) const { return closed() && !is_delivered(number); }
  bool closed() const {
    return (claimed_.load(std::memory_order_acquire) & kClosed) != 0;  // CLOSE: meets close().
  }
  // Tells the consumer of a producer that it has not heard of.
  void introduce(std::shared_ptr<Link> link);

  // ---- The consumer.

  void post(std::uint32_t count);
  // Answers how many messages were claimed in all.
  std::uint64_t close();
  // Moves the links introduced since behind `links`.
  void adopt(std::vector<std::shared_ptr<Link>>& links);

 private:
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 63U;

  const Terms terms_;
  const std::shared_ptr<Doorbell> doorbell_;
  alignas(shm::kCacheLine) std::atomic<std::uint64_t> posted_{0};
  alignas(shm::kCacheLine) std::atomic<std::uint64_t> claimed_{0};
  alignas(shm::kCacheLine) std::atomic<bool> has_news_{false};
  std::mutex mutex_;
  std::vector<std::shared_ptr<Link>> news_;
};

}  // namespace comch::msgq
