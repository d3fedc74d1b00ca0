// Allowances: see allowances.h.
#include "transport/shm/allowances.h"

#include <utility>

namespace comch::transport::shm {

Result<MappedShare> take_mapped(Allowances& allowances, std::uint64_t bytes,
                                std::uint64_t mappings) {
  auto of_addresses = allowances.addresses.take(bytes);
  if (!of_addresses) return fail(Errc::no_memory, kNoAddresses);
  auto of_mappings = allowances.mappings.take(mappings);
  if (!of_mappings) return fail(Errc::full, kNoMappings);
  return std::make_shared<const std::pair<MappedShare, MappedShare>>(std::move(of_addresses),
                                                                     std::move(of_mappings));
}

}  // namespace comch::transport::shm
