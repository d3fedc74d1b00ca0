// The host's memory as device functions name it: doca_dpa_dev_mmap_t and an address.
//
// Threads: any; only device functions reach memory. Errors: those of dpa::DeviceMap, and
// invalid_value for a number that names no started map.
#pragma once

#include <doca_dpa_dev_buf.h>

#include <cstdint>

#include "comch/dpa_queue.h"
#include "comch/result.h"

namespace comch::doca {

Result<comch::dpa::MapAddress> address_in(doca_dpa_dev_mmap_t map, std::uint64_t address);

// A copy or a send without a completion to be read, or with one.
inline comch::dpa::Submit submit_of(std::uint32_t flags) {
  return {.report = (flags & DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS) == 0, .user_data = 0};
}

}  // namespace comch::doca
