// Slots: see slots.h.
#include "transport/rdma/slots.h"

#include <new>
#include <utility>

namespace comch::transport::rdma {

Result<Slots> Slots::create(Domain& domain, std::size_t count, std::size_t size,
                            RegionAccess access) {
  std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[count * size]());
  if (!bytes) return fail(Errc::no_memory, "no memory for the packets of a connection");
  auto region = domain.register_memory({bytes.get(), count * size}, access);
  if (!region) return std::unexpected(region.error());
  return Slots(std::move(bytes), size, std::move(*region));
}

}  // namespace comch::transport::rdma
