// Copy: a copy between device maps that was found to be allowed, as Producer::dma_copy() and
// AsyncOperations::copy() make it.
//
//   Result<Copy> copy = Copy::check(to, from, size);
//   ...
//   copy->run();
//
// Threads: any. Lifetime: outlived by the maps. Errors: see check().
#pragma once

#include <cstddef>
#include <span>

#include "comch/dpa_queue.h"
#include "comch/result.h"

namespace comch::dpa {

class Copy {
 public:
  Copy() = default;  // Of nothing.

  // not_permitted, invalid_value: see DeviceMap::at(); also invalid_value: the ranges overlap.
  // The overlap is looked for by address: of memory that is mapped twice it is not seen.
  static Result<Copy> check(const MapAddress& to, const MapAddress& from, std::size_t size);

  void run() const;

 private:
  Copy(std::span<std::byte> to, std::span<const std::byte> from) : to_(to), from_(from) {}

  std::span<std::byte> to_;
  std::span<const std::byte> from_;  // As long.
};

}  // namespace comch::dpa
