// Registration: see registration.h.
#include "transport/rdma/registration.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace comch::transport::rdma {

// A domain lives no longer than a registration with it, so that its address is a name.
Result<const MemoryRegion*> registered_for_sending(MapLife& life, Domain& domain) {
  std::shared_ptr<void> kept = life.find(&domain);
  if (!kept) {
    auto made = domain.register_memory(life.bytes(), RegionAccess::kLocalRead);
    if (!made) return std::unexpected(made.error());
    kept = life.keep(&domain, std::move(*made));
  }
  return static_cast<const MemoryRegion*>(kept.get());
}

// What a map is registered as for the peers of connections, by domain.
class ExposedMap {
 public:
  static std::shared_ptr<ExposedMap> of(MapLife& life) {
    static const char key = 0;  // Its address names what is kept.
    std::shared_ptr<void> kept = life.find(&key);
    if (!kept) kept = life.keep(&key, std::make_shared<Kept>());
    return static_cast<const Kept*>(kept.get())->map;
  }

  Result<const MemoryRegion*> to(Domain& domain, std::span<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(regions_, &domain, &Entry::first);
    if (known != regions_.end()) return known->second.get();
    auto made = domain.register_memory(bytes, RegionAccess::kRemoteWrite);
    if (!made) return std::unexpected(made.error());
    return regions_.emplace_back(&domain, std::move(*made)).second.get();
  }
  void end(const Domain& domain) {
    const std::lock_guard lock(mutex_);
    std::erase_if(regions_, [&](const Entry& entry) { return entry.first == &domain; });
  }

 private:
  using Entry = std::pair<const Domain*, std::shared_ptr<MemoryRegion>>;
  // The MapLife's. A connection that ends on another thread at the same time keeps nothing of it.
  struct Kept {
    ~Kept() {
      const std::lock_guard lock(map->mutex_);
      map->regions_.clear();
    }
    const std::shared_ptr<ExposedMap> map = std::make_shared<ExposedMap>();
  };

  std::mutex mutex_;
  std::vector<Entry> regions_;  // Behind mutex_.
};

Exposures::~Exposures() {
  for (const auto& weak : maps_) {
    if (const auto map = weak.lock()) map->end(*domain_);
  }
}

Result<const MemoryRegion*> Exposures::of(MapLife& life) {
  std::shared_ptr<ExposedMap> map = ExposedMap::of(life);
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(maps_, [&](const auto& other) { return other.expired() || other.lock() == map; });
    maps_.push_back(map);
  }
  return map->to(*domain_, life.bytes());
}

}  // namespace comch::transport::rdma
