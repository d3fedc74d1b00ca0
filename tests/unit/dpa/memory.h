// Maps: memory maps for tests of what an accelerator may touch.
//
// Threads: the test's. Lifetime: the map's memory is its own.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "unit/dpa/ends.h"

namespace comch::test {

class DeviceMemoryMap {
 public:
  explicit DeviceMemoryMap(std::size_t size, Access access = Access::kLocalReadWrite) {
    map->allocate(size).value();
    map->set_permissions(access).value();
    map->add_device(host()).value();
    map->start().value();
  }
  ~DeviceMemoryMap() { EXPECT_TRUE(MemoryMap::destroy(map)); }
  DeviceMemoryMap(const DeviceMemoryMap&) = delete;
  DeviceMemoryMap& operator=(const DeviceMemoryMap&) = delete;

  std::span<std::byte> range() const { return map->range().value(); }
  dpa::DeviceMap device_map() const { return dpa::DeviceMap::of(*map, *host()).value(); }
  // The place `offset` bytes behind its beginning, or anywhere, by wrapping.
  dpa::MapAddress at(std::uint64_t offset) const {
    return {.map = device_map(), .address = map->origin() + offset};
  }
  void write(std::string_view text) const { std::ranges::copy(bytes(text), range().begin()); }
  std::string text(std::size_t size) const { return text_of(range().first(size)); }

  std::unique_ptr<MemoryMap> map = MemoryMap::create().value();
};

}  // namespace comch::test
