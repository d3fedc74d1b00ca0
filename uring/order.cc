// Order: see order.h.
#include "order.h"

#include <cerrno>

namespace comch::uring {

void Order::admit(std::span<Submission* const> chain) {
  for (std::size_t n = 0; n < chain.size(); ++n) {
    chain[n]->state_ = Submission::State::kHeld;
    chain[n]->chained_ = n + 1 < chain.size() ? queues_.index(*chain[n + 1]) + 1 : 0;
  }
  deferred_.push_back(*chain.front());
  release();
}

void Order::finish_sent(std::span<Submission* const> run) {
  std::uint32_t unseen = 0;
  {
    Queues::Pushing pushing(queues_);
    for (Submission* op : run) {
      if ((op->flags & kSkipSuccess) == 0) {
        Completion& completion = pushing.next();
        completion = Completion();
        completion.user_data = op->user_data;
        completion.res = static_cast<std::int64_t>(op->length_);
      } else {
        ++unseen;
      }
      if (op->chained_ != 0) [[unlikely]] {
        due_.push_back(*chained_to(*op));
        op->chained_ = 0;
      }
      op->state_ = Submission::State::kFree;
    }
  }
  queues_.let_go(unseen);
  outstanding_ -= static_cast<std::uint32_t>(run.size());
  queues_.put_back(run);
  if (!is_open()) [[unlikely]]
    release();
}

Submission* Order::next_due_of_some() {
  while (Submission* op = due_.pop_front()) {
    if (!op->cancelled_) return op;
    finish(*op, -ECANCELED);
  }
  return nullptr;
}

bool Order::drains(const Submission& head) {
  for (const Submission* op = &head; op != nullptr; op = chained_to(*op)) {
    if ((op->flags & kDrain) != 0) return true;
  }
  return false;
}

void Order::begin(Submission& head) {
  for (const Submission* op = &head; op != nullptr; op = chained_to(*op)) {
    outstanding_ += is_counted(*op);
  }
  due_.push_back(head);
}

// What a drain held back begins in order, up to the next drain.
void Order::release() {
  if (draining_ && outstanding_ != 0) return;
  draining_ = false;
  while (Submission* head = deferred_.front()) {
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

void Order::follow(const Submission& op, std::int64_t res) {
  Submission* next = chained_to(op);
  if (res >= 0 || (op.flags & kHardLink) != 0) return due_.push_back(*next);
  while (next != nullptr) {
    Submission* const after = chained_to(*next);
    queues_.push(next->user_data, -ECANCELED);
    outstanding_ -= is_counted(*next);
    queues_.put_back(*next);
    next = after;
  }
}

}  // namespace comch::uring
