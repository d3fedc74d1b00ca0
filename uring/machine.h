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

#include <algorithm>
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
  using Op = Operation::Op;
  using State = Operation::State;
  using Prepared = std::span<const Operation>;
  using Run = std::span<Operation* const>;

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
    const Prepared prepared = queues_.take_prepared();
    // Nothing below comes back to get(): what is begun here calls nobody.
    begin(prepared);
    return static_cast<std::uint32_t>(prepared.size());
  }
  // The same of one send of the usual sort that is prepared by itself. False: nothing was done.
  bool submit_one() {
    const Prepared prepared = queues_.prepared();
    if (prepared.size() != 1 || !order_.is_open() || !sending_.send_one(prepared[0])) return false;
    order_.finish_sent(queues_.take_prepared().front());
    receiving_.note_sent();
    return true;
  }

  // Past `count` completions, some of which are of multishot operations.
  void advance(std::uint32_t count) {
    receiving_.advance(count, [this](const Completion& c) { accepting_.advance(c); });
    begin_due();
  }

  // Messages last: what is answered does not wait for what else there is to be asked. True:
  // something was done.
  [[gnu::always_inline]] bool look() {
    const bool others = has_others() && look_at_others();
    const bool did = receiving_.look() || others;
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
  // Whether an operation that is not over names a registered file.
  bool names_file(int number) {
    return transfers_.is_named(number) ||
           std::ranges::any_of(queues_.operations(), [number](const Operation& op) {
             const bool begun = op.state == State::kFree || op.state == State::kRunning;
             // kDeliver has a transfer.
             const bool names = op.op == Op::kReadByBoth
                                    ? op.state == State::kRunning
                                    : !begun && is_transfer(op) && op.op != Op::kDeliver;
             return names && (op.flags & kFixedFile) != 0 && static_cast<int>(op.handle) == number;
           });
  }
  // In a process that was forked: nothing here is its own, and its end is nobody's.
  void forget() { forgotten_ = true; }
  // What finishes operations beside submit() and look() calls this after it.
  void begin_due() {
    while (Operation* op = order_.next_due()) begin_one(*op);
  }

 private:
  static std::size_t chain_length(Prepared prepared) {
    std::size_t n = 0;
    while (n + 1 < prepared.size() && (prepared[n].flags & (kLink | kHardLink)) != 0) ++n;
    return n + 1;
  }
  // How many of a sort go into one call: neighbours that nothing holds back.
  static std::size_t run_of(Op op, Prepared prepared) {
    const void* const end = prepared.front().end;
    std::size_t n = 0;
    while (n < prepared.size() && prepared[n].op == op && prepared[n].end == end &&
           Order::is_plain(prepared[n])) {
      ++n;
    }
    return n;
  }

  // Each of the following is apart, so that messages find few registers to save.

  [[gnu::noinline]] void begin(Prepared rest) {
    while (!rest.empty()) {
      std::size_t begun = order_.is_open() ? sending_.send_front(rest) : 0;
      if (begun == 0) [[unlikely]]
        begun = begin_front(rest);
      rest = rest.subspan(begun);
    }
    if (transfers_.is_waiting()) [[unlikely]]
      look_at_transfers();
  }
  // Whatever is no run of sends that may begin; answers how many that is.
  [[gnu::noinline]] std::size_t begin_front(Prepared rest) {
    const bool is_free = order_.is_open() && Order::is_plain(rest.front());
    const std::size_t begun = is_free ? begin_free(rest) : begin_chain(rest);
    begin_due();
    return begun;
  }
  // It waits for nothing, and nothing waits for it: no line is needed.
  std::size_t begin_free(Prepared rest) {
    const Op op = rest.front().op;
    const bool in_runs = op == Op::kSendFile || op == Op::kPostRecv;
    const std::size_t count = in_runs ? run_of(op, rest) : 1;
    if (op == Op::kPostRecv) {
      receiving_.post(order_.keep(rest.first(count)));
    } else if (count > 1) {
      sending_.fetch(order_.keep(rest.first(count)));
    } else {
      begin_one(order_.keep(rest.front()));
    }
    return count;
  }
  std::size_t begin_chain(Prepared rest) {
    const std::size_t chain = chain_length(rest);
    order_.admit(queues_.keep(rest.first(chain)));
    return chain;
  }
  bool has_others() const {
    return storing_.is_waiting() || transfers_.is_waiting() || sending_.is_waiting() ||
           control_.is_stalled() || !timers_.empty();
  }
  [[gnu::noinline]] bool look_at_others() {
    bool did = false;
    if (storing_.is_waiting()) storing_.write_waiting();
    if (transfers_.is_waiting()) did = look_at_transfers();
    if (sending_.is_waiting()) did = sending_.look() || did;
    if (control_.is_stalled()) did = control_.look() || did;
    if (!timers_.empty()) did = look_at_timers() || did;
    begin_due();
    return did;
  }
  [[gnu::noinline]] void begin_one(Operation& op) {
    const std::array one{&op};
    switch (op.op) {
      case Op::kSend:
        return sending_.send(op);
      case Op::kPostRecv:
        return receiving_.post(one);
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
        op.state = State::kWaiting;
        return timers_.add(op, Kinds::now_ns());
      case Op::kCancel:
        return cancel(op);
      case Op::kReadByBoth:  // That has begun.
      case Op::kNop:
        order_.finish(op, 0);
    }
  }

  // What is cached is read when the kernel is asked, and so it is worth another look.
  bool look_at_transfers() {
    bool did = false;
    while (transfers_.look([this](Transfer& t) { on_over(t); })) {
      did = true;
      sending_.deliver_gathered();
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
    while (Operation* op = timers_.take_due(now)) {
      order_.finish(*op, -ETIME);
      did = true;
    }
    return did;
  }

  void cancel(Operation& op) {
    std::int64_t res = -ENOENT;
    for (Operation& target : queues_.operations()) {
      if (target.user_data != op.amount || target.cancelled) continue;
      if (target.state == State::kFree || !Order::is_earlier(target, op)) continue;
      res = stop(target) ? 0 : -EALREADY;
      if (res == 0) break;
    }
    order_.note_cancel(op);
    order_.finish(op, res);
  }
  // False: it runs, and only the other side can end it.
  bool stop(Operation& target) {
    if (target.state == State::kHeld) {
      target.cancelled = true;
      return true;
    }
    if (target.op == Op::kPool) return receiving_.cancel(target);
    if (target.op == Op::kShow) return receiving_.cancel_view(target);
    if (target.op == Op::kAccept) return accepting_.cancel(target);
    if (target.op == Op::kDeliver) return false;
    if (target.state != State::kWaiting) {
      return is_transfer(target) && target.state == State::kRunning && stop_transfer(target);
    }
    if (target.op == Op::kTimeout) {
      timers_.remove(target);
      order_.finish(target, -ECANCELED);
    } else if (target.op == Op::kCtrlSend || target.op == Op::kCtrlRecv) {
      control_.cancel(target);
    } else if (target.op == Op::kWriteFile || target.op == Op::kWriteSocket) {
      storing_.cancel(target);
    } else {
      sending_.cancel(target);
    }
    return true;
  }

  bool stop_transfer(Operation& target) {
    Transfer& t = transfers_.of(target);
    if (!storing_.take(t)) return transfers_.cancel(t);
    t.res = -ECANCELED;
    on_over(t);
    return true;
  }
  static bool is_transfer(const Operation& op) {
    return op.op >= Op::kSendFile && op.op <= Op::kWriteSocket;
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
