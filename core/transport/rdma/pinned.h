// Pinned: zeroed memory of ours that a device knows: pages that stay, and their keys.
//
//   Pinned board = Pinned::make(*fabric.domain, size, RegionAccess::kRemoteWrite).value();
//
// It is shared memory, so that a forked child shares the pages and does not take them from under
// the device by writing to them.
//
// Threads: a value. Lifetime: it outlives every work request that names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "os/window.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

class Pinned {
 public:
  // no_memory: more than RLIMIT_MEMLOCK allows. operating_system: see sys.
  static Result<Pinned> make(Domain& domain, std::uint64_t size, RegionAccess access);

  Pinned() = default;
  explicit operator bool() const { return region_ != nullptr; }

  std::span<std::byte> bytes() const { return window_.bytes(); }
  std::byte* data() const { return window_.bytes().data(); }
  std::uint64_t address() const;  // As the other side names it.
  std::uint32_t local_key() const { return region_->local_key; }
  std::uint32_t remote_key() const { return region_->remote_key; }

 private:
  Pinned(os::Window window, std::shared_ptr<MemoryRegion> region);

  os::Window window_;
  std::shared_ptr<MemoryRegion> region_;  // Behind the window: it goes first.
};

}  // namespace comch::transport::rdma
