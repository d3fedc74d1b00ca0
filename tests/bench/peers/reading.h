// Reading: a receiver that looks at every line of its messages, where the workload is to be read.
//
// Who copies a message leaves its lines in his own cache, and so they stay where they are if nobody
// reads them: across two caches a large message that is only received has hardly moved.
//
//   const Reading read(workload);
//   read(message);                   // Behind its arrival, ahead of its release.
//
// Values; no errors.
#pragma once

#include <cstddef>
#include <span>

#include "bench/peers/workload.h"
#include "tool/bench/reading.h"

namespace comch::bench {

class Reading {
 public:
  explicit Reading(const Workload& workload) : reads_(workload.shape == Shape::kRead) {}

  void operator()(std::span<const std::byte> message) const {
    if (reads_) tool::read_lines(message);
  }

 private:
  bool reads_;
};

}  // namespace comch::bench
