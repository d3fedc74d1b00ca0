// Order: see order.h.
#include "order.h"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace comch::uring {

void Order::admit(std::span<Operation* const> chain) {
  for (std::size_t n = 0; n < chain.size(); ++n) {
    chain[n]->state = Operation::State::kHeld;
    chain[n]->chained = n + 1 < chain.size() ? queues_.index(*chain[n + 1]) + 1 : 0;
  }
  stamp(chain);
  deferred_.push_back(*chain.front());
  release();
}

// Of more cancels at a time than can be counted the last ones are taken for one.
void Order::stamp(std::span<Operation* const> kept) {
  for (Operation* op : kept) {
    op->age = age_;
    const bool is_held_cancel =
        op->op == Operation::Op::kCancel && op->state == Operation::State::kHeld;
    if (is_held_cancel && age_ != std::numeric_limits<std::uint16_t>::max()) ++age_;
  }
}

// When none is held back any more, all that is there was submitted ahead of the next one.
void Order::note_cancel(const Operation& cancel) {
  if (age_ == 0) return;
  const auto is_held = [&cancel](const Operation& op) {
    return op.op == Operation::Op::kCancel && op.state == Operation::State::kHeld && &op != &cancel;
  };
  if (std::ranges::any_of(queues_.operations(), is_held)) return;
  for (Operation& op : queues_.operations()) op.age = 0;
  age_ = 0;
}

void Order::finish_sent(std::span<Operation* const> run) {
  std::uint32_t unseen = 0;
  {
    Queues::Pushing pushing(queues_);
    for (Operation* op : run) {
      if ((op->flags & kSkipSuccess) == 0) {
        pushing.push(op->user_data, static_cast<std::int64_t>(op->amount));
      } else {
        ++unseen;
      }
      if (op->chained != 0) [[unlikely]] {
        due_.push_back(*chained_to(*op));
        op->chained = 0;
      }
      op->state = Operation::State::kFree;
    }
  }
  queues_.let_go(unseen);
  outstanding_ -= static_cast<std::uint32_t>(run.size());
  queues_.put_back(run);
  if (!is_open()) [[unlikely]]
    release();
}

void Order::finish_sent(std::span<const Operation> prepared) {
  std::uint32_t unseen = 0;
  {
    Queues::Pushing pushing(queues_);
    for (const Operation& op : prepared) {
      if ((op.flags & kSkipSuccess) == 0) {
        pushing.push(op.user_data, static_cast<std::int64_t>(op.amount));
      } else {
        ++unseen;
      }
    }
  }
  queues_.let_go(unseen);
}

Operation* Order::next_due_of_some() {
  while (Operation* op = due_.pop_front()) {
    if (!op->cancelled) return op;
    finish(*op, -ECANCELED);
  }
  return nullptr;
}

void Order::cancel_held(const void* end) {
  for (Operation& op : queues_.operations()) {
    // A nop that get() has answered still names what was prepared in its place before.
    if (op.state != Operation::State::kHeld || op.op == Operation::Op::kNop) continue;
    if (op.end == end) op.cancelled = true;
  }
}

bool Order::drains(const Operation& head) {
  for (const Operation* op = &head; op != nullptr; op = chained_to(*op)) {
    if ((op->flags & kDrain) != 0) return true;
  }
  return false;
}

void Order::begin(Operation& head) {
  for (const Operation* op = &head; op != nullptr; op = chained_to(*op)) {
    outstanding_ += is_counted(*op);
  }
  due_.push_back(head);
}

// What a drain held back begins in order, up to the next drain.
void Order::release() {
  if (draining_ && outstanding_ != 0) return;
  draining_ = false;
  while (Operation* head = deferred_.front()) {
    const bool drain = drains(*head);
    if (drain && outstanding_ != 0) return;
    deferred_.pop_front();
    begin(*head);
    if (drain && outstanding_ != 0) {
      draining_ = true;
      return;
    }
  }
}

void Order::follow(const Operation& op, std::int64_t res) {
  Operation* next = chained_to(op);
  if (res >= 0 || (op.flags & kHardLink) != 0) return due_.push_back(*next);
  while (next != nullptr) {
    Operation* const after = chained_to(*next);
    queues_.push(next->user_data, -ECANCELED);
    outstanding_ -= is_counted(*next);
    queues_.put_back(*next);
    next = after;
  }
}

}  // namespace comch::uring
