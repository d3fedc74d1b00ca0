// FastPlan: how the ends of one lane over comch's fast path are set up, and what both processes
// have of it from before the fork: the name of its server.
//
// Lanes: short ones for small messages one by one, twice a batch for batches, as the producer's
// header advises.
//
// Buffers: of small messages as many as the depth says, but a few for a round trip, where only
// one is under way; of large ones as many as the limits have (limits/buffers.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "bench/control_plan.h"
#include "bench/limits/buffers.h"
#include "bench/peers/workload.h"
#include "comch/comch.h"

namespace comch::bench {

struct FastPlan {
  explicit FastPlan(const Workload& workload, std::uint32_t most_posted)
      : bytes(workload.bytes),
        depth(std::min(most_posted, limit(workload))),
        lane_size(lane_for(workload)) {}

  std::size_t bytes;    // Of a message, and of a posted buffer.
  std::uint32_t depth;  // Buffers posted, and tasks.
  std::uint32_t lane_size;
  bool cooperative = false;
  DataWay way = DataWay::kAuto;
  std::string server = fresh_server_name();

 private:
  static std::uint32_t lane_for(const Workload& workload) {
    if (workload.shape == Shape::kBatched) return 2 * kPublishedAtOnce;
    return workload.shape == Shape::kOneWay && workload.bytes < kKib ? Producer::kSmallLane : 0;
  }
  static std::uint32_t limit(const Workload& workload) {
    if (workload.shape == Shape::kRoundTrip) return 16;
    if (workload.bytes < kKib) return Consumer::kMaxTasks;
    return static_cast<std::uint32_t>(ring_slots(workload.bytes));
  }
};

}  // namespace comch::bench
