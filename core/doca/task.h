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

#include <cstddef>
#include <cstdint>

#include "comch/consumer.h"
#include "comch/producer.h"
#include "comch/task.h"
#include "doca/ctx.h"
#include "doca/user_data.h"  // IWYU pragma: export

namespace comch::doca {

enum class TaskKind : std::uintptr_t { kSend = 1, kReceive = 2, kProducer = 3 };
constexpr std::uintptr_t kKindMask = 3;

inline doca_task* with_kind(void* task, TaskKind kind) {
  return reinterpret_cast<doca_task*>(static_cast<std::byte*>(task) +
                                      static_cast<std::uintptr_t>(kind));
}
inline doca_task* handle_of(SendTask* task) { return with_kind(task, TaskKind::kSend); }
inline doca_task* handle_of(ReceiveTask* task) { return with_kind(task, TaskKind::kReceive); }
inline doca_task* handle_of(ProducerTask* task) { return with_kind(task, TaskKind::kProducer); }

// False of NULL, and of a task that was cast where *_as_task() was to be called.
inline bool is_task(const doca_task* handle) {
  return (reinterpret_cast<std::uintptr_t>(handle) & kKindMask) != 0;
}

// visit(handle, [](auto& task) { return task.submit(); })
template <class Visitor>
auto visit(const doca_task* handle, Visitor&& visitor) {
  const std::uintptr_t kind = reinterpret_cast<std::uintptr_t>(handle) & kKindMask;
  void* const task = reinterpret_cast<std::byte*>(const_cast<doca_task*>(handle)) - kind;
  switch (static_cast<TaskKind>(kind)) {
    case TaskKind::kSend:
      return visitor(*static_cast<SendTask*>(task));
    case TaskKind::kReceive:
      return visitor(*static_cast<ReceiveTask*>(task));
    default:
      return visitor(*static_cast<ProducerTask*>(task));
  }
}

#pragma GCC visibility push(default)  // Shared by the libraries of the C API.
void free_leaving(doca_ctx& ctx, doca_task* task);
#pragma GCC visibility pop

// Behind a callback that brought `task` back: frees it if the program did so while it was under
// way. Programs end like that: they free every task that they posted, and then stop.
template <class Task>
void came_back(doca_ctx& ctx, Task& task) {
  if (!ctx.leaving.empty()) [[unlikely]]
    free_leaving(ctx, handle_of(&task));
}

}  // namespace comch::doca
