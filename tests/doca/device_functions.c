/* Device functions as most programs have them: in C, by the C compiler. */
#include <doca_dpa.h>
#include <doca_dpa_dev_comch_msgq.h>

DOCA_DPA_APP_DEFINE(app_in_c)

__dpa_rpc__ uint64_t add_in_c(uint64_t a, uint32_t b);
__dpa_rpc__ uint64_t add_in_c(uint64_t a, uint32_t b) { return a + b; }

/* Answers only if the call that does not return does. */
__dpa_rpc__ uint64_t reschedule_in_c(uint64_t unused);
__dpa_rpc__ uint64_t reschedule_in_c(uint64_t unused) {
  doca_dpa_dev_thread_reschedule();
  return unused + 1;
}
