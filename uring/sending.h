// Sending: operations on destinations: sends, of memory and of files, loans, hand-overs.
//
// What finds nothing posted waits in its destination's line, and look() tries again; a send is
// never answered that there is no room.
//
// Threads: the ring's. Lifetime: the ring's; destinations outlive what they are named for.
// Errors: results of operations.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "ends.h"
#include "fetching.h"
#include "order.h"
#include "outcome.h"

namespace comch::uring {

template <class Kinds>
class Sending {
 public:
  using End = DestinationOf<Kinds>;
  using Op = Submission::Op;
  using State = Submission::State;
  using Run = std::span<Submission* const>;

  Sending(Order& order, Transfers<Kinds>& transfers) : order_(order), fetching_(transfers) {}

  End* add(Kinds::Producer& producer, ConsumerId consumer) {
    auto end = std::make_unique<End>(producer, consumer);
    stalled_.reserve(ends_.size() + 1);
    return ends_.emplace_back(std::move(end)).get();
  }
  Status remove(End& end) {
    if (end.under_way != nullptr || !end.handed_over.empty() || end.fetching != 0) {
      return fail(Errc::in_use, "a hand-over, a long message or a file is under way");
    }
    for (OpList* list : {&end.commits, &end.copied, &end.waiting}) {
      while (Submission* op = list->pop_front()) finish(end, *op, -ECANCELED);
    }
    if (end.stalled) std::erase(stalled_, &end);
    std::erase_if(ends_, [&end](const auto& owned) { return owned.get() == &end; });
    return {};
  }

  // Sends that are neighbours and go to one destination.
  void send(Run run) {
    End& end = of(*run.front());
    const std::size_t over = end.stalled ? 0 : offer(end, run);
    for (Submission* op : run.subspan(over)) wait(end, *op);
  }
  // Any other operation on a destination.
  void begin(Submission& op) {
    End& end = of(op);
    if (op.op_ == Op::kCommit || op.op_ == Op::kAbandon || op.op_ == Op::kDeliver) {
      if (!end.commits.empty() || !try_one(end, op)) wait_in(end, end.commits, op);
    } else if (end.stalled || !try_one(end, op)) {
      wait(end, op);
    }
  }

  // Tries what waits; true: something was done.
  bool look() {
    bool did = false;
    for (std::size_t n = 0; n < stalled_.size();) {
      End& end = *stalled_[n];
      did = retry(end) || did;
      if (end.stalled) {
        ++n;
      } else {
        stalled_[n] = stalled_.back();
        stalled_.pop_back();
      }
    }
    return did;
  }
  bool is_waiting() const { return !stalled_.empty(); }
  // Has the engine tell when there is room.
  void arm() {
    for (End* end : stalled_) {
      // What it refuses, the next look() finds out.
      if ((!end->waiting.empty() && !end->held_up) || !end->copied.empty())
        std::ignore = end->producer.request_space(end->consumer);
    }
  }
  // A buffer that was handed over has come back.
  void on_returned(const Kinds::Producer& producer, const Buffer& buffer) {
    for (const auto& end : ends_) {
      if (&end->producer != &producer) continue;
      Submission* const op = end->handed_over.take(
          [&buffer](const Submission& o) { return o.data_.buffer == &buffer; });
      if (op == nullptr) continue;
      finish_hand_over(*end, *op);
      return;
    }
  }
  // What a file or socket was read for is there, or is not.
  void on_fetched(Submission& op) {
    End& end = of(op);
    --end.fetching;
    op.op_ = Op::kDeliver;
    if (fetching_.is_lent(op)) {
      begin(op);
    } else if (end.under_way != nullptr || !end.copied.empty() || !try_one(end, op)) {
      // Ahead of what waits: that may be for the transfer that this one still has.
      wait_in(end, end.copied, op);
    }
  }
  // The ring ends: no loan of a transfer stays with its producer.
  void end() { fetching_.give_back_all(); }
  // Of an operation that waits.
  void cancel(Submission& op) {
    End& end = of(op);
    const auto same = [&op](const Submission& o) { return &o == &op; };
    for (OpList* list : {&end.waiting, &end.copied, &end.commits}) {
      if (list->take(same) != nullptr) break;
    }
    order_.finish(op, -ECANCELED);
  }

