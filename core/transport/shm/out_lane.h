// OutLane: a producer's way to one consumer: its lane, its seat at the consumer's desk (seat.h),
// and what of it is still under way.
//
//   switch (lane->put(data, immediate, source)) { case Outcome::kSent: ... }
//   lane->publish();
//
// Small messages travel in the lane; longer ones are copied into the posted buffer where it is
// mapped (alone, or with the consumer's help), else through the bounce area or by the kernel. A
// message that is not complete when put() returns is *under way* (under_way.h); they complete in
// order, and step() says how many have.
//
// Threads: the producer's. Lifetime: owned by the producer's port. Errors: outcomes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>

#include "base/prefetch.h"
#include "os/fd.h"
#include "os/memfd.h"
#include "shm/bell.h"
#include "shm/fast_layout.h"
#include "shm/lane.h"
#include "transport/outcome.h"
#include "transport/shm/handles.h"
#include "transport/shm/loans.h"
#include "transport/shm/outlet.h"
#include "transport/shm/remote_consumer.h"
#include "transport/shm/seat.h"
#include "transport/shm/under_way.h"

namespace comch::transport::shm {

class OutLane {
 public:
  using Bytes = std::span<const std::byte>;
  struct Options {
    std::uint64_t staging = 0;      // Bytes of the bounce area, if there must be one.
    std::uint64_t cooperative = 0;  // Messages from here on are copied by both; 0: none.
    std::uint32_t slots = 0;        // Messages at most; 0: as many as the consumer posts.
    std::uint32_t handles = 0;      // Buffers handed over at a time.
  };

  // Makes the lane and tells the consumer of it. again: try later. Others: it cannot be made.
  static Result<std::unique_ptr<OutLane>> open(std::shared_ptr<RemoteConsumer> consumer,
                                               std::uint32_t producer, const os::Fd& ringer,
                                               const Options& options);
  struct Parts {
    std::shared_ptr<RemoteConsumer> consumer;
    Seat seat;
    comch::shm::LaneLayout layout;
    os::Mapping mapping;
    Options options;
  };
  explicit OutLane(Parts parts);
  ~OutLane();
  OutLane(const OutLane&) = delete;
  OutLane& operator=(const OutLane&) = delete;

  RemoteConsumer& consumer() const { return *consumer_; }
  const std::shared_ptr<RemoteConsumer>& shared_consumer() const { return consumer_; }
  bool gone() const { return consumer_->gone(); }

  // Accepts one message, and exposes it at the latest with publish(). `source`: the memory that
  // the data lies in, if it may be shown; null: the message is never copied by both sides.
  Outcome put(Bytes data, Bytes immediate, const SharedMemory* source);
  void publish() { out_.publish(); }

  // put() for the first of `count` messages, as long as they are data alone, not long, and find
  // a posted buffer that is long enough. `data(n)`: of the n-th; empty: it has more to it. Of the
  // one that ends it put() says what is the matter, unless it is that the lane is full().
  struct Put {
    std::size_t messages = 0;
    bool full = false;  // Nothing is posted for the next one, or the lane has no room.
  };
  template <class Data>
  Put put_small(std::size_t count, Data data);
  // Why that is so.
  Outcome nothing() const;
  static constexpr std::uint64_t kInSlot = comch::shm::kLanePayload;  // Bytes of the longest there.
  // A run of the posted ring promises no more, whatever a consumer writes there.
  static_assert(comch::shm::PostedRun<>::kMostRoom == kInSlot);
  // How many messages of data alone, `most` at most and each of as many bytes, put_small() is
  // known to take. They are no more than a quarter of what the consumer posts, so that it has
  // buffers to post while these are on their way. One producer of several takes buffers for them,
  // fewer still; what is not used goes back with return_ahead().
  struct Ahead {
    std::uint32_t messages = 0;
    std::uint64_t bytes = 0;
  };
  Ahead look_ahead(std::uint32_t most);
  // The same of a single message, which it exposes.
  [[gnu::always_inline]] bool send_one(Bytes message) {
    if (message.size() - 1 < kInSlot) [[likely]]
      return send_in_slot(message);
    return !message.empty() && send_beside_slot(message);
  }

