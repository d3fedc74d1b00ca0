// By itself: a message as a producer sends it that has but one (ProducerImpl::send_usual()).
//
// Threads: one.
#pragma once

#include <cstdint>

#include "transport/shm/out_lane.h"

namespace comch::test {

enum class ByItself : std::uint8_t { kNot, kSent, kSentAsPrepared };

inline ByItself send_by_itself(transport::shm::OutLane& lane,
                               transport::shm::OutLane::Bytes message) {
  if (!lane.send_prepared(message)) {
    return lane.send_one(message) ? ByItself::kSent : ByItself::kNot;
  }
  if (lane.wants_attention()) lane.attend();
  return ByItself::kSentAsPrepared;
}

}  // namespace comch::test
