// Limits of consumers and producers, which are those of comch and the same on every device.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <source_location>

#include "doca/dev.h"
#include "doca/refuse.h"

namespace comch::doca {

// A message may be longer; a doca capability cannot say so.
inline constexpr std::uint32_t kMaxBufferSize = 0xffffffff;
inline constexpr std::uint32_t kMaxBufferList = 1;  // Chained buffers are not supported.

inline bool has_fast_path(const doca_devinfo& device) {
  return device.info.capability.server || device.info.capability.client;
}

inline doca_error_t tell_limit(const doca_devinfo* device, std::uint32_t limit,
                               std::uint32_t* value,
                               std::source_location where = std::source_location::current()) {
  if (device == nullptr || value == nullptr) return null_argument(where);
  *value = limit;
  return DOCA_SUCCESS;
}

inline doca_error_t require_fast_path(
    const doca_devinfo* device, std::source_location where = std::source_location::current()) {
  if (device == nullptr) return null_argument(where);
  // Programs ask every device: this is an answer, and not logged.
  return has_fast_path(*device) ? DOCA_SUCCESS : number_of(Errc::not_supported);
}

// One that only a device with the fast path has.
inline doca_error_t tell_fast_limit(const doca_devinfo* device, std::uint32_t limit,
                                    std::uint32_t* value,
                                    std::source_location where = std::source_location::current()) {
  if (device == nullptr || value == nullptr) return null_argument(where);
  if (const doca_error_t e = require_fast_path(device, where); e != DOCA_SUCCESS) return e;
  *value = limit;
  return DOCA_SUCCESS;
}

}  // namespace comch::doca