  // Where the next message will be written.
  const std::byte* next_slot() const { return out_.writer.next_slot(); }

  // Takes posted buffers for up to `messages` at once, ahead of a batch; what the batch has not
  // used goes back with return_ahead().
  void take_ahead(std::size_t messages);
  // True: siblings sleep until there is such a buffer.
  [[nodiscard]] bool return_ahead() { return seat_.return_ahead(); }

  // Continues what is under way; answers how many messages have completed. Nothing: none will any
  // more, and failure() says why.
  std::optional<std::size_t> step();
  Error failure() const;
  // Nothing more is sent, nor what is under way. What is handed over may still come back.
  void break_off(const Error& why);
  // The message that was accepted last is not to be counted by step().
  void forget_last() { under_way_.forget_last(); }
  // Something is, and it may still complete.
  bool under_way() const { return !under_way_.empty() && !failed(); }
  // For good: what was under way does not complete, and nothing more is sent.
  bool failed() const { return failure_.has_value(); }
  // Nothing of it is under way, lent or handed over.
  bool settled() const;

  // In place. The slot names the loan.
  Outcome reserve(std::uint32_t& slot, std::span<std::byte>& room);
  bool is_loan(std::uint32_t slot) const { return loans_.is_out(slot); }
  bool lends() const { return loans_.any(); }
  std::uint64_t loan_capacity(std::uint32_t slot) const { return loans_.posted(slot).capacity; }
  Outcome commit(std::uint32_t slot, std::size_t length, Bytes immediate);
  // As return_ahead().
  [[nodiscard]] bool abandon(std::uint32_t slot);

  // Hand-over. `handle` is free to be used (free_handle()).
  std::optional<std::uint32_t> free_handle() { return handles_.take(); }
  Outcome hand_over(std::uint32_t map, std::uint32_t handle, comch::shm::Range buffer,
                    Bytes immediate);
  // The next handle that has come back.
  std::optional<std::uint32_t> take_returned();
  // False: the consumer gave back what it did not have, and the others never come.
  bool gives_back() const { return !handles_.broken(); }
  void release_handle(std::uint32_t handle) { handles_.put_back(handle); }

  // Whether put() has a reason to be called, for one that is about to sleep; and whether
  // step() has.
  bool has_space();
  bool ready(bool for_space);
  [[nodiscard]] bool arm(bool for_space);
  void disarm();
  void relax();

  const LaneCounters& counters() const { return out_.counters; }

 private:
  using Posted = comch::shm::Posted;
  static constexpr std::size_t kAtOnce = std::size_t{64} << 10U;  // Copied without a thought.

  Ahead take_ahead_of_row(std::uint32_t most);
  // A posted buffer that was not used.
  void keep(const Posted& posted);
  Outcome check(Bytes immediate) const;
  // Nothing is the matter, under way or in hand, and a posted buffer is all a message takes.
  bool is_unhindered() {
    if (hindered_) [[unlikely]]
      find_hindrance();
    return !hindered_ && !gone();
  }
  void find_hindrance();
  // Of that, only that posted buffers were taken ahead.
  bool has_ahead() const {
    return !failure_ && under_way_.empty() && !gone() && consumer_->desk.shared();
  }
  static std::size_t longest_alone(const Options& options);
  bool send_in_slot(Bytes message);
  bool send_beside_slot(Bytes message);
  [[gnu::noinline]] bool send_beside_others(Bytes message);
  struct Tally {
    std::size_t messages = 0;
    std::size_t direct = 0;
    std::uint64_t bytes = 0;
  };
  [[gnu::always_inline]] bool put_into(comch::shm::LaneWriter<>::Walk& walk, const Posted& posted,
                                       Bytes message, Tally& tally) const;
  template <class Data>
  [[gnu::always_inline]] std::size_t put_in_a_row(comch::shm::LaneWriter<>::Walk& walk,
                                                  std::span<const Posted> taken, Data data,
                                                  Tally& tally);
  // The next message is likely to go into `next`, and to be as long as this one.
  void expect_to_write(const Posted& next, std::size_t length) const;
  void count(const Tally& tally);
  // put_small() of one producer of several, which may have begun alone; and to a consumer that
  // looks at messages where they lie.
  template <class Data>
  Put put_beside_others(std::size_t count, Data data, Tally tally);
  template <class Data>
  Put put_viewed(std::size_t count, Data data);
  // The message is in the lane: counts it, and lines it up behind what is under way.
  Outcome put_done(std::uint64_t LaneCounters::* how, std::size_t bytes);

