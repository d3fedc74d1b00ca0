// doca_comch_task_send: see task.h and doca_comch.h.
#include <doca_comch.h>

#include "doca/task.h"

doca_task* doca_comch_task_send_as_task(doca_comch_task_send* task) {
  if (task == nullptr) return nullptr;
  return comch::doca::handle_of(reinterpret_cast<comch::SendTask*>(task));
}
