// Timers: see timers.h.
#include "timers.h"

#include <algorithm>
#include <limits>

namespace comch::uring {

void Timers::add(Operation& op, std::uint64_t now_ns) {
  const std::uint64_t longest = std::numeric_limits<std::uint64_t>::max() - now_ns;
  heap_.push_back({now_ns + std::min(op.amount, longest), number_++, &op});
  std::push_heap(heap_.begin(), heap_.end());
}

Operation* Timers::take_due(std::uint64_t now_ns) {
  if (heap_.empty() || heap_.front().due_ns > now_ns) return nullptr;
  std::pop_heap(heap_.begin(), heap_.end());
  Operation* const op = heap_.back().op;
  heap_.pop_back();
  return op;
}

std::optional<std::uint64_t> Timers::next_ns() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().due_ns;
}

void Timers::remove(const Operation& op) {
  std::erase_if(heap_, [&op](const Timer& timer) { return timer.op == &op; });
  std::make_heap(heap_.begin(), heap_.end());
}

}  // namespace comch::uring
