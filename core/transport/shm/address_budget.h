// AddressBudget: how much of this process's address space a peer fills with memory that it shows.
//
//   auto share = budget.take(size);
//   if (!share) return fail(Errc::no_memory, ...);
//   ...                                          // Given back with the last copy.
//
// A memfd that nobody has touched costs its maker nothing, whatever its size; mapped, it costs the
// addresses that everything else here needs. A few of 2^46 bytes, and no allocation succeeds.
//
// Threads: any. Lifetime: shares may outlive the budget. Errors: null.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace comch::transport::shm {

class AddressBudget {
 public:
  // Picked: far above what anybody shows, and together a quarter of 47 bits.
  static constexpr std::uint64_t kOfAPeer = std::uint64_t{1} << 42U;
  static constexpr std::uint64_t kOfAll = std::uint64_t{1} << 45U;

  // Null: the peer has its share, or all together have theirs.
  std::shared_ptr<const void> take(std::uint64_t bytes);

 private:
  // No edges: a bound, and nothing is published with it.
  using Sum = std::atomic<std::uint64_t>;
  static bool add(Sum& sum, std::uint64_t bytes, std::uint64_t most);
  static Sum& of_all();

  const std::shared_ptr<Sum> of_peer_ = std::make_shared<Sum>(0);
};

}  // namespace comch::transport::shm