  const std::shared_ptr<RemoteConsumer> consumer_;
  Seat seat_;
  const comch::shm::LaneLayout layout_;
  const Options options_;
  const os::Mapping mapping_;
  const std::span<std::byte> memory_;  // Of the consumer; empty: not mapped.
  const bool views_;                   // Messages stay in their slots, and use up no buffer.
  const std::size_t small_;            // Bytes of the longest message that put_small() takes.
  Outlet out_;
  comch::shm::BellSleeper<comch::shm::FastMachine> sleeper_;
  bool hindered_ = true;          // Perhaps; find_hindrance() knows. Never false when it is.
  std::optional<Error> failure_;  // Set by break_off(): nothing is sent any more.
  UnderWay under_way_;
  Loans loans_;
  Handles handles_;
};

[[gnu::always_inline]] inline bool OutLane::send_in_slot(Bytes message) {
  if (!is_unhindered() || out_.writer.withholds() || !out_.writer.has_room()) [[unlikely]]
    return false;
  bool done = views_;
  if (views_) {
    out_.writer.put_and_publish(0, message);
  } else {
    consumer_->desk.use_one([&](std::uint16_t index, std::uint64_t room) {
      if (message.size() > room) [[unlikely]]
        return false;
      out_.writer.put_and_publish(index, message);
      return done = true;
    });
  }
  if (!done) return false;
  ++out_.counters.in_slot;
  out_.counters.bytes += message.size();
  out_.wake();
  return true;
}

// A message put into its slot, or into the posted buffer. Answers false when it does not fit.
inline bool OutLane::put_into(comch::shm::LaneWriter<>::Walk& walk, const Posted& posted,
                              Bytes message, Tally& tally) const {
  if (message.size() - 1 >= small_ || message.size() > posted.capacity) [[unlikely]]
    return false;
  if (message.size() <= comch::shm::kLanePayload) [[likely]] {
    walk.put_inline(posted.index, message);
  } else {
    std::memcpy(memory_.data() + posted.offset, message.data(), message.size());
    walk.put_direct(posted.index, message.size());
    ++tally.direct;
  }
  tally.bytes += message.size();
  ++tally.messages;
  return true;
}

// The next messages, into the first ones of `taken`: those that are alike as a row, if the indexes
// follow one another as those of a row do. None: the next does not fit.
template <class Data>
[[gnu::always_inline]] inline std::size_t OutLane::put_in_a_row(
    comch::shm::LaneWriter<>::Walk& walk, std::span<const Posted> taken, Data data, Tally& tally) {
  const Posted& first = taken.front();
  const Bytes message = data(0);
  if (message.size() - 1 >= std::min(first.capacity, kInSlot)) [[unlikely]]
    return put_into(walk, first, message, tally) ? 1 : 0;
  const auto follows = [&](std::size_t n) {
    return taken[n].capacity == first.capacity &&
           taken[n].index == ((first.index + n) & (layout_.shape.indexes - 1));
  };
  std::size_t some = 1;
  while (some != taken.size() && follows(some)) ++some;
  const std::size_t put = walk.put_alike(first.index, some, data);
  tally.bytes += put * message.size();
  tally.messages += put;
  return put;
}

inline void OutLane::expect_to_write(const Posted& next, std::size_t length) const {
  if (length <= comch::shm::kLanePayload || next.capacity < length) return;
  prefetch_for_write(memory_.data() + next.offset, length);
}

inline void OutLane::count(const Tally& tally) {
  out_.counters.bytes += tally.bytes;
  out_.counters.in_slot += tally.messages - tally.direct;
  out_.counters.mapped += tally.direct;
}

template <class Data>
OutLane::Put OutLane::put_small(std::size_t count, Data data) {
  using comch::shm::RunTake;
  if (!is_unhindered()) [[unlikely]]
    return has_ahead() ? put_beside_others(count, data, {}) : Put();
  if (views_) return put_viewed(count, data);
  Tally tally;
  auto taken = RunTake::kDone;
  while (taken == RunTake::kDone && tally.messages != count && out_.writer.room() != 0) {
    const std::size_t most = std::min<std::size_t>(count - tally.messages, out_.writer.room());
    taken = consumer_->desk.use_run(most, [&](auto slots, std::size_t some, std::uint64_t room) {
      // In locals, for what a lambda refers to is written back for each message.
      const std::size_t first = tally.messages;
      std::size_t done = 0;
      std::uint64_t bytes = 0;
      for (comch::shm::LaneWriter<>::Walk walk(out_.writer); done != some;) {
        const auto next = [&](std::size_t n) { return data(first + done + n); };
        const std::size_t length = next(0).size();
        if (length - 1 >= room) [[unlikely]]
          break;
        const std::size_t put = walk.put_alike(slots[done], some - done, next);
        bytes += put * length;
        done += put;
      }
      tally.messages += done;
      tally.bytes += bytes;
      return done;
    });
  }
  if (taken == RunTake::kSiblings) return put_beside_others(count, data, tally);
  bool refused = false;
  if (taken == RunTake::kOther) {
    const std::size_t most = std::min<std::size_t>(count - tally.messages, out_.writer.room());
    comch::shm::LaneWriter<>::Walk walk(out_.writer);
    std::size_t length = 0;
    const auto use = [&](const Posted& posted) {
      const Bytes message = data(tally.messages);
      length = message.size();
      refused = !put_into(walk, posted, message, tally);
      return !refused;
    };
    const auto expect = [&](const Posted& next) { expect_to_write(next, length); };
    consumer_->desk.use_alone(most, use, expect);
  }
  this->count(tally);
  return {.messages = tally.messages, .full = tally.messages != count && !refused};
}

template <class Data>
[[gnu::noinline]] OutLane::Put OutLane::put_beside_others(std::size_t count, Data data,
                                                          Tally tally) {
  bool refused = false;
  while (!refused && tally.messages != count) {
    const std::size_t most = std::min<std::size_t>(count - tally.messages, out_.writer.room());
    if (most == 0) break;
    if (seat_.hand_empty()) seat_.take_ahead(most);
    std::span<const Posted> hand = seat_.hand();
    if (hand.empty()) break;
    hand = hand.first(std::min(hand.size(), most));
    comch::shm::LaneWriter<>::Walk walk(out_.writer);
    std::size_t used = 0;
    while (!refused && used != hand.size()) {
      const auto next = [&](std::size_t n) { return data(tally.messages + n); };
      const std::size_t put = put_in_a_row(walk, hand.subspan(used), next, tally);
      used += put;
      refused = put == 0;
    }
    seat_.use(used);
  }
  hindered_ = true;  // Perhaps something is left in hand.
  this->count(tally);
  return {.messages = tally.messages, .full = tally.messages != count && !refused};
}

template <class Data>
OutLane::Put OutLane::put_viewed(std::size_t count, Data data) {
  const std::size_t room = std::min<std::size_t>(count, out_.writer.room());
  std::uint64_t bytes = 0;
  std::size_t done = 0;
  for (comch::shm::LaneWriter<>::Walk walk(out_.writer); done != room;) {
    const auto next = [&](std::size_t n) { return data(done + n); };
    const std::size_t length = next(0).size();
    if (length - 1 >= comch::shm::kLanePayload) break;
    const std::size_t put = walk.put_alike(0, room - done, next);
    bytes += put * length;
    done += put;
  }
  out_.counters.in_slot += done;
  out_.counters.bytes += bytes;
  return {.messages = done, .full = done == room && room != count};
}

}  // namespace comch::transport::shm
