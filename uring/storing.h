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
  using Op = Submission::Op;
  using State = Submission::State;

  Storing(Order& order, Transfers<Kinds>& transfers) : order_(order), transfers_(transfers) {}

  // A receive that is written to somewhere.
  static bool stores(const Submission& op) {
    return op.op_ == Op::kRecvFile || op.op_ == Op::kRecvSocket;
  }
  // It is about to be posted. 0, or why it cannot.
  std::int64_t prepare(Submission& op) {
    const std::int64_t res = check(op);
    if (res < 0) return res;
    return transfers_.take(Transfers<Kinds>::kWriting, op) != nullptr ? 0 : -ENOBUFS;
  }
  // Its message has come. True: there is nothing to write, and it is over.
  bool begin(Submission& op, const Received& received, std::span<std::byte> bytes) {
    Transfer& t = transfers_.of(op);
    t.received = received;
    std::ranges::copy(received.immediate, t.immediate.begin());
    t.received.immediate = std::span(t.immediate).first(received.immediate.size());
    if (op.op_ == Op::kRecvFile) t.offset = op.length_;
    start(t, op.op_ == Op::kRecvFile, bytes);
    return bytes.empty();
  }
  Transfer& of(const Submission& op) { return transfers_.of(op); }
  void release(Transfer& t) { transfers_.release(t); }
  void release(const Submission& op) { release(transfers_.of(op)); }

  // Bytes of the caller's.
  void write(Submission& op) {
    const std::int64_t res = check(op);
    if (res < 0 || op.length_ == 0) {
      order_.finish(op, res);
      return;
    }
    op.state_ = State::kWaiting;
    waiting_.push_back(op);
    write_waiting();
  }
  // Something of the above is over; true: it was the caller's bytes.
  bool finish(Transfer& t) {
    Submission& op = *t.op;
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
    while (Submission* op = waiting_.front()) {
      const int fd = static_cast<int>(op->handle_);
      Transfer* const t = transfers_.take(Transfers<Kinds>::kWriting, *op);
      if (t == nullptr) return;
      std::ignore = waiting_.pop_front();
      op->state_ = State::kRunning;
      t->fd = fd;
      if (op->op_ == Op::kWriteFile) t->offset = op->offset_;
      // The kernel does not write to what it is to write from.
      start(*t, op->op_ == Op::kWriteFile, {const_cast<std::byte*>(op->data_.bytes), op->length_});
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
  void cancel(Submission& op) {
    std::ignore = waiting_.take([&op](const Submission& o) { return &o == &op; });
    order_.finish(op, -ECANCELED);
  }

 private:
  std::int64_t check(const Submission& op) const {
    if (!transfers_.exist()) return -EOPNOTSUPP;
    const bool fixed_file = (op.flags & kFixedFile) != 0;
    return transfers_.is_open(static_cast<int>(op.handle_), fixed_file) ? 0 : -EBADF;
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
      if (other->fd == t.fd && other->fixed_file == t.fixed_file) return true;
    }
    return transfers_.is_streaming(Transfers<Kinds>::kWriting, t.fd, t.fixed_file);
  }

  Order& order_;
  Transfers<Kinds>& transfers_;
  OpList waiting_;       // The caller's bytes, for a transfer.
  TransferList behind_;  // Others of their stream.
};

}  // namespace comch::uring
