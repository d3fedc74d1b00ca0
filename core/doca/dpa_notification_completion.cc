// doca_dpa_notification_completion: see dpa.h and doca_dpa.h.
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::dpa::Notification;
using doca::answer;
using doca::null_argument;
using doca::refuse;

doca_error_t doca_dpa_notification_completion_create(
    doca_dpa* dpa, doca_dpa_thread* dpa_thread, doca_dpa_notification_completion** notify_comp) {
  if (dpa == nullptr || dpa_thread == nullptr || notify_comp == nullptr) return null_argument();
  if (&dpa->accelerator() != &dpa_thread->dpa.accelerator()) {
    return refuse(Errc::invalid_value, "the thread is another accelerator's");
  }
  return doca::guarded([&] {
    auto made = Notification::create(*dpa_thread->made);
    if (!made) return answer(made.error());
    *notify_comp =
        new doca_dpa_notification_completion{.made = std::move(*made), .thread = dpa_thread};
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_notification_completion_destroy(
    doca_dpa_notification_completion* notify_comp) {
  if (notify_comp == nullptr) return null_argument();
  if (comch::Status s = doca::stop_if_started(*notify_comp); !s) return answer(s);
  delete notify_comp;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_get_thread(
    doca_dpa_notification_completion* notify_comp, doca_dpa_thread** dpa_thread) {
  if (notify_comp == nullptr || dpa_thread == nullptr) return null_argument();
  *dpa_thread = notify_comp->thread;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_notification_completion_start(doca_dpa_notification_completion* notify_comp) {
  if (notify_comp == nullptr) return null_argument();
  return answer(notify_comp->made->start());
}

doca_error_t doca_dpa_notification_completion_stop(doca_dpa_notification_completion* notify_comp) {
  if (notify_comp == nullptr) return null_argument();
  return answer(notify_comp->made->stop());
}

doca_error_t doca_dpa_notification_completion_get_dpa_handle(
    doca_dpa_notification_completion* notify_comp, doca_dpa_dev_notification_completion_t* handle) {
  if (notify_comp == nullptr || handle == nullptr) return null_argument();
  return doca::tell_handle(*notify_comp, handle, std::source_location::current());
}
