// Allowances: what one peer may take by what it shows; see transport/allowance.h.
//
//   const Result<MappedShare> share = take_mapped(allowances, bytes, 1);
//   ...
//   window->free_elsewhere(*share);  // Given back when it is unmapped.
//
// Threads, Lifetime: as Allowance.
#pragma once

#include <cstdint>
#include <memory>

#include "comch/result.h"
#include "transport/allowance.h"

namespace comch::transport::shm {

// Said to and of a peer that is refused one.
inline constexpr const char* kNoAddresses = "the peer's memory maps are too large together";
inline constexpr const char* kNoMappings =
    "the peer has its share of this process's mappings; raise vm.max_map_count and start again";

// All that one peer may take.
struct Allowances {
  explicit Allowances(Allowance::User user = {})
      : addresses(Allowance::of_addresses(user)),
        mappings(Allowance::of_mappings(user)),
        descriptors(Allowance::of_descriptors(user)) {}
  Allowance addresses;
  Allowance mappings;
  Allowance descriptors;
};

// Of what is mapped for a peer: of addresses and mappings.
using MappedShare = std::shared_ptr<const void>;
// no_memory, full: the peer has its share of the addresses, of the mappings.
Result<MappedShare> take_mapped(Allowances& allowances, std::uint64_t bytes,
                                std::uint64_t mappings);

}  // namespace comch::transport::shm
