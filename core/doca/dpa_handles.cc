// DpaHandles: see dpa_handles.h.
#include "doca/dpa_handles.h"

#include <mutex>

#include "doca/memory.h"

namespace comch::doca {

std::uint32_t DpaHandles::number_of(MemoryMap& map) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(&map);
  if (found != numbers_.end()) return found->second;
  const std::uint32_t number = last_ + 1;
  maps_.emplace(number, &map);
  numbers_.emplace(&map, number);
  last_ = number;
  return number;
}

MemoryMap* DpaHandles::map_of(std::uint32_t number) const {
  const std::shared_lock lock(mutex_);
  const auto found = maps_.find(number);
  return found != maps_.end() ? found->second : nullptr;
}

void DpaHandles::forget(const MemoryMap& map) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(&map);
  if (found == numbers_.end()) return;
  maps_.erase(found->second);
  numbers_.erase(found);
}

DpaHandles& dpa_handles() {
  // Never destroyed: a kernel may run while the process ends.
  static DpaHandles& only = *new DpaHandles;
  return only;
}

MemoryMap* map_of_dpa_handle(std::uint32_t handle) { return dpa_handles().map_of(handle); }

}  // namespace comch::doca
