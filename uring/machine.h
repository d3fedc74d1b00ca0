// Machine: what a Ring does with its operations: begins them in the order that links and drains
// allow, in runs where they are neighbours, and finishes them as the ends make it possible.
//
//   machine.submit();                // What is prepared begins.
//   machine.look();                  // What has arrived, what there is room for, what is due.
//
// It never waits, and knows neither the engine nor the kernel: ring.cc has both. `Kinds` (ends.h)
// says what ends are and what time it is, so that a test can run it on ends that lie and fail.
//
// Threads: the ring's. Lifetime: the ring's. Errors: results of operations.
#pragma once

#include <cstdint>
#include <optional>

#include "accepting.h"
#include "control_path.h"
#include "receiving.h"
#include "sending.h"
#include "timers.h"

namespace comch::uring {

template <class Kinds>
class Machine {
 public:
  using Op = Submission::Op;
  using State = Submission::State;
  using Run = std::span<Submission* const>;

  // `multishots` counts those that hold places of completions; `transfers`: of each direction.
  Machine(Queues& queues, std::uint32_t& multishots, Kinds::Io& io, std::uint32_t transfers)
      : order_(queues),
        queues_(queues),
        timers_(queues.slots()),
        transfers_(io, transfers),
        control_(order_),
        accepting_(queues, order_, control_, multishots),
        sending_(order_, transfers_),
        storing_(order_, transfers_),
        receiving_(queues, order_, storing_, multishots) {}
  ~Machine() {
    if (!forgotten_ && transfers_.end()) sending_.end();
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  Sending<Kinds>& sending() { return sending_; }
  Receiving<Kinds>& receiving() { return receiving_; }
  ControlPath<Kinds>& control() { return control_; }
  Accepting<Kinds>& accepting() { return accepting_; }

  // Begins what is prepared, and answers how many that is.
  std::uint32_t submit() {
    const Run pending = queues_.pending();
    // Nothing below comes back to get(): what is begun here calls nobody.
    for (std::size_t n = 0; n < pending.size();) {
      const bool plain = order_.is_open() && Order::is_plain(*pending[n]);
      const Run unit = pending.subspan(
          n, plain ? run_length(pending.subspan(n)) : chain_length(pending.subspan(n)));
      if (plain) [[likely]] {
        order_.begin_plain(unit);
        begin_run(unit);
      } else {
        order_.admit(unit);
      }
      begin_due();
      n += unit.size();
    }
    queues_.clear_pending();
    if (transfers_.is_waiting()) look_at_transfers();
    return static_cast<std::uint32_t>(pending.size());
  }

  // Past `count` completions, some of which are of multishot operations.
  void advance(std::uint32_t count) {
    receiving_.advance(count, [this](const Completion& c) { accepting_.advance(c); });
    begin_due();
  }

  // True: something was done.
  bool look() {
    bool did = receiving_.look();
    if (storing_.is_waiting()) storing_.write_waiting();
    if (transfers_.is_waiting()) did = look_at_transfers() || did;
    if (sending_.is_waiting()) did = sending_.look() || did;
    if (control_.is_waiting()) did = control_.look() || did;
    if (!timers_.empty()) did = look_at_timers() || did;
    begin_due();
    return did;
  }
  // Whether what waits may be for the engine to bring about.
  bool is_waiting() const { return sending_.is_waiting() || control_.is_waiting(); }
  std::optional<std::uint64_t> next_due_ns() const { return timers_.next_ns(); }
  // Ahead of a sleep: the engine is to tell of room.
  void arm() {
    sending_.arm();
    control_.arm();
  }
  // In a process that was forked: nothing here is its own, and its end is nobody's.
  void forget() { forgotten_ = true; }
  // What finishes operations beside submit() and look() calls this after it.
  void begin_due() {
    while (Submission* op = order_.next_due()) {
      const std::array one{op};
      begin_run(one);
    }
  }

 private:
  static std::size_t chain_length(Run pending) {
    std::size_t n = 0;
    while (n + 1 < pending.size() && (pending[n]->flags & (kLink | kHardLink)) != 0) ++n;
    return n + 1;
  }
  // How many neighbours go into one call.
  static std::size_t run_length(Run pending) {
    const Submission& first = *pending.front();
    if (first.op_ != Op::kSend && first.op_ != Op::kPostRecv) return 1;
    std::size_t n = 1;
    while (n < pending.size() && pending[n]->op_ == first.op_ && pending[n]->end_ == first.end_ &&
           Order::is_plain(*pending[n])) {
      ++n;
    }
    return n;
  }

  // Sends are what there are most of.
  void begin_run(Run run) {
    if (run.front()->op_ == Op::kSend) [[likely]] {
      sending_.send(run);
    } else {
      begin_other(run);
    }
  }
  [[gnu::noinline]] void begin_other(Run run) {
    Submission& op = *run.front();
    switch (op.op_) {
      case Op::kSend:
        return sending_.send(run);
      case Op::kPostRecv:
        return receiving_.post(run);
      case Op::kPool:
        return receiving_.post_pool(op);
      case Op::kShow:
        return receiving_.view(op);
      case Op::kReserve:
      case Op::kCommit:
      case Op::kAbandon:
      case Op::kHandOver:
      case Op::kSendFile:
      case Op::kSendSocket:
      case Op::kDeliver:
        return sending_.begin(op);
      case Op::kRecvFile:
      case Op::kRecvSocket:
        return receiving_.post_to_store(op);
      case Op::kWriteFile:
      case Op::kWriteSocket:
        return storing_.write(op);
      case Op::kCtrlSend:
        return control_.send(op);
      case Op::kCtrlRecv:
        return control_.receive(op);
      case Op::kAccept:
        return accepting_.accept(op);
      case Op::kTimeout:
        op.state_ = State::kWaiting;
        return timers_.add(op, Kinds::now_ns());
      case Op::kCancel:
        return cancel(op);
      case Op::kNop:
        order_.finish(op, 0);
    }
  }

  // What is cached is read when the kernel is asked, and so it is worth another look.
  bool look_at_transfers() {
    bool did = false;
    while (transfers_.look([this](Transfer& t) { on_over(t); })) {
      did = true;
      // What it held up may go on.
      storing_.write_waiting();
      if (sending_.is_waiting()) sending_.look();
      begin_due();
    }
    return did;
  }
  void on_over(Transfer& t) {
    if (t.reads()) {
      sending_.on_fetched(*t.op);
    } else if (!storing_.finish(t)) {
      receiving_.on_stored(t);
    }
  }

  bool look_at_timers() {
    bool did = false;
    const std::uint64_t now = Kinds::now_ns();
    while (Submission* op = timers_.take_due(now)) {
      order_.finish(*op, -ETIME);
      did = true;
    }
    return did;
  }

  void cancel(Submission& op) {
    std::int64_t res = -ENOENT;
    for (Submission& target : queues_.operations()) {
      if (target.user_data != op.length_ || &target == &op || target.cancelled_) continue;
      if (target.state_ == State::kFree) continue;
      res = stop(target) ? 0 : -EALREADY;
      if (res == 0) break;
    }
    order_.finish(op, res);
  }
  // False: it runs, and only the other side can end it.
  bool stop(Submission& target) {
    if (target.state_ == State::kHeld) {
      target.cancelled_ = true;
      return true;
    }
    if (target.op_ == Op::kPool) return receiving_.cancel(target);
    if (target.op_ == Op::kShow) return receiving_.cancel_view(target);
    if (target.op_ == Op::kAccept) return accepting_.cancel(target);
    if (target.op_ == Op::kDeliver) return false;
    if (target.state_ != State::kWaiting) {
      return is_transfer(target) && target.state_ == State::kRunning && stop_transfer(target);
    }
    if (target.op_ == Op::kTimeout) {
      timers_.remove(target);
      order_.finish(target, -ECANCELED);
    } else if (target.op_ == Op::kCtrlSend || target.op_ == Op::kCtrlRecv) {
      control_.cancel(target);
    } else if (target.op_ == Op::kWriteFile || target.op_ == Op::kWriteSocket) {
      storing_.cancel(target);
    } else {
      sending_.cancel(target);
    }
    return true;
  }

  bool stop_transfer(Submission& target) {
    Transfer& t = transfers_.of(target);
    if (!storing_.take(t)) return transfers_.cancel(t);
    t.res = -ECANCELED;
    on_over(t);
    return true;
  }
  static bool is_transfer(const Submission& op) {
    return op.op_ >= Op::kSendFile && op.op_ <= Op::kWriteSocket;
  }

  Order order_;
  Queues& queues_;
  Timers timers_;
  Transfers<Kinds> transfers_;
  ControlPath<Kinds> control_;
  Accepting<Kinds> accepting_;
  Sending<Kinds> sending_;
  Storing<Kinds> storing_;
  Receiving<Kinds> receiving_;
  bool forgotten_ = false;
};

}  // namespace comch::uring
