// Allowance: see allowance.h.
#include "transport/shm/allowance.h"

#include "os/open_files.h"

namespace comch::transport::shm {
namespace {

// What all peers have of it; never destroyed, for shares may outlive everything.
constinit std::atomic<std::uint64_t> addresses_of_all{0};
constinit std::atomic<std::uint64_t> descriptors_of_all{0};

}  // namespace

Allowance::Most Allowance::descriptors() {
  const std::uint64_t limit = os::open_files_max();
  return {.of_a_peer = limit / 4, .of_all = limit / 4 * 3};
}

Allowance Allowance::of_addresses() { return {addresses_of_all, kAddresses}; }
Allowance Allowance::of_descriptors() { return {descriptors_of_all, descriptors()}; }

bool Allowance::add(Sum& sum, std::uint64_t amount, std::uint64_t most) {
  std::uint64_t before = sum.load(std::memory_order_relaxed);  // No edges; see Sum.
  do {
    // The limit may have been a higher one when others took theirs.
    if (before > most || amount > most - before) return false;
  } while (!sum.compare_exchange_weak(before, before + amount, std::memory_order_relaxed));
  return true;
}

std::shared_ptr<const void> Allowance::take(std::uint64_t amount) {
  if (!add(*of_peer_, amount, most_.of_a_peer)) return nullptr;
  if (!add(all_, amount, most_.of_all)) {
    of_peer_->fetch_sub(amount, std::memory_order_relaxed);  // No edge; see Sum.
    return nullptr;
  }
  return {of_peer_.get(), [sum = of_peer_, &all = all_, amount](const void*) {
            sum->fetch_sub(amount, std::memory_order_relaxed);  // No edge; see Sum.
            all.fetch_sub(amount, std::memory_order_relaxed);   // No edge; see Sum.
          }};
}

}  // namespace comch::transport::shm
