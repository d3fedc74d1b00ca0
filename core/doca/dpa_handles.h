// DpaHandles: the numbers by which kernels on the accelerator name memory maps.
//
//   const std::uint32_t number = dpa_handles().number_of(map);   // the same each time
//   MemoryMap* map = dpa_handles().map_of(number);               // from any thread
//   dpa_handles().forget(map);                                   // it is stopped
//
// Numbers count up from 1 and are not reused in a process, so that one that was kept too long
// finds nothing.
//
// Threads: any. Lifetime: the process's.
#pragma once

#include <cstdint>
#include <shared_mutex>
#include <unordered_map>

#include "comch/memory_map.h"

namespace comch::doca {

class DpaHandles {
 public:
  std::uint32_t number_of(MemoryMap& map);
  MemoryMap* map_of(std::uint32_t number) const;
  void forget(const MemoryMap& map);

 private:
  mutable std::shared_mutex mutex_;
  std::uint32_t last_ = 0;
  std::unordered_map<std::uint32_t, MemoryMap*> maps_;
  std::unordered_map<const MemoryMap*, std::uint32_t> numbers_;
};

DpaHandles& dpa_handles();

}  // namespace comch::doca