 private:
  // As many as go into one call; picked: what Producer::send() publishes at once costs no less
  // when there are more.
  static constexpr std::size_t kTogether = 64;
  // Shorter messages are complete when they are accepted.
  static constexpr std::size_t kMaybeLong = 4096;

  static End& of(const Submission& op) {
    return *static_cast<End*>(static_cast<Destination*>(op.end_));
  }
  static std::span<const std::byte> immediate_of(const Submission& op) {
    return {op.immediate_, op.immediate_length_};
  }
  static Outgoing outgoing(const Submission& op) {
    return {.data = {op.data_.bytes, op.length_}, .immediate = immediate_of(op)};
  }

  void stall(End& end) {
    if (!std::exchange(end.stalled, true)) stalled_.push_back(&end);
  }
  void wait_in(End& end, OpList& line, Submission& op) {
    op.state_ = State::kWaiting;
    line.push_back(op);
    stall(end);
  }
  void wait(End& end, Submission& op) { wait_in(end, end.waiting, op); }

  // Sends as much of the run as there is room for, and answers how much of it is off its hands.
  std::size_t offer(End& end, Run run) {
    std::size_t over = 0;
    while (over < run.size() && end.under_way == nullptr) {
      const std::size_t count = std::min(run.size() - over, kTogether);
      for (std::size_t n = 0; n < count; ++n) together_[n] = outgoing(*run[over + n]);
      const auto sent = end.producer.send(end.consumer, std::span(together_).first(count));
      if (sent) {
        finish_sent(end, run.subspan(over, *sent));
        over += *sent;
      } else if (sent.error().code == Errc::again) {
        break;
      } else {
        order_.finish(*run[over++], refusal(end, sent.error()));
      }
    }
    return over;
  }

  void finish_sent(End& end, Run sent) {
    Submission* const last = sent.back();
    if (last->length_ > kMaybeLong && end.producer.busy(end.consumer)) [[unlikely]] {
      sent = sent.first(sent.size() - 1);
      last->state_ = State::kRunning;
      end.under_way = last;
      stall(end);
    }
    order_.finish_sent(sent);
  }

  std::int64_t refusal(End& end, const Error& error) const {
    const bool ended = error.code == Errc::shutdown || error.code == Errc::bad_state;
    const bool lost = ended && end.producer.failure().error.code == Errc::connection_reset;
    // Of a message that does not fit, or of a consumer that is gone.
    const bool gone = error.code == Errc::invalid_value && is_gone(end);
    return lost || gone ? -ECONNRESET : outcome_of(error);
  }

