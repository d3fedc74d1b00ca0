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

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <tuple>

#include "batch.h"
#include "ends.h"
#include "transfers.h"

namespace comch::uring {

template <class Kinds>
class Fetching {
 public:
  using End = DestinationOf<Kinds>;
  using Op = Operation::Op;
  using Run = std::span<Operation* const>;

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

  // As many of the run as begin at once and are usual: files from an offset on, for a consumer
  // whose memory is held already. The first of the others is for begin().
  std::size_t begin_some(End& end, Run run) {
    run = run.first(std::min<std::size_t>(run.size(), Producer::kMaxLoans));
    run = run.first(static_cast<std::size_t>(
        std::ranges::find_if_not(run, [&](const Operation* op) { return is_usual(*op); }) -
        run.begin()));
    if (end.memory.hold == nullptr || run.empty()) return 0;
    std::array<Loan, Producer::kMaxLoans> loans;
    const auto lent = end.producer.reserve(end.consumer, std::span(loans).first(run.size()));
    if (!lent) return 0;
    std::size_t begun = 0;
    while (begun != *lent && begin_lent(*run[begun], loans[begun])) ++begun;
    end.fetching += static_cast<std::uint32_t>(begun);
    // The last first, so that they are lent in the same order again.
    for (std::size_t n = *lent; n != begun; --n) std::ignore = end.producer.abandon(loans[n - 1]);
    return begun;
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

  // What is where it is to be sent from, in a loan.
  bool is_filled(const Operation& op) {
    const Transfer& t = transfers_.of(op);
    return t.lent && t.res > 0 && !t.direct;
  }
  // The same of some that are, with no copy to be made; answers how many are sent, the first ones.
  std::size_t deliver_some(End& end, Run run) {
    std::array<FilledLoan, kBatch> filled;
    for (std::size_t n = 0; n < run.size(); ++n) {
      const Transfer& t = transfers_.of(*run[n]);
      filled[n] = {.loan = t.loan,
                   .length = static_cast<std::size_t>(t.res),
                   .immediate = run[n]->immediate()};
    }
    const auto sent = end.producer.commit(std::span<const FilledLoan>(filled).first(run.size()));
    for (Operation* op : run.first(sent.value_or(0))) {
      Transfer& t = transfers_.of(*op);
      op->amount = static_cast<std::uint64_t>(t.res);
      t.lent = false;
      transfers_.release(t);
    }
    return sent.value_or(0);
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

  bool is_usual(const Operation& op) const {
    return op.op == Op::kSendFile && op.amount != 0 && op.what.number != kPosition &&
           transfers_.is_open(static_cast<int>(op.handle), (op.flags & kFixedFile) != 0) &&
           shown(op) == nullptr;
  }
  bool begin_lent(Operation& op, const Loan& loan) {
    if (op.amount > loan.room.size()) return false;
    Transfer* const t = transfers_.take(Transfers<Kinds>::kReading, op);
    if (t == nullptr) return false;
    lend(loan, *t);
    fill(op, *t);
    op.state = Operation::State::kRunning;
    transfers_.start(*t);
    return true;
  }
  // In the posted buffer, where that is memory of this machine; else in memory that is copied.
  Status make_room(End& end, const Operation& op, Transfer& t) {
    const Status held = hold(end);
    if (!held && held.error().code == Errc::not_supported) return stage(op, t);
    if (!held) return held;
    const Result<Loan> loan = end.producer.reserve(end.consumer);
    if (!loan && loan.error().code == Errc::not_supported) return stage(op, t);
    if (!loan) return std::unexpected(loan.error());
    lend(*loan, t);
    if (op.amount <= loan->room.size()) return {};
    std::ignore = give_back(end, t);
    return fail(Errc::invalid_value);
  }
  static void lend(const Loan& loan, Transfer& t) {
    t.loan = loan;
    t.lent = true;
    t.bytes = loan.room.data();
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
