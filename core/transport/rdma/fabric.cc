// Fabric: see fabric.h.
#include "transport/rdma/fabric.h"

#include <utility>

namespace comch::transport::rdma {

Result<Fabric> Fabric::of(const Id& id, const Patience& patience) {
  Result<std::shared_ptr<const Path>> path = id.path();
  if (!path) return std::unexpected(path.error());
  const std::shared_ptr<Domain> domain = id.domain();
  Result<std::shared_ptr<Domain>> exposed = domain->make_another();
  if (!exposed) return std::unexpected(exposed.error());
  return Fabric{.domain = domain,
                .exposed = std::move(*exposed),
                .path = std::move(*path),
                .patience = patience,
                .allowances = std::make_shared<Allowances>()};
}

}  // namespace comch::transport::rdma
