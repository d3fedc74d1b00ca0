// Memfd: memory that two processes share, and its mapping.
//
// Whoever makes shared memory seals its size before it shows it to anybody, and whoever
// receives some asks the kernel, not the peer, whether it is sealed and how long it is:
// an access to sealed memory can never end in SIGBUS because the peer has cut it short.
//
//   Fd mine = make_sealed_memfd("comch-ring", 65536).value();
//   ... the descriptor travels ...
//   std::uint64_t size = sealed_size(theirs).value();
//   Mapping ring = Mapping::map(theirs, size).value();
//
// Threads: values; the mapped bytes are shared by their nature.
// Lifetime: a mapping lives on when the descriptor is closed.
#pragma once

#include <fcntl.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/result.h"
#include "os/fd.h"
#include "os/mapped_pages.h"

namespace comch::os {

// The size cannot change, and neither can that.
inline constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// Zeroed memory of exactly `size` bytes, for ever. `name` shows in /proc/PID/maps.
// invalid_value: size is 0 or above what a file may hold. operating_system: no
// descriptor or no memory left; see sys.
Result<Fd> make_sealed_memfd(const char* name, std::uint64_t size);

// The size of memory that a peer has made.
// connection_reset: it is no memfd, or could still shrink, grow or lose its seals;
// no correct peer sends such a thing. operating_system: the kernel would not say.
Result<std::uint64_t> sealed_size(const Fd& fd);

// A readable, writable, shared mapping. A forked child does not have it.
class Mapping : public MappedPages {
 public:
  // invalid_value: size is 0. operating_system: see sys.
  static Result<Mapping> map(const Fd& fd, std::uint64_t size);

  Mapping() = default;

 private:
  explicit Mapping(std::span<std::byte> bytes) : MappedPages(bytes) {}
};

}  // namespace comch::os
