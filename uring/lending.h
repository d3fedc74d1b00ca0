// Lending: loans of posted buffers to this side, and buffers of this side that are handed over.
//
// Each call begins an operation, or answers why it does not: `again` clears, and anything else is
// its result.
//
// Threads: the ring's. Lifetime: the ring's. Errors: those of the producer.
#pragma once

#include <cstdint>

#include "ends.h"
#include "order.h"

namespace comch::uring {

template <class Kinds>
class Lending {
 public:
  using End = DestinationOf<Kinds>;

  explicit Lending(Order& order) : order_(order) {}

  Status reserve(End& end, Operation& op) {
    const Result<Loan> loan = end.producer.reserve(end.consumer);
    if (!loan) return std::unexpected(loan.error());
    Completion& completion = order_.finish(op, static_cast<std::int64_t>(loan->room.size()));
    completion.bytes = loan->room.data();
    completion.size = loan->room.size();
    completion.handle = loan->handle;
    return {};
  }
  // By a message, or by none.
  Status end_loan(End& end, Operation& op) {
    const Loan loan{.room = {}, .consumer = end.consumer, .handle = op.handle};
    const bool commits = op.op == Operation::Op::kCommit;
    const Status s =
        commits ? end.producer.commit(loan, op.amount, op.immediate()) : end.producer.abandon(loan);
    if (s) order_.finish(op, commits ? static_cast<std::int64_t>(op.amount) : 0);
    return s;
  }
  Status hand_over(End& end, Operation& op) {
    const Status s = end.producer.hand_over(end.consumer, *op.what.buffer, op.immediate());
    if (!s) return s;
    op.state = Operation::State::kRunning;
    end.handed_over.push_back(op);
    return {};
  }
  // Whose buffer has come back; null: nobody's of this destination.
  Operation* take_returned(End& end, const Buffer& buffer) {
    return end.handed_over.take(
        [&buffer](const Operation& op) { return op.what.buffer == &buffer; });
  }

 private:
  Order& order_;
};

}  // namespace comch::uring
