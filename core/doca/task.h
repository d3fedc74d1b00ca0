// doca_task: the engine's task itself. The program's user data is the engine task's, so that a
// task costs neither memory nor a list of its own.
//
//   doca_task*                            Task*
//   doca_comch_task_send*                 SendTask*
//   doca_comch_consumer_task_post_recv*   ReceiveTask*
//   doca_comch_producer_task_send*        ProducerTask*
//
// The last three are Tasks by derivation alone, so that as_task() is a cast.
//
// Threads: the task's.
#pragma once

#include <doca_pe.h>

#include "comch/consumer.h"
#include "comch/producer.h"
#include "comch/task.h"
#include "doca/ctx.h"
#include "doca/user_data.h"  // IWYU pragma: export

namespace comch::doca {

inline Task& engine_of(doca_task& task) { return reinterpret_cast<Task&>(task); }
inline const Task& engine_of(const doca_task& task) { return reinterpret_cast<const Task&>(task); }
inline doca_task* handle_of(Task* task) { return reinterpret_cast<doca_task*>(task); }

#pragma GCC visibility push(default)  // Shared by the libraries of the C API.
// Frees `task`, which has come back and been told of, if the program did so while it was under
// way: programs end like that, by freeing every task that they posted, and then stopping.
void free_leaving(doca_ctx& ctx, Task& task);
#pragma GCC visibility pop

template <class Handle>
using TaskCallback = void (*)(Handle*, doca_data, doca_data);

template <class Handle>
void tell(doca_ctx& face, Task& task, TaskCallback<Handle> callback) {
  callback(reinterpret_cast<Handle*>(&task), user_data_of(task.user_data()), face.user_data);
}
template <class Handle>
[[gnu::noinline]] void tell_and_free(doca_ctx& face, Task& task, TaskCallback<Handle> callback) {
  tell(face, task, callback);
  free_leaving(face, task);
}

// What the engine calls for a task that comes back: `callback`, with the handle that the program
// knows it by. Small enough that std::function keeps it where it is, and nothing is left to do
// behind the callback, for it is called for every message.
template <class Handle>
auto through(doca_ctx* face, TaskCallback<Handle> callback) {
  return [face, callback](auto& task) {
    if (face->leaving.empty()) [[likely]]
      return tell(*face, task, callback);
    tell_and_free(*face, task, callback);
  };
}

}  // namespace comch::doca
