// What a party of a test needs to hold. It throws, so that a constructor can say it.
#ifndef COMCH_TESTS_DOCA_MUST_H
#define COMCH_TESTS_DOCA_MUST_H

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

#endif  // COMCH_TESTS_DOCA_MUST_H
