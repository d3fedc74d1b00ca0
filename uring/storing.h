// Storing: bytes that go to a file or a socket: of messages that were posted for that, and of the
// caller's.
//
// What goes to one descriptor without an offset goes in order, one after the other.
//
// Threads: the ring's. Lifetime: the ring's. Errors: results of operations.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "ends.h"
#include "order.h"
#include "transfers.h"

namespace comch::uring {

template <class Kinds>
class Storing {
 public:
  using Op = Operation::Op;
  using State = Operation::State;

  Storing(Order& order, Transfers<Kinds>& transfers) : order_(order), transfers_(transfers) {}

  // A receive that is written to somewhere.
  static bool stores(const Operation& op) {
    return op.op == Op::kRecvFile || op.op == Op::kRecvSocket;
  }
  // It is about to be posted. 0, or why it cannot.
  std::int64_t prepare(Operation& op) {
    const std::int64_t res = check(op);
    if (res < 0) return res;
    return transfers_.take(Transfers<Kinds>::kWriting, op) != nullptr ? 0 : -ENOBUFS;
  }
  // Its message has come. True: there is nothing to write, and it is over.
  bool begin(Operation& op, const Received& received, std::span<std::byte> bytes) {
    Transfer& t = transfers_.of(op);
    t.received = received;
    std::ranges::copy(received.immediate, t.immediate.begin());
    t.received.immediate = std::span(t.immediate).first(received.immediate.size());
    if (op.op == Op::kRecvFile) t.offset = op.amount;
    start(t, op.op == Op::kRecvFile, bytes);
    return bytes.empty();
  }
  Transfer& of(const Operation& op) { return transfers_.of(op); }
  void release(Transfer& t) { transfers_.release(t); }
  void release(const Operation& op) { release(transfers_.of(op)); }

  // Bytes of the caller's.
  void write(Operation& op) {
    const std::int64_t res = check(op);
    if (res < 0 || op.amount == 0) {
      order_.finish(op, res);
      return;
    }
    op.state = State::kWaiting;
    waiting_.push_back(op);
    write_waiting();
  }
  // Something of the above is over; true: it was the caller's bytes.
  bool finish(Transfer& t) {
    Operation& op = *t.op;
    if (stores(op)) return false;
    const std::int64_t res = t.res;
    transfers_.release(t);
    order_.finish(op, res);
    return true;
  }
  // Whether something waits that may go on when a transfer is free, or over.
  bool is_waiting() const { return !waiting_.empty() || !behind_.empty(); }
  void write_waiting() {
    start_behind();
    while (Operation* op = waiting_.front()) {
      const int fd = static_cast<int>(op->handle);
      Transfer* const t = transfers_.take(Transfers<Kinds>::kWriting, *op);
      if (t == nullptr) return;
      std::ignore = waiting_.pop_front();
      op->state = State::kRunning;
      t->fd = fd;
      if (op->op == Op::kWriteFile) t->offset = op->at;
      // The kernel does not write to what it is to write from.
      start(*t, op->op == Op::kWriteFile, {const_cast<std::byte*>(op->what.bytes), op->amount});
    }
  }
  // Takes one out that is behind another; false: it is not.
  bool take(Transfer& wanted) {
    bool taken = false;
    TransferList left;
    while (Transfer* t = behind_.pop_front()) {
      if (t == &wanted) {
        taken = true;
      } else {
        left.push_back(*t);
      }
    }
    behind_ = left;
    return taken;
  }
  void cancel(Operation& op) {
    std::ignore = waiting_.take([&op](const Operation& o) { return &o == &op; });
    order_.finish(op, -ECANCELED);
  }

 private:
  std::int64_t check(const Operation& op) const {
    if (!transfers_.exist()) return -EOPNOTSUPP;
    const bool fixed_file = (op.flags & kFixedFile) != 0;
    return transfers_.is_open(static_cast<int>(op.handle), fixed_file) ? 0 : -EBADF;
  }
  void start(Transfer& t, bool file, std::span<std::byte> bytes) {
    t.call = file ? Transfer::Call::kWrite : Transfer::Call::kSend;
    t.bytes = bytes.data();
    t.length = bytes.size();
    if (bytes.empty()) return;
    behind_.push_back(t);
    start_behind();
  }
  // Those that are not behind another one of the same stream.
  void start_behind() {
    TransferList held;
    while (Transfer* t = behind_.pop_front()) {
      if (t->is_stream() && is_held(*t, held)) {
        held.push_back(*t);
      } else {
        transfers_.start(*t);
      }
    }
    behind_ = held;
  }
  bool is_held(const Transfer& t, const TransferList& held) const {
    for (const Transfer* other = held.front(); other != nullptr; other = other->next) {
      if (transfers_.is_of(*other, t.fd, t.fixed_file)) return true;
    }
    return transfers_.is_streaming(Transfers<Kinds>::kWriting, t.fd, t.fixed_file);
  }

  Order& order_;
  Transfers<Kinds>& transfers_;
  OpList waiting_;       // The caller's bytes, for a transfer.
  TransferList behind_;  // Others of their stream.
};

}  // namespace comch::uring
