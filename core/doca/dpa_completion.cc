// doca_dpa_completion: see dpa.h and doca_dpa.h. Notification completions are in
// dpa_notification_completion.cc.
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::dpa::ProducerCompletion;
using doca::answer;
using doca::null_argument;

doca_error_t doca_dpa_completion_create(doca_dpa* dpa, unsigned int queue_size,
                                        doca_dpa_completion** dpa_comp) {
  if (dpa == nullptr || dpa_comp == nullptr) return null_argument();
  return doca::guarded([&] {
    auto made = ProducerCompletion::create(dpa->accelerator(), queue_size);
    if (!made) return answer(made.error());
    *dpa_comp = new doca_dpa_completion{.made = std::move(*made)};
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_completion_destroy(doca_dpa_completion* dpa_comp) {
  if (dpa_comp == nullptr) return null_argument();
  if (comch::Status s = doca::stop_if_started(*dpa_comp); !s) return answer(s);
  return doca::guarded([&] {
    doca::retire(dpa_comp);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_completion_get_queue_size(doca_dpa_completion* dpa_comp,
                                                unsigned int* queue_size) {
  if (dpa_comp == nullptr || queue_size == nullptr) return null_argument();
  *queue_size = dpa_comp->made->elements();
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_set_thread(doca_dpa_completion* dpa_comp,
                                            doca_dpa_thread* dpa_thread) {
  if (dpa_comp == nullptr || dpa_thread == nullptr) return null_argument();
  if (comch::Status s = dpa_comp->made->set_thread(*dpa_thread->made); !s) return answer(s);
  dpa_comp->thread = dpa_thread;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_get_thread(doca_dpa_completion* dpa_comp,
                                            doca_dpa_thread** dpa_thread) {
  if (dpa_comp == nullptr || dpa_thread == nullptr) return null_argument();
  *dpa_thread = dpa_comp->thread;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_completion_start(doca_dpa_completion* dpa_comp) {
  if (dpa_comp == nullptr) return null_argument();
  return doca::guarded([&] { return answer(dpa_comp->made->start()); });
}

doca_error_t doca_dpa_completion_stop(doca_dpa_completion* dpa_comp) {
  if (dpa_comp == nullptr) return null_argument();
  return answer(dpa_comp->made->stop());
}

doca_error_t doca_dpa_completion_get_dpa_handle(doca_dpa_completion* dpa_comp,
                                                doca_dpa_dev_completion_t* handle) {
  if (dpa_comp == nullptr || handle == nullptr) return null_argument();
  return doca::tell_handle(*dpa_comp, handle, std::source_location::current());
}
