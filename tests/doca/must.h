// What a party of a test needs to hold. It throws, so that a constructor can say it.
#pragma once

#include <doca_error.h>

#include <stdexcept>
#include <string>

namespace comch::test {

inline void must(doca_error_t error, const char* what) {
  if (error != DOCA_SUCCESS) {
    throw std::runtime_error(std::string(what) + ": error " + std::to_string(error));
  }
}

}  // namespace comch::test
