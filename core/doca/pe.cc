// doca_pe: see ctx.h and doca_pe.h.
#include <doca_pe.h>

#include <bit>
#include <cstdint>
#include <source_location>

#include "doca/ctx.h"
#include "doca/refuse.h"

using comch::Errc;
using comch::ProgressEngine;
using comch::doca::answer;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;

namespace {

[[gnu::noinline]] uint8_t no_engine(std::source_location where = std::source_location::current()) {
  null_argument(where);
  return 0;
}

}  // namespace

doca_error_t doca_pe_create(doca_pe** pe) {
  if (pe == nullptr) return null_argument();
  return guarded([&] {
    auto engine = ProgressEngine::create();
    if (!engine) return answer(engine.error());
    auto made = std::make_unique<doca_pe>();
    made->engine = std::move(*engine);
    *pe = made.release();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_pe_destroy(doca_pe* pe) {
  if (pe == nullptr) return null_argument();
  if (pe->contexts != 0) return refuse(Errc::in_use, "contexts are connected; destroy them first");
  delete pe;
  return DOCA_SUCCESS;
}

// Called more often than any other function: nothing is left to do behind the engine's.
uint8_t doca_pe_progress(doca_pe* pe) {
  if (pe == nullptr) [[unlikely]]
    return no_engine();
  return static_cast<uint8_t>(pe->engine->progress());
}

doca_error_t doca_pe_get_notification_handle(const doca_pe* pe,
                                             doca_notification_handle_t* handle) {
  if (pe == nullptr || handle == nullptr) return null_argument();
  *handle = pe->engine->event_fd();
  return DOCA_SUCCESS;
}

doca_error_t doca_pe_set_notification_handle(doca_pe* pe, doca_notification_handle_t, doca_data) {
  if (pe == nullptr) return null_argument();
  return refuse(Errc::not_supported, "on Linux the engine makes its handle itself");
}

doca_error_t doca_pe_clear_notification(doca_pe* pe, doca_notification_handle_t handle) {
  if (pe == nullptr) return null_argument();
  if (handle != pe->engine->event_fd()) {
    return refuse(Errc::invalid_value, "the handle is not this engine's");
  }
  return answer(pe->engine->clear_notification());
}

doca_error_t doca_pe_request_notification(doca_pe* pe) {
  if (pe == nullptr) return null_argument();
  return answer(pe->engine->request_notification());
}

doca_error_t doca_pe_get_num_inflight_tasks(const doca_pe* pe, size_t* num_inflight_tasks) {
  if (pe == nullptr || num_inflight_tasks == nullptr) return null_argument();
  *num_inflight_tasks = pe->engine->tasks_in_flight();
  return DOCA_SUCCESS;
}

doca_error_t doca_pe_connect_ctx(doca_pe* pe, doca_ctx* ctx) {
  if (pe == nullptr || ctx == nullptr) return null_argument();
  return guarded([&] { return ctx->connect(*pe, std::source_location::current()); });
}

// The engine clears a notification by itself in progress(), whatever the mode: a program that
// clears it first loses nothing, and one that does not need not.
doca_error_t doca_pe_set_event_mode(doca_pe* pe, doca_pe_event_mode event_mode) {
  if (pe == nullptr) return null_argument();
  // As a number: what a C program passes need not be one of the names.
  const auto number = std::bit_cast<std::uint32_t>(event_mode);
  if (number > DOCA_PE_EVENT_MODE_PROGRESS_ALL) {
    return refuse(Errc::invalid_value, "there is no such event mode");
  }
  return DOCA_SUCCESS;
}
