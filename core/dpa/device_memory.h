// DeviceMemory: what an accelerator has allocated, and access to it that is checked.
//
// The accelerator is emulated, so its memory is this process's; the addresses are real ones,
// but only ranges inside one allocation are ever touched through here.
//
// Threads: any. Lifetime: what is left goes with it. Errors: see each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "comch/dpa.h"
#include "comch/result.h"

namespace comch::dpa {

class DeviceMemory {
 public:
  // As Accelerator's calls of the same names.
  Result<DeviceAddress> allocate(std::size_t size);
  Status free(DeviceAddress address);
  Status write(DeviceAddress to, std::span<const std::byte> from);
  Status read(std::span<std::byte> to, DeviceAddress from) const;
  Status fill(DeviceAddress to, std::byte value, std::size_t size);

  void free_all();

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  Result<std::byte*> find(DeviceAddress address, std::size_t size) const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, Block> blocks_;  // By where they begin.
};

}  // namespace comch::dpa
