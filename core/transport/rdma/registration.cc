// Registration: see registration.h.
#include "transport/rdma/registration.h"

#include <cstddef>
#include <utility>

namespace comch::transport::rdma {
namespace {

// A domain lives no longer than a registration with it, so that its address is a name: one for
// each kind of access.
Result<const MemoryRegion*> registered(MapLife& life, Domain& domain, std::size_t kind,
                                       RegionAccess access) {
  const void* const key = reinterpret_cast<const std::byte*>(&domain) + kind;
  std::shared_ptr<void> kept = life.find(key);
  if (!kept) {
    auto made = domain.register_memory(life.bytes(), access);
    if (!made) return std::unexpected(made.error());
    kept = life.keep(key, std::move(*made));
  }
  return static_cast<const MemoryRegion*>(kept.get());
}

}  // namespace

Result<const MemoryRegion*> registered_for_sending(MapLife& life, Domain& domain) {
  return registered(life, domain, 0, RegionAccess::kLocalRead);
}

Result<const MemoryRegion*> registered_for_writing(MapLife& life, Domain& domain) {
  return registered(life, domain, 1, RegionAccess::kRemoteWrite);
}

}  // namespace comch::transport::rdma
