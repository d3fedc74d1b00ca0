// OpList: operations in a line, first come first served.
//
// Threads: the ring's. Lifetime: the operations are the ring's; each is in one list at most.
// Errors: none.
#pragma once

#include "comch/uring/submission.h"

namespace comch::uring {

class OpList {
 public:
  bool empty() const { return first_ == nullptr; }
  Submission* front() const { return first_; }
  void push_back(Submission& op) {
    op.next_ = nullptr;
    (first_ == nullptr ? first_ : last_->next_) = &op;
    last_ = &op;
  }
  void push_front(Submission& op) {
    op.next_ = first_;
    if (first_ == nullptr) last_ = &op;
    first_ = &op;
  }
  Submission* pop_front() {
    Submission* const op = first_;
    if (op != nullptr) first_ = op->next_;
    return op;
  }
  // Takes the operations up to this one out.
  void drop_through(const Submission& op) { first_ = op.next_; }
  // The one behind this one; null: it is the last.
  static Submission* after(const Submission& op) { return op.next_; }
  // Takes the first operation out for which `wanted` is true; null: there is none.
  template <class Wanted>
  Submission* take(Wanted&& wanted) {
    Submission* before = nullptr;
    for (Submission* op = first_; op != nullptr; before = op, op = op->next_) {
      if (!wanted(*op)) continue;
      (before == nullptr ? first_ : before->next_) = op->next_;
      if (last_ == op) last_ = before;
      return op;
    }
    return nullptr;
  }

 private:
  Submission* first_ = nullptr;
  Submission* last_ = nullptr;  // Means something while there is a first one.
};

}  // namespace comch::uring
