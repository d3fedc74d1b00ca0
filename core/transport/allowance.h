// Allowance: how much of something that this process has only so much of a peer may take by what it
// shows or asks for: of the address space and of the number of mappings, by memory that is mapped
// here; of descriptors, by the sockets or queue pairs of its consumers and lanes, and by its memory
// where that is read by its descriptor; of pinned memory, by what a device works with. A peer is
// one connection; another user's connections have a bound of their own together, so that no user
// has what is there for all.
//
//   auto share = allowances.descriptors.take(1);
//   if (!share) return fail(Errc::full, ...);
//   ...                                          // Given back with the last copy.
//
// A memfd that nobody has touched costs its maker nothing, whatever its size; mapped, it costs the
// addresses that everything else here needs. A few of 2^46 bytes, and no allocation succeeds; nor
// does one once there are as many mappings, however small, as the kernel lets a process have. A
// socket costs its maker nothing either, once it is sent: by a thousand of them one peer would have
// all that `ulimit -n` usually gives, and nobody else could connect.
//
// Threads: any. Lifetime: shares may outlive the allowance. Errors: null.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace comch::transport {

class Allowance {
 public:
  struct Most {
    std::uint64_t of_a_peer;
    std::uint64_t of_a_user;
    std::uint64_t of_all;
  };
  // Picked: far above what anybody shows, and together a quarter of 47 bits.
  static constexpr Most kAddresses{std::uint64_t{1} << 42U, std::uint64_t{1} << 44U,
                                   std::uint64_t{1} << 45U};
  // Of memory that is pinned for devices. Picked: far above what anybody asks for.
  static constexpr Most kPinned{std::uint64_t{1} << 30U, std::uint64_t{1} << 31U,
                                std::uint64_t{1} << 32U};
  // A quarter, half and three quarters of the limit on open files, as it is now: the last quarter
  // is for the connections themselves.
  static Most descriptors();
  // The same of the mappings that the kernel lets a process have, as it was at first.
  static Most mappings();

  // Of a peer of this user. None: of one who could stop this process anyway, root or its own
  // user.
  using User = std::optional<std::uint32_t>;
  static Allowance of_addresses(User user = {});
  static Allowance of_descriptors(User user = {});
  static Allowance of_mappings(User user = {});
  static Allowance of_pinned(User user = {});

  // Null: the peer or its user has its share, or all together have theirs.
  std::shared_ptr<const void> take(std::uint64_t amount);

 private:
  // No edges: a bound, and nothing is published with it.
  using Sum = std::atomic<std::uint64_t>;
  struct Bound {
    std::shared_ptr<Sum> sum;
    std::uint64_t most;
  };
  class Pool;
  class Share;
  explicit Allowance(std::vector<Bound> bounds) : bounds_(std::move(bounds)) {}

  const std::vector<Bound> bounds_;  // The peer's, its user's if there is one, and that of all.
};

// Said to and of a peer that is refused one.
inline constexpr const char* kNoDescriptors =
    "the peer has its share of this process's descriptors; raise the limit on open files";

}  // namespace comch::transport
