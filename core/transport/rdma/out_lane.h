// OutLane: a producer's way to one consumer of another machine: its lane, its link, and what of
// it is still under way.
//
//   switch (lane->put(data, immediate, &source)) { case Outcome::kUnderWay: ... }
//   lane->publish();
//
// A message that fits travels in its record: one work request. A longer one is written into the
// posted buffer first, from where it lies if its memory can be registered, else through a bounce
// area of ours; the device's limit of one request cuts it into pieces. Requests of a link take
// effect in order, so the record behind them says that all are there.
//
// A message is complete when the other machine has acknowledged its record: from then on it
// arrives even if this process dies. step() says how many have, in order.
//
// Threads: the producer's. Lifetime: owned by the producer's port. Errors: outcomes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/circle.h"
#include "transport/map_life.h"
#include "transport/outcome.h"
#include "transport/rdma/bell.h"
#include "transport/rdma/hub.h"
#include "transport/rdma/remote_consumer.h"

namespace comch::transport::rdma {

struct LaneCounters {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t in_slot = 0;  // Inline.
  std::uint64_t direct = 0;   // Written from where they lay.
  std::uint64_t staged = 0;   // Copied into the bounce area, or built in a loan.
  std::uint64_t loaned = 0;
  std::uint64_t wakes_sent = 0;
  LaneCounters& operator+=(const LaneCounters& other);
};

class OutLane {
 public:
  using Bytes = std::span<const std::byte>;
  static constexpr std::uint32_t kLoans = 32;
  // Pinned for loans together: how long a posted buffer is its machine says. Picked: sixteen of the
  // longest that the file tree has.
  static constexpr std::uint64_t kLoanBytes = std::uint64_t{256} << 20U;

  // What a task sends from. Without a map, or where the map cannot be registered, it is copied.
  struct Source {
    MapLife* map = nullptr;
  };

  struct Options {
    std::uint64_t staging = 0;  // Bytes of the bounce area, if there must be one.
  };

  OutLane(std::shared_ptr<Hub> hub, std::shared_ptr<RemoteConsumer> consumer, LaneParts parts,
          std::uint32_t producer, const Options& options);
  ~OutLane();
  OutLane(const OutLane&) = delete;
  OutLane& operator=(const OutLane&) = delete;

  RemoteConsumer& consumer() const { return *consumer_; }
  bool gone() const { return consumer_->gone(); }
  Link& link() { return *parts_.link; }

  // Accepts one message, and sends it at the latest with publish(). With a source it is complete
  // when step() counts it; without one (null) nobody counts it, and its data is copied, or
  // kUnderWay.
  Outcome put(Bytes data, Bytes immediate, const Source* source);
  void publish();

  // Continues what is under way; answers how many messages have completed. Nothing: none will any
  // more, and failure() says why.
  std::optional<std::size_t> step();
  // All that is counted has come: no file is read by both sides here.
  static constexpr bool take_void() { return false; }
  Error failure() const;
  // A message that is accepted still needs step() to be sent at all.
  bool under_way() const { return transfer_ && !failed(); }
  // For good: what was under way does not complete, and nothing more is sent.
  bool failed() const { return failure_ || parts_.link->failure(); }
  // Nothing of it is under way on the wire either, or anything ever will be.
  bool settled() const { return !transfer_ && held_ == 0 && queued_ == 0 && parts_.link->idle(); }
  // Nothing of it will complete any more.
  bool over() const { return failed() || settled(); }

  // In memory of ours that is sent from. The number names the loan. kNoMemory: it cannot be pinned,
  // or is longer than kLoanBytes. kBusy: so much, or kLoans, is lent; kNothingPosted: or under way.
  Outcome reserve(std::uint32_t& number, std::span<std::byte>& room);
  bool is_loan(std::uint32_t number) const {
    return number < kLoans && loans_[number].state == LoanState::kOut;
  }
  bool lends() const;
  std::uint64_t loan_capacity(std::uint32_t number) const { return loans_[number].posted.capacity; }
  Outcome commit(std::uint32_t number, std::size_t length, Bytes immediate);
  // True: others may have waited for it.
  bool abandon(std::uint32_t number);

  // Whether put() has a reason to be called: it takes a message, or says why it never will. What
  // it has no room for waits for an acknowledgement, which wakes whoever is armed.
  bool has_space() const {
    return failed() || (!transfer_ && has_room() && consumer_->desk.ready());
  }
  // Whether step() has, or with `for_space` put().
  bool ready(bool for_space) { return poll_link() || (for_space && has_space()); }
  void arm(bool for_space);

