// Limits of doca_cc, each of which is that of the function's successor.
#pragma once

#include <doca_dev.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <utility>

#include "doca/control_parties.h"

namespace comch::test {

using Limit = doca_error_t (*)(const doca_devinfo*, std::uint32_t*);

// Pairs of an older function and the newer one.
inline void expect_same_limits(std::span<const std::pair<Limit, Limit>> pairs) {
  OpenDevice device(kDpuPci);
  for (const auto& [older, newer] : pairs) {
    std::uint32_t before = 0;
    std::uint32_t now = 1;
    EXPECT_EQ(older(device.info(), &before), DOCA_SUCCESS);
    EXPECT_EQ(newer(device.info(), &now), DOCA_SUCCESS);
    EXPECT_EQ(before, now);
    EXPECT_EQ(older(nullptr, &before), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(older(device.info(), nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

}  // namespace comch::test