  // An operation that is not part of a run; false: nothing is posted, or a long message is under
  // way.
  bool try_one(End& end, Submission& op) {
    switch (op.op_) {
      case Op::kReserve:
        return try_reserve(end, op);
      case Op::kHandOver:
        return try_hand_over(end, op);
      case Op::kSendFile:
      case Op::kSendSocket:
        return try_fetch(end, op);
      case Op::kDeliver:
        return try_deliver(end, op);
      default:
        return try_loan(end, op);
    }
  }
  bool try_reserve(End& end, Submission& op) {
    const Result<Loan> loan = end.producer.reserve(end.consumer);
    if (!loan) return finish_unless_again(end, op, loan.error());
    Completion& completion = order_.finish(op, static_cast<std::int64_t>(loan->room.size()));
    completion.bytes = loan->room.data();
    completion.size = loan->room.size();
    completion.handle = loan->handle;
    return true;
  }
  bool try_loan(End& end, Submission& op) {
    const Loan loan{.room = {}, .consumer = end.consumer, .handle = op.handle_};
    const bool commits = op.op_ == Op::kCommit;
    const Status s = commits ? end.producer.commit(loan, op.length_, immediate_of(op))
                             : end.producer.abandon(loan);
    if (!s) return finish_unless_again(end, op, s.error());
    order_.finish(op, commits ? static_cast<std::int64_t>(op.length_) : 0);
    return true;
  }
  bool try_hand_over(End& end, Submission& op) {
    const Status s = end.producer.hand_over(end.consumer, *op.data_.buffer, immediate_of(op));
    if (!s) return finish_unless_again(end, op, s.error());
    op.state_ = State::kRunning;
    end.handed_over.push_back(op);
    return true;
  }
  bool try_fetch(End& end, Submission& op) {
    const Status s = fetching_.begin(end, op);
    end.held_up = !s && s.error().code == Errc::full;
    if (end.held_up) return false;
    if (!s) return finish_unless_again(end, op, s.error());
    op.state_ = State::kRunning;
    return true;
  }
  bool try_deliver(End& end, Submission& op) {
    const Status s = fetching_.deliver(end, op);
    if (!s) return finish_unless_again(end, op, s.error());
    const std::int64_t res = fetching_.result(op);
    if (res > 0 && end.producer.busy(end.consumer)) {
      op.length_ = static_cast<std::uint64_t>(res);
      op.state_ = State::kRunning;
      end.under_way = &op;
      stall(end);
    } else {
      finish(end, op, res);
    }
    return true;
  }
  void finish(End& end, Submission& op, std::int64_t res) {
    if (op.op_ == Op::kDeliver) fetching_.release(end, op);
    order_.finish(op, res);
  }
  bool finish_unless_again(End& end, Submission& op, const Error& error) {
    if (error.code == Errc::again) return false;
    finish(end, op, refusal(end, error));
    return true;
  }

  // An empty send says whether the consumer is still there; nothing else says of a long message
  // or a hand-over that is over how it ended, or what an invalid value was.
  bool is_gone(End& end) const {
    const auto probe = end.producer.send(end.consumer, {});
    return !probe && probe.error().code != Errc::again;
  }
  void finish_hand_over(End& end, Submission& op) {
    Buffer* const buffer = op.data_.buffer;
    const auto length = static_cast<std::int64_t>(op.length_);
    order_.finish(op, is_gone(end) ? -ECONNRESET : length).buffer = buffer;
  }

  bool retry(End& end) {
    bool did = false;
    if (end.under_way != nullptr && !end.producer.busy(end.consumer)) {
      Submission& op = *std::exchange(end.under_way, nullptr);
      finish(end, op, is_gone(end) ? -ECONNRESET : static_cast<std::int64_t>(op.length_));
      did = true;
    }
    for (OpList* line : {&end.commits, &end.copied}) did = retry_line(end, *line) || did;
    while (end.under_way == nullptr && !end.waiting.empty()) {
      if (!retry_front(end)) break;
      did = true;
    }
    end.stalled = end.under_way != nullptr || !end.commits.empty() || !end.copied.empty() ||
                  !end.waiting.empty();
    return did;
  }
  bool retry_line(End& end, OpList& line) {
    bool did = false;
    while (end.under_way == nullptr && !line.empty()) {
      Submission& op = *line.pop_front();
      if (!try_one(end, op)) {
        line.push_front(op);
        break;
      }
      did = true;
    }
    return did;
  }
  bool retry_front(End& end) {
    Submission* next = end.waiting.front();
    if (next->op_ != Op::kSend) {
      std::ignore = end.waiting.pop_front();
      if (try_one(end, *next)) return true;
      end.waiting.push_front(*next);
      return false;
    }
    std::array<Submission*, kTogether> run;
    std::size_t count = 0;
    for (; count < run.size() && next != nullptr && next->op_ == Op::kSend; ++count) {
      run[count] = std::exchange(next, OpList::after(*next));
    }
    const std::size_t over = offer(end, std::span(run).first(count));
    // Nothing else took any out of the line meanwhile, and a free operation keeps its place.
    if (over != 0) end.waiting.drop_through(*run[over - 1]);
    return over != 0;
  }

  Order& order_;
  Fetching<Kinds> fetching_;
  std::vector<std::unique_ptr<End>> ends_;
  std::vector<End*> stalled_;  // Each once; there is room for all.
  std::array<Outgoing, kTogether> together_;
};

}  // namespace comch::uring