  LaneCounters counters() const;

 private:
  enum class LoanState : std::uint8_t { kFree, kOut, kFlying };
  struct Loaned {
    Pinned memory;
    Posted posted;
    LoanState state = LoanState::kFree;
  };
  // A message that somebody or something waits for, until its record is acknowledged.
  struct Unfinished {
    std::uint64_t position = 0;  // Of the record's work request; 0: not queued yet.
    bool counted = false;
    std::uint32_t loan = kLoans;  // That is free behind it.
  };
  // What of the bounce area is free when the work request at `position` is acknowledged.
  struct BounceEnd {
    std::uint64_t position = 0;
    std::uint64_t end = 0;
  };
  struct Terms {
    std::optional<std::uint32_t> key;  // Of registered memory; nothing: through the bounce area.
    bool counted = false;
    std::uint32_t loan = kLoans;
  };
  // The message that is being written to its posted buffer. Everything behind it waits.
  struct Transfer {
    Terms terms;
    Posted to;
    Bytes data;
    std::uint64_t done = 0;
    std::array<std::byte, wire::kMaxImmediate> immediate;
    std::uint32_t immediate_size = 0;
  };
  struct KnownKey {
    std::uint64_t life = 0;
    std::uint32_t key = 0;
  };

  // What is written at a time, and acknowledged, if the device takes so much. It gives up after so
  // many losses without an acknowledgement: long writes over a wire that loses packets would come
  // to that.
  static constexpr std::uint64_t kPiece = std::uint64_t{64} << 10U;
  static constexpr std::uint32_t kQueue = 8;  // Work requests that go with one doorbell.
  // Places that a record may need: two where the lane's end lies in a batch, and one for a ring.
  static constexpr std::uint32_t kPerRecord = 3;

  Outcome check(Bytes immediate);
  Outcome take(Posted& posted, std::uint64_t length, Bytes immediate);
  // For one record more, and its place among those that are waited for.
  bool has_room() const { return room() >= kPerRecord && !unfinished_.full(); }
  std::uint32_t room() const { return parts_.link->room() - queued_; }
  std::optional<std::uint32_t> key_of(const Source* source);
  Outcome equip(Loaned& loan, std::uint64_t capacity);
  void put_record(const Posted& posted, LaneKind kind, std::uint64_t length, Bytes immediate,
                  Bytes data);
  void wait_for(bool counted, std::uint32_t loan);
  Outcome begin(const Posted& posted, Bytes data, Bytes immediate, const Terms& terms);
  bool continue_transfer();
  bool put_piece(Transfer& transfer);
  Segment direct_piece(const Transfer& transfer) const;
  Segment staged_piece(const Transfer& transfer);
  void queue(const SendRequest& request);
  void queue_records();
  void post_queued();
  bool poll_link();
  void took_acknowledgements();

  const std::shared_ptr<Hub> hub_;
  const std::shared_ptr<RemoteConsumer> consumer_;
  const std::uint32_t producer_;
  const std::uint64_t staging_;
  const std::uint64_t piece_;  // Bytes of one write, at most.
  std::array<Loaned, kLoans> loans_{};
  Pinned bounce_;
  LaneParts parts_;                // Behind the memory that it sends from.
  std::uint32_t held_ = 0;         // Records written and not queued: the last ones.
  std::uint32_t last_record_ = 0;  // Bytes of the last one.
  std::array<SendRequest, kQueue> queue_;
  std::uint32_t queued_ = 0;
  LooksDue looks_;  // At the consumer's bell.
  Circle<Unfinished, RemoteConsumer::kSends> unfinished_;
  std::size_t completed_ = 0;  // Of them counted, not yet told by step().
  std::optional<Transfer> transfer_;
  std::optional<Error> failure_;
  std::uint64_t bounce_written_ = 0;  // Bytes ever put into the bounce area.
  std::uint64_t bounce_free_ = 0;     // Bytes ever freed there.
  Circle<BounceEnd, RemoteConsumer::kSends> bounce_ends_;
  std::array<KnownKey, 4> keys_{};  // Registrations used last.
  std::size_t next_key_ = 0;
  LaneCounters counters_;
};

}  // namespace comch::transport::rdma
