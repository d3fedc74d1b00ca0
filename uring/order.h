// Order: which operation may begin, and how one ends: links, drains, and the completion.
//
//   order.admit(chain);                     // An operation, with what is linked to it.
//   while (Submission* op = order.next_due()) begin(*op);
//   order.finish(*op, res);                 // Sooner or later; more may be due now.
//
// Threads: the ring's. Lifetime: the ring's. Errors: none.
#pragma once

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
  static bool is_plain(const Submission& op) {
    return (op.flags & ~(kSkipSuccess | kFixedFile)) == 0;
  }
  // All of one kind.
  void begin_plain(std::span<Submission* const> run) {
    outstanding_ += static_cast<std::uint32_t>(run.size()) * is_counted(*run.front());
  }

  // Operations that are linked, in order; most often one alone.
  void admit(std::span<Submission* const> chain);
  // The next one that is to begin now; null: none. One that was cancelled meanwhile is finished
  // here.
  Submission* next_due() { return due_.empty() ? nullptr : next_due_of_some(); }

  // The operation is over. Answers its completion, for more to be put in.
  Completion& finish(Submission& op, std::int64_t res) {
    Completion* completion = &unseen_;
    if (res >= 0 && (op.flags & kSkipSuccess) != 0) {
      queues_.let_go(1);
    } else {
      completion = &queues_.push(op.user_data, res);
    }
    outstanding_ -= is_counted(op);
    if (op.chained_ != 0) [[unlikely]]
      follow(op, res);
    queues_.put_back(op);
    if (!is_open()) [[unlikely]]
      release();
    return *completion;
  }
  // Sends that are over with all of their bytes: finish() of each, at a third of the price.
  void finish_sent(std::span<Submission* const> run);
  // Not of a success that nobody wants to hear of.
  bool is_seen(const Completion& completion) const { return &completion != &unseen_; }

 private:
  // A multishot operation has no end of its own; who waited for it would wait for ever.
  static std::uint32_t is_counted(const Submission& op) {
    using enum Submission::Op;
    return op.op_ == kPool || op.op_ == kShow || op.op_ == kAccept ? 0 : 1;
  }
  Submission* chained_to(const Submission& op) {
    return op.chained_ == 0 ? nullptr : &queues_.operation(op.chained_ - 1);
  }
  Submission* next_due_of_some();
  bool drains(const Submission& head);
  void begin(Submission& head);
  void follow(const Submission& op, std::int64_t res);
  void release();

  Queues& queues_;
  OpList due_;
  OpList deferred_;                // Heads of chains that a drain holds back.
  std::uint32_t outstanding_ = 0;  // Begun, as chains, and not over.
  bool draining_ = false;          // One that drains has begun and is not over.
  Completion unseen_;              // Of successes that nobody wants to hear of.
};

}  // namespace comch::uring
