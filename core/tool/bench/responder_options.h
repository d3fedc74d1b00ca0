// ResponderOptions: one benchmark of the control path, as its answering process knows it.
//
// Threads: plain values.
#pragma once

#include <cstdint>

#include "tool/bench/turn.h"
#include "tool/common_options.h"

namespace comch::tool {

enum class Reply : std::uint8_t { kEcho, kFencesOnly };

struct ResponderOptions {
  CommonOptions common;
  Reply reply = Reply::kEcho;
  Waiting waiting = Waiting::kPoll;
  int cpu = -1;  // To run on; -1: anywhere.
};

}  // namespace comch::tool
