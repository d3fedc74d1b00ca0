// Measurements of the control path, each between this process and a BenchPeer.
//
//   auto result = measure_round_trip({.size = 64, .waiting = Waiting::kBusy, .seconds = 1});
//
// Threads: each call forks, so call them while the process has one thread.
// Errors: complaints; a measurement whose peer fails is no measurement.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tool/bench_histogram.h"
#include "tool/bench_peer.h"
#include "tool/common_options.h"
#include "tool/complaint.h"

namespace comch::tool {

struct BenchPlan {
  CommonOptions common;
  std::size_t size = 64;
  Waiting waiting = Waiting::kBusy;
  double seconds = 1;
  int own_cpu = -1;
  int peer_cpu = -1;
};

// Message there, message back, one at a time.
struct RoundTrips {
  Histogram ns;
};
Outcome<RoundTrips> measure_round_trip(const BenchPlan& plan);

// Messages one way, as many as the queue takes, until the last one is received.
struct OneWay {
  std::uint64_t messages = 0;
  double seconds = 0;
  double messages_per_second() const { return static_cast<double>(messages) / seconds; }
};
Outcome<OneWay> measure_one_way(const BenchPlan& plan);

}  // namespace comch::tool
