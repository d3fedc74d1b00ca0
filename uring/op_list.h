// OpList: operations in a line, first come first served.
//
// Threads: the ring's. Lifetime: the operations are the ring's; each is in one list at most.
// Errors: none.
#pragma once

#include "comch/uring/operation.h"

namespace comch::uring {

class OpList {
 public:
  bool empty() const { return first_ == nullptr; }
  Operation* front() const { return first_; }
  void push_back(Operation& op) {
    op.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &op;
    last_ = &op;
  }
  void push_front(Operation& op) {
    op.next = first_;
    if (first_ == nullptr) last_ = &op;
    first_ = &op;
  }
  Operation* pop_front() {
    Operation* const op = first_;
    if (op != nullptr) first_ = op->next;
    return op;
  }
  // Takes the operations up to this one out.
  void drop_through(const Operation& op) { first_ = op.next; }
  // The one behind this one; null: it is the last.
  static Operation* after(const Operation& op) { return op.next; }
  // Takes the first operation out for which `wanted` is true; null: there is none.
  template <class Wanted>
  Operation* take(Wanted&& wanted) {
    Operation* before = nullptr;
    for (Operation* op = first_; op != nullptr; before = op, op = op->next) {
      if (!wanted(*op)) continue;
      (before == nullptr ? first_ : before->next) = op->next;
      if (last_ == op) last_ = before;
      return op;
    }
    return nullptr;
  }

 private:
  Operation* first_ = nullptr;
  Operation* last_ = nullptr;  // Means something while there is a first one.
};

}  // namespace comch::uring
