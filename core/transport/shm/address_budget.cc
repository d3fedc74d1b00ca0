// AddressBudget: see address_budget.h.
#include "transport/shm/address_budget.h"

namespace comch::transport::shm {

AddressBudget::Sum& AddressBudget::of_all() {
  static Sum sum{0};
  return sum;
}

bool AddressBudget::add(Sum& sum, std::uint64_t bytes, std::uint64_t most) {
  std::uint64_t before = sum.load(std::memory_order_relaxed);  // No edges; see Sum.
  do {
    if (bytes > most - before) return false;
  } while (!sum.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
  return true;
}

std::shared_ptr<const void> AddressBudget::take(std::uint64_t bytes) {
  if (!add(*of_peer_, bytes, kOfAPeer)) return nullptr;
  if (!add(of_all(), bytes, kOfAll)) {
    of_peer_->fetch_sub(bytes, std::memory_order_relaxed);  // No edge; see Sum.
    return nullptr;
  }
  return {of_peer_.get(), [sum = of_peer_, bytes](const void*) {
            sum->fetch_sub(bytes, std::memory_order_relaxed);      // No edge; see Sum.
            of_all().fetch_sub(bytes, std::memory_order_relaxed);  // No edge; see Sum.
          }};
}

}  // namespace comch::transport::shm
