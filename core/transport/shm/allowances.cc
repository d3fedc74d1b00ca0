// Allowances: see allowances.h.
#include "transport/shm/allowances.h"

namespace comch::transport::shm {

Result<MappedShare> take_mapped(Allowances& allowances, std::uint64_t bytes,
                                std::uint64_t mappings) {
  MappedShare share{.addresses = allowances.addresses.take(bytes),
                    .mappings = allowances.mappings.take(mappings)};
  if (!share.addresses) return fail(Errc::no_memory, kNoAddresses);
  if (!share.mappings) return fail(Errc::full, kNoMappings);
  return share;
}

}  // namespace comch::transport::shm
