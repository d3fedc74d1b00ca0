// doca_comch_producer: a producer as the program holds it; its tasks are the engine's own.
//
// Threads, lifetime: see doca_comch_producer.h.
#pragma once

#include <doca_comch_producer.h>

#include "comch/dpa_queue.h"
#include "comch/producer.h"
#include "doca/comch_end.h"
#include "doca/user_data.h"

struct doca_comch_producer final : comch::doca::End<comch::Producer, comch::dpa::Producer> {
  using End::End;
};

namespace comch::doca {

inline ProducerTask& engine_of(doca_comch_producer_task_send& task) {
  return reinterpret_cast<ProducerTask&>(task);
}
inline const ProducerTask& engine_of(const doca_comch_producer_task_send& task) {
  return reinterpret_cast<const ProducerTask&>(task);
}
inline doca_comch_producer_task_send* producer_task_of(ProducerTask* task) {
  return reinterpret_cast<doca_comch_producer_task_send*>(task);
}

}  // namespace comch::doca
