// Slots: registered memory in pieces of one size, for packets on their way out or in.
//
// Threads: of one thread. Lifetime: outlives the queue pair that works with it.
// Errors: no_memory, or what register_memory() says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

class Slots {
 public:
  static Result<Slots> create(Domain& domain, std::size_t count, std::size_t size,
                              RegionAccess access);

  std::span<std::byte> at(std::size_t slot) const { return {bytes_.get() + slot * size_, size_}; }
  Segment segment(std::size_t slot, std::size_t length) const {
    return {at(slot).data(), static_cast<std::uint32_t>(length), region_->local_key};
  }
  std::size_t size() const { return size_; }

 private:
  Slots(std::unique_ptr<std::byte[]> bytes, std::size_t size, std::shared_ptr<MemoryRegion> region)
      : bytes_(std::move(bytes)), size_(size), region_(std::move(region)) {}

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
  std::shared_ptr<MemoryRegion> region_;  // Goes before the bytes do.
};

}  // namespace comch::transport::rdma
