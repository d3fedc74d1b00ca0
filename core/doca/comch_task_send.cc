// doca_comch_task_send: see task.h and doca_comch.h.
#include <doca_comch.h>

#include "doca/task.h"

doca_task* doca_comch_task_send_as_task(doca_comch_task_send* task) {
  return reinterpret_cast<doca_task*>(task);
}
