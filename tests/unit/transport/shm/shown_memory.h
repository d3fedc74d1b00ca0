// ShownMemory: a producer's memory that a consumer may be shown, to copy from it what is sent.
//
//   ShownMemory memory(bytes);
//   lane.put(memory.bytes(), {}, &memory.source());
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "os/memory.h"
#include "transport/map_life.h"
#include "transport/shm/remote_consumer.h"

namespace comch::test {

class ShownMemory {
 public:
  explicit ShownMemory(std::uint64_t bytes)
      : memory_(os::make_sealed_memfd("comch-test", bytes).value()),
        mapping_(os::Mapping::map(memory_, bytes).value()) {}
  ShownMemory(const ShownMemory&) = delete;
  ShownMemory& operator=(const ShownMemory&) = delete;

  std::span<std::byte> bytes() const { return mapping_.bytes(); }
  const transport::shm::SharedMemory& source() const { return source_; }

 private:
  const os::Fd memory_;
  const os::Mapping mapping_;
  transport::MapLife life_{mapping_.bytes()};
  const transport::shm::SharedMemory source_{
      .life = &life_, .fd = &memory_, .offset = 0, .bytes = mapping_.bytes()};
};

}  // namespace comch::test
