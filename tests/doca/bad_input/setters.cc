// Setters: see setters.h.
#include "doca/bad_input/setters.h"

namespace comch::test {

std::vector<Setter> context_setters(doca_pe* pe, doca_ctx* ctx, doca_dpa* dpa) {
  // Nobody looks at it: there is none.
  auto* const gpu = reinterpret_cast<doca_gpu*>(ctx);
  return {
      {"doca_ctx_set_user_data", [=](auto n) { return doca_ctx_set_user_data(ctx, {.u64 = n}); },
       word_of(ctx, doca_ctx_get_user_data), kYes},
      {"doca_ctx_set_state_changed_cb",
       [=](auto n) { return doca_ctx_set_state_changed_cb(ctx, on_state(n)); },
       {},
       kYes},
      {"doca_ctx_set_completion_vector",
       [=](auto) { return doca_ctx_set_completion_vector(ctx, 0); }},
      {"doca_ctx_set_datapath_on_dpa",
       [=](auto) { return doca_ctx_set_datapath_on_dpa(ctx, dpa); },
       {},
       kNotNow,
       DOCA_ERROR_NOT_SUPPORTED},
      {"doca_ctx_set_datapath_on_gpu",
       [=](auto) { return doca_ctx_set_datapath_on_gpu(ctx, gpu); },
       {},
       kNotNow,
       DOCA_ERROR_NOT_SUPPORTED},
      {"doca_pe_connect_ctx",
       [=](auto) { return doca_pe_connect_ctx(pe, ctx); },
       {},
       DOCA_ERROR_NOT_PERMITTED,
       DOCA_ERROR_NOT_PERMITTED},
      {"doca_pe_set_event_mode",
       [=](auto) { return doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE); },
       {},
       kYes},
      {"doca_pe_set_notification_handle",
       [=](auto) { return doca_pe_set_notification_handle(pe, 0, {}); },
       {},
       DOCA_ERROR_NOT_SUPPORTED,
       DOCA_ERROR_NOT_SUPPORTED}};
}

}  // namespace comch::test
