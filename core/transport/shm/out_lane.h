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
#include <memory>
#include <optional>
#include <span>

#include "os/fd.h"
#include "os/memfd.h"
#include "shm/bell.h"
#include "shm/fast_layout.h"
#include "shm/lane_writer.h"
#include "transport/outcome.h"
#include "transport/shm/batch.h"
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

  // The number by which the consumer knows the file, if both sides may read this of it now: it is
  // long enough, and the end of it can be had without waiting.
  std::optional<std::uint32_t> share_file(SharedFile& file, comch::shm::Range source);
  // Accepts that as one message, and exposes it. kUnderWay, or why not.
  Outcome put_file(std::uint32_t number, const std::shared_ptr<const SharedFile>& file,
                   comch::shm::Range source, Bytes immediate);
  // Of what step() has counted last: it has not come. Asked once.
  [[nodiscard]] bool take_void() { return under_way_.take_void(); }

  // put() for the first of `count` messages, as long as they are data alone, not long, and find
  // a posted buffer that is long enough (batch.h). Of the one that ends it put() says what is the
  // matter, unless it is that the lane is full.
  using Put = Batch::Put;
  template <class Data>
  Put put_small(std::size_t count, Data data);
  // Why that is so.
  Outcome nothing() const;
  static constexpr std::uint64_t kInSlot = Batch::kInSlot;
  // How many messages of data alone, `most` at most and each of as many bytes, put_small() is
  // known to take. They are no more than go together: a quarter of what the consumer posts, so that
  // it has buffers to post while these are on their way. One producer of several takes buffers for
  // them, fewer still; what is not used goes back with return_ahead().
  struct Ahead {
    std::uint32_t messages = 0;
    std::uint64_t bytes = 0;
  };
  Ahead look_ahead(std::uint32_t most);
  std::uint32_t most_together() const { return std::max(consumer_->terms.depth / 4, 1U); }
  // The same of one message, which it exposes. False: nothing was done.
  [[gnu::always_inline]] bool send_one(Bytes message) {
    if (message.size() - 1 < kInSlot) [[likely]]
      return send_in_slot(message);
    return !message.empty() && send_beside_slot(message);
  }
  // The same of one that is too long for its slot, and not exposed before publish().
  bool put_more(Bytes message);
  // send_one() of a message that the last one has prepared everything for: no more is done ahead of
  // it than must be, and it takes no call, for which whatever it lies in would have to save
  // registers. Behind it attend() is called, if there is something to attend to. False: nothing was
  // done, and send_one() does what there is to do.
  [[gnu::always_inline]] bool send_prepared(Bytes message);
  bool wants_attention() const {
    return out_.ringer.may_have_to_ring() || consumer_->desk.wants_look();
  }
  [[gnu::noinline]] void attend();

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
  // The same without going on, for who waits no longer: those that the consumer has taken.
  std::size_t take_taken() { return failed() ? 0 : under_way_.take_taken(); }
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
  // The same of `most` at a time, or as many as there are: lend(slot, room) of each. kSent: of one
  // at least. Defined in out_lane_loans.h.
  template <class Lend>
  Outcome reserve_some(std::size_t most, Lend lend);
  bool is_loan(std::uint32_t slot) const { return loans_.is_out(slot); }
  bool lends() const { return loans_.any(); }
  std::uint64_t loan_capacity(std::uint32_t slot) const { return loans_.posted(slot).capacity; }
  Outcome commit(std::uint32_t slot, std::size_t length, Bytes immediate);
  // The same of `count` that are data alone, as long as fill(n) answers the loan and its length,
  // and no length of 0. Of the one that ends it commit() says what is the matter.
  struct Filled {
    std::uint32_t slot = 0;
    std::size_t length = 0;
  };
  template <class Fill>
  std::size_t commit_some(std::size_t count, Fill fill);
  // As return_ahead().
  [[nodiscard]] bool abandon(std::uint32_t slot);

  // Hand-over. `handle` is free to be used (free_handle()), and `map` what number_of() answers; see
  // RemoteConsumer.
  Result<std::uint32_t> number_of(const SharedMemory& memory) {
    return consumer_->number_of(memory, out_.last_shown);
  }
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

  // All that is known of the next message.
  struct Next {
    comch::shm::LaneWriter<>::Prepared slot;
    std::uint64_t room = 0;  // None: nothing is prepared.
  };

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
  void hinder() {
    hindered_ = true;
    unprepare();
  }
  // Ahead of the next message by itself. Nothing hinders it, and there are no siblings.
  void prepare() {
    comch::shm::DeskNext next{.room = views_ && out_.writer.has_room() ? kInSlot : 0};
    if (!views_) next = consumer_->desk.next();
    if (next.room == 0) return unprepare();
    next_ = {.slot = out_.writer.prepare(next.index), .room = next.room};
  }
  // Ahead of anything else that is put into the lane, or takes a posted buffer.
  void unprepare() { next_.room = 0; }
  static std::size_t longest_alone(const Options& options);
  bool send_in_slot(Bytes message);
  bool send_beside_slot(Bytes message);
  template <bool kPublishes>
  bool put_beside_slot(Bytes message);
  [[gnu::noinline]] bool send_beside_others(Bytes message);
  // The message is in the lane: counts it, and lines it up behind what is under way.
  Outcome put_done(std::uint64_t LaneCounters::* how, std::size_t bytes);

  const std::shared_ptr<RemoteConsumer> consumer_;
  Seat seat_;
  const comch::shm::LaneLayout layout_;
  const Options options_;
  const os::Mapping mapping_;
  const std::span<std::byte> memory_;  // Of the consumer; empty: not mapped.
  const bool views_;                   // Messages stay in their slots, and use up no buffer.
  const bool may_prepare_;             // A buffer or a slot is all that a small message takes.
  const std::size_t small_;            // Bytes of the longest message that put_small() takes.
  Outlet out_;
  Batch batch_;
  comch::shm::BellSleeper<comch::shm::FastMachine> sleeper_;
  Next next_;
  bool hindered_ = true;          // Perhaps; find_hindrance() knows. Never false when it is.
  std::optional<Error> failure_;  // Set by break_off(): nothing is sent any more.
  UnderWay under_way_;
  Loans loans_;
  Handles handles_;
};

[[gnu::always_inline]] inline bool OutLane::send_prepared(Bytes message) {
  if (message.size() > next_.room) [[unlikely]]
    return false;
  if (!comch::shm::copies_at_once(message.size()) || gone()) [[unlikely]]
    return false;
  const auto put = [&] { out_.writer.put_prepared(next_.slot, message); };
  if (views_) {
    put();
  } else if (!consumer_->desk.use_next(put)) [[unlikely]] {
    return false;
  }
  ++out_.counters.in_slot;
  out_.counters.bytes += message.size();
  prepare();
  return true;
}

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
  if (may_prepare_) prepare();
  return true;
}

template <class Data>
OutLane::Put OutLane::put_small(std::size_t count, Data data) {
  Put put;
  unprepare();
  if (is_unhindered()) [[likely]] {
    if (views_) return batch_.put_viewed(count, data);
    put = batch_.put_alone(count, data);
    if (!put.siblings) [[likely]]
      return put;
  } else if (!has_ahead()) {
    return put;
  }
  hinder();  // Perhaps something is left in hand.
  return batch_.put_beside_others(count, data, put);
}

}  // namespace comch::transport::shm
