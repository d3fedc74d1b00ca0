// doca_task_batch: what doca_pe.h says of batches. No context of this API makes one, so that a
// program has none to pass; what it calls all the same answers that, and nothing is looked into.
//
// Threads: any.
#include <doca_pe.h>

#include "doca/refuse.h"

namespace {

doca_error_t no_batches(const doca_task_batch* batch,
                        std::source_location where = std::source_location::current()) {
  if (batch == nullptr) return comch::doca::null_argument(where);
  return comch::doca::refuse(comch::Errc::not_supported, "no context here makes batches", where);
}

}  // namespace

doca_error_t doca_task_batch_submit(doca_task_batch* task_batch) { return no_batches(task_batch); }

doca_error_t doca_task_batch_try_submit(doca_task_batch* task_batch) {
  return no_batches(task_batch);
}

void doca_task_batch_free(doca_task_batch*) {}

doca_error_t doca_task_batch_get_status(const doca_task_batch* task_batch) {
  return no_batches(task_batch);
}

void doca_task_batch_set_user_data(doca_task_batch*, doca_data) {}

doca_data doca_task_batch_get_user_data(const doca_task_batch*) { return {}; }

doca_ctx* doca_task_batch_get_ctx(const doca_task_batch*) { return nullptr; }

doca_data doca_task_batch_get_ctx_user_data(const doca_task_batch*) { return {}; }

uint16_t doca_task_batch_get_tasks_num(doca_task_batch*) { return 0; }
