// Sending: operations on destinations: sends, loans and hand-overs (lending.h), and what is read
// from files and sockets (fetching.h).
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

#include "batch.h"
#include "ends.h"
#include "fetching.h"
#include "lending.h"
#include "order.h"
#include "outcome.h"
#include "stalled.h"

namespace comch::uring {

template <class Kinds>
class Sending {
 public:
  using End = DestinationOf<Kinds>;
  using Op = Operation::Op;
  using State = Operation::State;
  using Run = std::span<Operation* const>;
  using Prepared = std::span<const Operation>;

  Sending(Order& order, Transfers<Kinds>& transfers)
      : order_(order), fetching_(transfers), lending_(order) {}

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
      while (Operation* op = list->pop_front()) finish(end, *op, -ECANCELED);
    }
    stalled_.remove(end);
    order_.cancel_held(static_cast<const Destination*>(&end));
    std::erase_if(ends_, [&end](const auto& owned) { return owned.get() == &end; });
    return {};
  }

  // The sends that what is prepared begins with, to one destination; answers how many those are.
  std::size_t send_front(Prepared rest) {
    const void* const name = rest.front().end;
    if (!Batch::is_of_run(rest.front(), name)) return 0;
    End& end = of(rest.front());
    std::size_t begun = end.stalled ? 0 : send_plain(end, rest);
    while (!end.stalled) {
      const Prepared some = Batch::run(rest.subspan(begun), name);
      if (some.empty()) return begun;
      const auto sent = end.producer.send(end.consumer, batch_.of(some));
      if (!sent && sent.error().code == Errc::again) break;
      begun += settle(end, some, sent);
    }
    for (; begun != rest.size() && Batch::is_of_run(rest[begun], name); ++begun) {
      wait(end, order_.keep(rest[begun]));
    }
    return begun;
  }
  // One by itself, as it is prepared, when it is a send and nothing is unusual: it is sent, and is
  // to be finished. False: nothing was done.
  bool send_one(const Operation& op) {
    if (op.op != Op::kSend || !Order::is_plain(op) || op.immediate_size != 0) return false;
    const End& end = of(op);
    return !end.stalled && end.producer.try_send(end.consumer, {op.what.bytes, op.amount});
  }
  // One that something held back.
  void send(Operation& op) {
    const std::array one{&op};
    if (End& end = of(op); end.stalled || offer(end, Run(one)) == 0) wait(end, op);
  }
  // Files for one destination.
  void fetch(Run run) {
    End& end = of(*run.front());
    const std::size_t begun = end.stalled ? 0 : fetching_.begin_some(end, run);
    for (Operation* op : run.subspan(begun)) begin(*op);
  }
  // Any other operation on a destination.
  void begin(Operation& op) {
    End& end = of(op);
    if (op.op == Op::kCommit || op.op == Op::kAbandon || op.op == Op::kDeliver) {
      if (!end.commits.empty() || !try_one(end, op)) wait_in(end, end.commits, op);
    } else if (end.stalled || !try_one(end, op)) {
      wait(end, op);
    }
  }

  // Tries what waits; true: something was done.
  bool look() {
    return stalled_.look([this](End& end) { return retry(end); });
  }
  bool is_waiting() const { return !stalled_.empty(); }
  // Has the engine tell when there is room.
  void arm() {
    for (End* end : stalled_.all()) {
      // What it refuses, the next look() finds out.
      if ((!end->waiting.empty() && !end->held_up) || !end->copied.empty())
        std::ignore = end->producer.request_space(end->consumer);
    }
  }
  // A buffer that was handed over is this side's again: given back, or why it never will be.
  void on_returned(const Kinds::Producer& producer, ConsumerId by, const Buffer& buffer,
                   const Status& how) {
    for (const auto& end : ends_) {
      if (&end->producer != &producer || end->consumer != by) continue;
      Operation* const op = lending_.take_returned(*end, buffer);
      if (op == nullptr) continue;
      Buffer* const own = op->what.buffer;
      order_.finish(*op, how_ended(*op, how)).buffer = own;
      return;
    }
  }
  // What a file or socket was read for is there, or is not. Of many behind one another
  // deliver_gathered() sends the last.
  void on_fetched(Operation& op) {
    End& end = of(op);
    --end.fetching;
    op.op = Op::kDeliver;
    if (fetching_.is_filled(op) && end.commits.empty()) return gather(op);
    deliver_gathered();
    if (fetching_.is_lent(op)) {
      begin(op);
    } else if (end.under_way != nullptr || !end.copied.empty() || !try_one(end, op)) {
      // Ahead of what waits: that may be for the transfer that this one still has.
      wait_in(end, end.copied, op);
    }
  }
  void deliver_gathered() {
    if (gathered_count_ == 0) return;
    const Run run(gathered_.data(), std::exchange(gathered_count_, 0));
    const std::size_t sent = fetching_.deliver_some(of(*run.front()), run);
    order_.finish_sent(run.first(sent));
    for (Operation* op : run.subspan(sent)) begin(*op);
  }
  // The ring ends: no loan of a transfer stays with its producer.
  void end() { fetching_.give_back_all(); }
  // Of an operation that waits.
  void cancel(Operation& op) {
    End& end = of(op);
    const auto same = [&op](const Operation& o) { return &o == &op; };
    // What held the first one up does not hold up the next.
    if (end.waiting.front() == &op) end.held_up = false;
    for (OpList* list : {&end.waiting, &end.copied, &end.commits}) {
      if (list->take(same) != nullptr) break;
    }
    order_.finish(op, -ECANCELED);
  }

 private:
  // Shorter messages are complete when they are accepted.
  static constexpr std::size_t kMaybeLong = 4096;

  static End& of(const Operation& op) {
    return *static_cast<End*>(static_cast<Destination*>(op.end));
  }
  void wait_in(End& end, OpList& line, Operation& op) {
    op.state = State::kWaiting;
    line.push_back(op);
    stalled_.add(end);
  }
  void wait(End& end, Operation& op) { wait_in(end, end.waiting, op); }
  void gather(Operation& op) {
    if (gathered_count_ == kBatch || (gathered_count_ != 0 && gathered_[0]->end != op.end))
      deliver_gathered();
    gathered_[gathered_count_++] = &op;
  }

  // The usual sends, straight from where they were prepared, as far as nothing is unusual.
  std::size_t send_plain(End& end, Prepared rest) {
    const OutgoingRecords run = Batch::plain_run(rest, rest.front().end);
    const std::size_t sent = end.producer.try_send(end.consumer, run);
    order_.finish_sent(rest.first(sent));
    return sent;
  }
  // Sends as much of the run as there is room for, and answers how much of it is off its hands.
  std::size_t offer(End& end, Run run) {
    std::size_t over = 0;
    while (over < run.size() && end.under_way == nullptr) {
      const Run some = run.subspan(over, std::min(run.size() - over, kBatch));
      const auto sent = end.producer.send(end.consumer, batch_.of(some));
      if (!sent && sent.error().code == Errc::again) break;
      over += settle(end, some, sent);
    }
    return over;
  }
  // What a producer says of some: it has taken the first of them, or will not have the first one.
  template <class Ops>
  std::size_t settle(End& end, Ops some, const Result<std::size_t>& sent) {
    if (sent) [[likely]] {
      finish_sent(end, some.first(*sent));
      return *sent;
    }
    refuse(some.front(), refusal(end, sent.error()));
    return 1;
  }

  template <class Ops>
  void finish_sent(End& end, Ops sent) {
    if (Batch::operation(sent.back()).amount > kMaybeLong && end.producer.busy(end.consumer))
        [[unlikely]] {
      run_long(end, lasting(sent.back()));
      sent = sent.first(sent.size() - 1);
    }
    order_.finish_sent(sent);
  }

  // What its producer is busy with.
  void run_long(End& end, Operation& op) {
    op.state = State::kRunning;
    end.under_way = &op;
    stalled_.add(end);
  }

  // What it takes that a send is one that lasts already, or one that is prepared.
  static Operation& lasting(Operation* op) { return *op; }
  Operation& lasting(const Operation& op) { return order_.keep(op); }
  void refuse(Operation* op, std::int64_t res) { order_.finish(*op, res); }
  void refuse(const Operation& op, std::int64_t res) { order_.refuse(op, res); }

  static std::int64_t refusal(End& end, const Error& error) {
    return refusal_of(end.producer, end.consumer, error);
  }

  // An operation that is not part of a run; false: nothing is posted, or a long message is under
  // way.
  bool try_one(End& end, Operation& op) {
    switch (op.op) {
      case Op::kReserve:
        return has_begun(end, op, lending_.reserve(end, op));
      case Op::kHandOver:
        return has_begun(end, op, lending_.hand_over(end, op));
      case Op::kSendFile:
      case Op::kSendSocket:
        return try_fetch(end, op);
      case Op::kDeliver:
        return try_deliver(end, op);
      default:
        return has_begun(end, op, lending_.end_loan(end, op));
    }
  }
  bool has_begun(End& end, Operation& op, const Status& begun) {
    return begun || finish_unless_again(end, op, begun.error());
  }
  bool try_fetch(End& end, Operation& op) {
    if (const ShownFile* file = fetching_.shown(op); file != nullptr && may_share(end)) {
      const Status shared = fetching_.share(end, op, *file);
      if (shared) {
        op.op = Op::kReadByBoth;
        run_long(end, op);
        return true;
      }
      if (shared.error().code != Errc::not_supported) {
        return finish_unless_again(end, op, shared.error());
      }
    }
    const Status s = fetching_.begin(end, op);
    end.held_up = !s && s.error().code == Errc::full;
    if (end.held_up) return false;
    if (s) op.state = State::kRunning;
    return has_begun(end, op, s);
  }
  bool try_deliver(End& end, Operation& op) {
    const Status s = fetching_.deliver(end, op);
    if (!s) return finish_unless_again(end, op, s.error());
    const std::int64_t res = fetching_.result(op);
    if (res > 0 && end.producer.busy(end.consumer)) {
      op.amount = static_cast<std::uint64_t>(res);
      run_long(end, op);
    } else {
      finish(end, op, res);
    }
    return true;
  }
  void finish(End& end, Operation& op, std::int64_t res) {
    if (op.op == Op::kDeliver) fetching_.release(end, op);
    order_.finish(op, res);
  }
  bool finish_unless_again(End& end, Operation& op, const Error& error) {
    if (error.code == Errc::again) return false;
    finish(end, op, refusal(end, error));
    return true;
  }

  // The result of a long message or a hand-over, which is over.
  static std::int64_t how_ended(const Operation& op, const Status& how) {
    return how ? static_cast<std::int64_t>(op.amount) : outcome_of(how.error());
  }

  // Behind one that both sides could not have, others are not tried, so that it costs little where
  // the consumer can read no file, or no file is cached.
  static constexpr std::uint32_t kBehindAVoid = 32;
  static bool may_share(End& end) {
    if (end.unshared == 0) return true;
    --end.unshared;
    return false;
  }
  void end_long(End& end, Operation& op) {
    const Status how = end.producer.ending(end.consumer);
    const bool is_file = op.op == Op::kReadByBoth;
    if (is_file) op.op = Op::kSendFile;
    // Not all of it was there at once: this side reads it, and waits for a disk.
    if (is_file && !how && how.error().code == Errc::io_failed) {
      op.flags |= Operation::kAlone;
      end.unshared = kBehindAVoid;
      return begin(op);
    }
    finish(end, op, how_ended(op, how));
  }

  bool retry(End& end) {
    bool did = false;
    if (end.under_way != nullptr && !end.producer.busy(end.consumer)) {
      end_long(end, *std::exchange(end.under_way, nullptr));
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
      Operation& op = *line.pop_front();
      if (!try_one(end, op)) {
        line.push_front(op);
        break;
      }
      did = true;
    }
    return did;
  }
  bool retry_front(End& end) {
    Operation* next = end.waiting.front();
    const Op op = next->op;
    if (op != Op::kSend && op != Op::kSendFile) return retry_one(end);
    std::array<Operation*, kBatch> run;
    std::size_t count = 0;
    for (; count < run.size() && next != nullptr && next->op == op; ++count) {
      run[count] = std::exchange(next, OpList::after(*next));
    }
    const Run some = Run(run).first(count);
    const std::size_t over = op == Op::kSend ? offer(end, some) : fetching_.begin_some(end, some);
    if (over == 0) return op == Op::kSendFile && retry_one(end);
    // Nothing else took any out of the line meanwhile, and a free operation keeps its place.
    end.waiting.drop_through(*run[over - 1]);
    return true;
  }
  bool retry_one(End& end) {
    Operation& next = *end.waiting.pop_front();
    if (try_one(end, next)) return true;
    end.waiting.push_front(next);
    return false;
  }

  Order& order_;
  Fetching<Kinds> fetching_;
  Lending<Kinds> lending_;
  std::vector<std::unique_ptr<End>> ends_;
  Stalled<End> stalled_;
  Batch batch_;
  std::array<Operation*, kBatch> gathered_;  // Of one end, filled, and not delivered.
  std::size_t gathered_count_ = 0;
};

}  // namespace comch::uring
