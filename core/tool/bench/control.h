// Measurements of the control path, each between this process and a Responder of its own.
//
//   auto figures = measure_control({.size = 64, .waiting = Waiting::kPoll, .seconds = 1});
//
// Threads: one measurement at a time.
// Errors: complaints; a measurement whose peer fails is no measurement.
#pragma once

#include <cstddef>

#include "tool/bench/figures.h"
#include "tool/bench/placement.h"
#include "tool/bench/turn.h"
#include "tool/common_options.h"
#include "tool/complaint.h"

namespace comch::tool {

struct ControlPlan {
  CommonOptions common;
  std::size_t size = 64;
  Waiting waiting = Waiting::kPoll;
  double seconds = 1;  // For each of the two measurements.
  ProcessorPair cpus;
};

Outcome<Figures> measure_control(const ControlPlan& plan);

}  // namespace comch::tool
