// Order: which operation may begin, and how one ends: links, drains, and the completion.
//
//   order.admit(chain);                     // An operation, with what is linked to it.
//   while (Operation* op = order.next_due()) begin(*op);
//   order.finish(*op, res);                 // Sooner or later; more may be due now.
//
// Threads: the ring's. Lifetime: the ring's. Errors: none.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>

#include "comch/uring/queues.h"
#include "op_list.h"

namespace comch::uring {

class Order {
 public:
  explicit Order(Queues& queues) : queues_(queues) {}

  // Nothing is held back: an operation without links and drain may begin without admit().
  bool is_open() const { return !draining_ && deferred_.empty(); }
  static bool is_plain(const Operation& op) {
    return (op.flags & ~(kSkipSuccess | kFixedFile)) == 0;
  }
  // Some that begin, all of one kind, and last; so does one.
  std::span<Operation* const> keep(std::span<const Operation> prepared) {
    outstanding_ += static_cast<std::uint32_t>(prepared.size()) * is_counted(prepared.front());
    const std::span<Operation* const> kept = queues_.keep(prepared);
    if (age_ != 0) [[unlikely]]
      stamp(kept);
    return kept;
  }
  Operation& keep(const Operation& prepared) {
    outstanding_ += is_counted(prepared);
    Operation& kept = queues_.keep(prepared);
    if (age_ != 0) [[unlikely]]
      kept.age = age_;
    return kept;
  }
  // One that ends instead of beginning.
  void refuse(const Operation& prepared, std::int64_t res) {
    assert(res < 0);
    queues_.push(prepared.user_data, res);
  }

  // Operations that are linked, in order; most often one alone.
  void admit(std::span<Operation* const> chain);
  // The next one that is to begin now; null: none. One that was cancelled meanwhile is finished
  // here.
  Operation* next_due() {
    if (due_.empty()) [[likely]]
      return nullptr;
    return next_due_of_some();
  }

  // Whether it was submitted ahead of a cancel, which may have been held back since.
  static bool is_earlier(const Operation& op, const Operation& cancel) {
    return op.age <= cancel.age && &op != &cancel;
  }
  // The cancel is over but for its completion.
  void note_cancel(const Operation& cancel);

  // An end is gone: what is held back and names it ends, when its turn comes, and does not begin.
  void cancel_held(const void* end);

  // The operation is over. Answers its completion, for more to be put in.
  Completion& finish(Operation& op, std::int64_t res) {
    Completion* completion = &unseen_;
    if (res >= 0 && (op.flags & kSkipSuccess) != 0) {
      queues_.let_go(1);
    } else {
      completion = &queues_.push(op.user_data, res);
    }
    outstanding_ -= is_counted(op);
    if (op.chained != 0) [[unlikely]]
      follow(op, res);
    queues_.put_back(op);
    if (!is_open()) [[unlikely]]
      release();
    return *completion;
  }
  // Sends that are over with all of their bytes: finish() of each, at a third of the price.
  void finish_sent(std::span<Operation* const> run);
  // The same of one, or some, that nothing held back, and that need no place.
  void finish_sent(const Operation& prepared) {
    if ((prepared.flags & kSkipSuccess) != 0) return queues_.let_go(1);
    queues_.push(prepared.user_data, static_cast<std::int64_t>(prepared.amount));
  }
  void finish_sent(std::span<const Operation> prepared);
  // Not of a success that nobody wants to hear of.
  bool is_seen(const Completion& completion) const { return &completion != &unseen_; }

 private:
  // A multishot operation has no end of its own; who waited for it would wait for ever.
  static std::uint32_t is_counted(const Operation& op) {
    using enum Operation::Op;
    return op.op == kPool || op.op == kShow || op.op == kAccept ? 0 : 1;
  }
  Operation* chained_to(const Operation& op) {
    return op.chained == 0 ? nullptr : &queues_.operation(op.chained - 1);
  }
  Operation* next_due_of_some();
  bool drains(const Operation& head);
  void begin(Operation& head);
  void follow(const Operation& op, std::int64_t res);
  void release();
  void stamp(std::span<Operation* const> kept);

  Queues& queues_;
  OpList due_;
  OpList deferred_;                // Heads of chains that a drain holds back.
  std::uint32_t outstanding_ = 0;  // Begun, as chains, and not over.
  bool draining_ = false;          // One that drains has begun and is not over.
  std::uint16_t age_ = 0;          // Of what is submitted next; 0: no cancel is held back.
  Completion unseen_;              // Of successes that nobody wants to hear of.
};

}  // namespace comch::uring
