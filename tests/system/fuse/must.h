// What a peer of a test needs to hold. It throws: the peer's process says why, and ends.
#pragma once

#include <comch/comch.h>

#include <stdexcept>
#include <utility>

namespace comch::test {

inline void must(const Status& status) {
  if (!status) throw std::runtime_error(describe(status.error()));
}
// The same of what has a value.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  return std::move(*result);
}

}  // namespace comch::test
