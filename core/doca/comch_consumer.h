// doca_comch_consumer: a consumer as the program holds it; its tasks are the engine's own.
//
// Threads, lifetime: see doca_comch_consumer.h.
#pragma once

#include <doca_comch_consumer.h>

#include "comch/consumer.h"
#include "comch/dpa_queue.h"
#include "doca/comch_end.h"
#include "doca/user_data.h"

struct doca_comch_consumer final : comch::doca::End<comch::Consumer, comch::dpa::Consumer> {
  using End::End;
};

namespace comch::doca {

inline ReceiveTask& engine_of(doca_comch_consumer_task_post_recv& task) {
  return reinterpret_cast<ReceiveTask&>(task);
}
inline const ReceiveTask& engine_of(const doca_comch_consumer_task_post_recv& task) {
  return reinterpret_cast<const ReceiveTask&>(task);
}
inline doca_comch_consumer_task_post_recv* receive_task_of(ReceiveTask* task) {
  return reinterpret_cast<doca_comch_consumer_task_post_recv*>(task);
}

}  // namespace comch::doca
