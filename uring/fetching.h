// Fetching: sends whose bytes come from a file or a socket: reserves a posted buffer, has it
// filled, and commits it; or fills a copy and sends that, where the buffer is not mapped here.
//
//   Status s = fetching.begin(end, op);       // again, full: it waits in its line.
//   ...                                       // The transfer is over:
//   Status s = fetching.deliver(end, op);     // again: it waits.
//   fetching.release(op);
//
// Threads: the ring's. Lifetime: the ring's. Errors: the ends', as the operation's result.
#pragma once

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <tuple>

#include "ends.h"
#include "transfers.h"

namespace comch::uring {

template <class Kinds>
class Fetching {
 public:
  using End = DestinationOf<Kinds>;
  using Op = Operation::Op;

  explicit Fetching(Transfers<Kinds>& transfers) : transfers_(transfers) {}

  static bool begins(const Operation& op) {
    return op.op == Op::kSendFile || op.op == Op::kSendSocket;
  }

  // The file, if both sides may be asked to read this of it. Null: this side alone is.
  const ShownFile* shown(const Operation& op) const {
    const bool is_long = op.op == Op::kSendFile && op.amount >= kShared;
    const bool is_alone = (op.flags & Operation::kAlone) != 0 || op.what.number == kPosition;
    if (!is_long || is_alone) return nullptr;
    return transfers_.shown(static_cast<int>(op.handle), (op.flags & kFixedFile) != 0);
  }
  // Begun, it is as a long message. Errors: as Producer::send_file().
  Status share(End& end, const Operation& op, const ShownFile& file) {
    return end.producer.send_file(end.consumer, file, op.what.number, op.amount, op.immediate());
  }

  // again: nothing is posted. full: something of this side has to end first.
  Status begin(End& end, Operation& op) {
    const bool fixed_file = (op.flags & kFixedFile) != 0;
    const int fd = static_cast<int>(op.handle);
    if (!transfers_.exist()) return fail(Errc::not_supported);
    if (op.amount == 0) return fail(Errc::invalid_value);
    if (!transfers_.is_open(fd, fixed_file)) return fail(Errc::operating_system, "", EBADF);
    const bool stream = op.op == Op::kSendSocket || op.what.number == kPosition;
    if (stream && transfers_.is_streaming(Transfers<Kinds>::kReading, fd, fixed_file)) {
      return fail(Errc::full);
    }
    Transfer* const t = transfers_.take(Transfers<Kinds>::kReading, op);
    if (t == nullptr) return fail(Errc::full);
    if (Status s = make_room(end, op, *t); !s) {
      transfers_.release(*t);
      op.handle = static_cast<std::uint32_t>(fd);
      return s;
    }
    fill(op, *t);
    transfers_.start(*t);
    ++end.fetching;
    return {};
  }

  // Nothing to be sent is no error. The transfer is still the operation's.
  Status deliver(End& end, Operation& op) {
    Transfer& t = transfers_.of(op);
    if (t.res <= 0) return give_back(end, t);
    const auto length = static_cast<std::size_t>(t.res);
    const std::span<const std::byte> immediate = op.immediate();
    if (!t.lent) {
      const std::array one{Outgoing{.data = {t.bytes, length}, .immediate = immediate}};
      const auto sent = end.producer.send(end.consumer, one);
      return sent ? Status{} : std::unexpected(sent.error());
    }
    if (t.direct) {
      std::memcpy(t.loan.room.data(), t.bytes, length);
      t.bytes = t.loan.room.data();
      t.direct = false;
    }
    const Status s = end.producer.commit(t.loan, length, immediate);
    // A new success, and not a copy of that one: it was written in parts, behind stores to the
    // other side's lines, and a copy of the whole would wait for all of them.
    if (s) {
      t.lent = false;
      return {};
    }
    t.lent = s.error().code == Errc::again || s.error().code == Errc::invalid_value;
    // Of immediate data that is too long; the buffer is not to be lost.
    if (s.error().code == Errc::invalid_value) std::ignore = give_back(end, t);
    return s;
  }

  std::int64_t result(const Operation& op) { return transfers_.of(op).res; }
  // The operation is over.
  void release(End& end, const Operation& op) {
    Transfer& t = transfers_.of(op);
    if (t.lent) std::ignore = give_back(end, t);
    transfers_.release(t);
  }
  bool is_lent(const Operation& op) { return transfers_.of(op).lent; }
  // The ring ends, and the kernel is done: what was to be read into is free for the next send.
  void give_back_all() {
    transfers_.for_each_taken([](Transfer& t) {
      if (t.lent)
        std::ignore = give_back(*static_cast<End*>(static_cast<Destination*>(t.op->end)), t);
    });
  }

 private:
  // Below, asking for help takes longer than what it saves.
  static constexpr std::uint64_t kShared = std::uint64_t{1} << 18U;

  // In the posted buffer, where that is memory of this machine; else in memory that is copied.
  Status make_room(End& end, const Operation& op, Transfer& t) {
    const Status held = hold(end);
    if (!held && held.error().code == Errc::not_supported) return stage(op, t);
    if (!held) return held;
    const Result<Loan> loan = end.producer.reserve(end.consumer);
    if (!loan && loan.error().code == Errc::not_supported) return stage(op, t);
    if (!loan) return std::unexpected(loan.error());
    t.loan = *loan;
    t.lent = true;
    t.bytes = loan->room.data();
    if (op.amount <= loan->room.size()) return {};
    std::ignore = give_back(end, t);
    return fail(Errc::invalid_value);
  }
  static Status stage(const Operation& op, Transfer& t) {
    t.bytes = t.staging.reserve(op.amount);
    return t.bytes != nullptr ? Status{} : fail(Errc::no_memory);
  }
  // What the kernel writes to must not be unmapped under it when the consumer is lost.
  static Status hold(End& end) {
    if (end.memory.hold != nullptr) return {};
    Result<PeerMemory> memory = end.producer.memory(end.consumer);
    if (!memory) return std::unexpected(memory.error());
    end.memory = *std::move(memory);
    return {};
  }
  static void fill(const Operation& op, Transfer& t) {
    t.length = op.amount;
    if (op.op == Op::kSendFile) {
      t.call = Transfer::Call::kRead;
      t.offset = op.what.number;
    } else {
      t.call = Transfer::Call::kReceive;
      t.flags = static_cast<int>(op.what.number);
      t.all = (t.flags & kWaitAll) != 0;
    }
  }
  static Status give_back(End& end, Transfer& t) {
    if (!std::exchange(t.lent, false)) return {};
    // A consumer that is gone has its buffers back already.
    const Status s = end.producer.abandon(t.loan);
    t.lent = !s && s.error().code == Errc::again;
    return t.lent ? s : Status{};
  }
  static constexpr int kWaitAll = 0x100;  // MSG_WAITALL

  Transfers<Kinds>& transfers_;
};

}  // namespace comch::uring
