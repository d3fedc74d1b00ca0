// What most calls of the C API answer, in words that fit into a table.
#pragma once

#include <doca_error.h>

namespace comch::test {

inline constexpr doca_error_t kYes = DOCA_SUCCESS;
inline constexpr doca_error_t kNo = DOCA_ERROR_INVALID_VALUE;
inline constexpr doca_error_t kNotNow = DOCA_ERROR_BAD_STATE;

}  // namespace comch::test
