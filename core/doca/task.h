// doca_task: the engine's task itself, by a pointer that also says of which kind it is.
//
// A doca_task is never looked into by the program, so its pointer is the engine's with the kind
// in the two lowest bits, which are 0 in every such pointer. The program's user data is the
// engine task's. Thus a task costs neither memory nor a list of its own.
//
//   doca_comch_task_send*                 SendTask*          as_task(): the kind is added
//   doca_comch_consumer_task_post_recv*   ReceiveTask*
//   doca_comch_producer_task_send*        ProducerTask*
//
// Threads: the task's.
#pragma once

#include <doca_pe.h>

#include <cstdint>

#include "comch/consumer.h"
#include "comch/producer.h"
#include "comch/task.h"
#include "doca/user_data.h"  // IWYU pragma: export

namespace comch::doca {

enum class TaskKind : std::uintptr_t { kSend = 1, kReceive = 2, kProducer = 3 };
constexpr std::uintptr_t kKindMask = 3;

inline doca_task* handle_of(SendTask* task) {
  return reinterpret_cast<doca_task*>(reinterpret_cast<std::uintptr_t>(task) |
                                      static_cast<std::uintptr_t>(TaskKind::kSend));
}
inline doca_task* handle_of(ReceiveTask* task) {
  return reinterpret_cast<doca_task*>(reinterpret_cast<std::uintptr_t>(task) |
                                      static_cast<std::uintptr_t>(TaskKind::kReceive));
}
inline doca_task* handle_of(ProducerTask* task) {
  return reinterpret_cast<doca_task*>(reinterpret_cast<std::uintptr_t>(task) |
                                      static_cast<std::uintptr_t>(TaskKind::kProducer));
}

// visit(handle, [](auto& task) { return task.submit(); })
template <class Visitor>
auto visit(const doca_task* handle, Visitor&& visitor) {
  const auto word = reinterpret_cast<std::uintptr_t>(handle);
  void* const task = reinterpret_cast<void*>(word & ~kKindMask);
  switch (static_cast<TaskKind>(word & kKindMask)) {
    case TaskKind::kSend:
      return visitor(*static_cast<SendTask*>(task));
    case TaskKind::kReceive:
      return visitor(*static_cast<ReceiveTask*>(task));
    default:
      return visitor(*static_cast<ProducerTask*>(task));
  }
}

}  // namespace comch::doca
