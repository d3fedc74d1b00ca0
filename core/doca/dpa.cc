// doca_dpa: the accelerator; see dpa.h and doca_dpa.h. Its memory, threads, completion contexts
// and operations are in files of their own, and so are calls of its functions (dpa_rpc.cc).
#include "doca/dpa.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "doca/dev.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::dpa::Accelerator;
using doca::answer;
using doca::null_argument;
using doca::refuse;

namespace {

// Copies the text with its closing NUL, if there is room, and says how much is needed.
bool copy_text(std::string_view text, char* out, uint32_t* length) {
  const uint32_t room = *length;
  *length = static_cast<uint32_t>(text.size() + 1);
  if (room < *length) return false;
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return true;
}

// Settings are made before the start, and of an extended one by its base.
doca_error_t require_settable(const doca_dpa& dpa, std::source_location where) {
  if (dpa.is_extended()) return refuse(Errc::not_permitted, "the DPA context is extended", where);
  if (dpa.accelerator().started()) {
    return refuse(Errc::bad_state, "the DPA context is started", where);
  }
  return DOCA_SUCCESS;
}

// By a number: what a C program passes need not be one of the names.
bool is_level(std::uint32_t level) {
  switch (level) {
    case DOCA_DPA_DEV_LOG_LEVEL_DISABLE:
    case DOCA_DPA_DEV_LOG_LEVEL_ERROR:
    case DOCA_DPA_DEV_LOG_LEVEL_WARNING:
    case DOCA_DPA_DEV_LOG_LEVEL_INFO:
    case DOCA_DPA_DEV_LOG_LEVEL_DEBUG:
      return true;
    default:
      return false;
  }
}

}  // namespace

// --- Life --------------------------------------------------------------------------------

doca_error_t doca_dpa_cap_is_supported(const doca_devinfo* devinfo) {
  return devinfo == nullptr ? null_argument() : DOCA_SUCCESS;
}

doca_error_t doca_dpa_create(doca_dev* dev, doca_dpa** dpa) {
  if (dev == nullptr || dpa == nullptr) return null_argument();
  return doca::guarded([&] {
    auto made = Accelerator::create(dev->device);
    if (!made) return answer(made.error());
    auto face = std::make_unique<doca_dpa>(dev->device);
    face->made = std::move(*made);
    *dpa = face.release();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_destroy(doca_dpa* dpa) {
  if (dpa == nullptr) return null_argument();
  if (dpa->is_extended()) {
    // Edge EXTENSION: what was done with it happens before its base is seen to be free of it.
    dpa->base->extensions.fetch_sub(1, std::memory_order_release);
    delete dpa;
    return DOCA_SUCCESS;
  }
  if (dpa->extensions.load(std::memory_order_acquire) != 0) {  // EXTENSION.
    return refuse(Errc::in_use, "extended DPA contexts are left; destroy them first");
  }
  if (comch::Status s = Accelerator::destroy(dpa->made); !s) return answer(s);
  delete dpa;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_start(doca_dpa* dpa) {
  if (dpa == nullptr) return null_argument();
  return doca::guarded([&] { return answer(dpa->accelerator().start()); });
}

doca_error_t doca_dpa_stop(doca_dpa* dpa) {
  if (dpa == nullptr) return null_argument();
  if (dpa->is_extended()) {
    return refuse(Errc::not_permitted, "an extended DPA context ends when it is destroyed");
  }
  if (dpa->extensions.load(std::memory_order_acquire) != 0) {  // EXTENSION.
    return refuse(Errc::in_use, "extended DPA contexts are left; destroy them first");
  }
  return answer(dpa->accelerator().stop());
}

doca_error_t doca_dpa_device_extend(doca_dpa* dpa, doca_dev* other_dev, doca_dpa** extended_dpa) {
  if (dpa == nullptr || other_dev == nullptr || extended_dpa == nullptr) return null_argument();
  if (dpa->is_extended()) {
    return refuse(Errc::invalid_value, "an extended DPA context cannot be extended");
  }
  if (!dpa->accelerator().started()) {
    return refuse(Errc::bad_state, "the DPA context is not started");
  }
  return doca::guarded([&] {
    auto face = std::make_unique<doca_dpa>(other_dev->device);
    face->base = dpa;
    face->app = dpa->app;
    dpa->extensions.fetch_add(1, std::memory_order_relaxed);  // No edge: a count.
    *extended_dpa = face.release();
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_get_dpa_handle(doca_dpa* dpa, doca_dpa_dev_t* handle) {
  if (dpa == nullptr || handle == nullptr) return null_argument();
  if (!dpa->accelerator().started()) {
    return refuse(Errc::bad_state, "the DPA context is not started");
  }
  return doca::guarded([&] {
    const comch::Result<std::uint64_t> number = dpa->handle.of(*dpa);
    if (!number) return answer(number.error());
    *handle = *number;
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_peek_at_last_error(const doca_dpa* dpa) {
  if (dpa == nullptr) return null_argument();
  const comch::Status failure = dpa->accelerator().failure();
  return failure ? DOCA_SUCCESS : refuse(Errc::bad_state, failure.error().what);
}

// --- The application ---------------------------------------------------------------------

doca_error_t doca_dpa_set_app(doca_dpa* dpa, doca_dpa_app* app) {
  if (dpa == nullptr || app == nullptr) return null_argument();
  if (dpa->accelerator().started()) return refuse(Errc::bad_state, "the DPA context is started");
  dpa->app = app;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_app(doca_dpa* dpa, doca_dpa_app** app) {
  if (dpa == nullptr || app == nullptr) return null_argument();
  *app = dpa->app;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_app_get_name(doca_dpa_app* app, char* app_name, uint32_t* app_name_len) {
  if (app == nullptr || app_name == nullptr || app_name_len == nullptr) return null_argument();
  if (copy_text(app->name, app_name, app_name_len)) return DOCA_SUCCESS;
  return refuse(Errc::invalid_value, "there is too little room for the name");
}

// --- The log -----------------------------------------------------------------------------

doca_error_t doca_dpa_set_log_level(doca_dpa* dpa, doca_dpa_dev_log_level_t log_level) {
  if (dpa == nullptr) return null_argument();
  if (!is_level(std::bit_cast<std::uint32_t>(log_level)))
    return refuse(Errc::invalid_value, "there is no such log level");
  const auto where = std::source_location::current();
  if (const doca_error_t e = require_settable(*dpa, where); e != DOCA_SUCCESS) return e;
  dpa->log().set_level(log_level);
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_get_log_level(doca_dpa* dpa, doca_dpa_dev_log_level_t* log_level) {
  if (dpa == nullptr || log_level == nullptr) return null_argument();
  *log_level = dpa->log().level();
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_log_file_set_path(doca_dpa* dpa, const char* file_path) {
  if (dpa == nullptr || file_path == nullptr) return null_argument();
  const auto where = std::source_location::current();
  if (const doca_error_t e = require_settable(*dpa, where); e != DOCA_SUCCESS) return e;
  return doca::guarded([&] { return answer(dpa->log().set_path(file_path), where); });
}

doca_error_t doca_dpa_log_file_get_path(doca_dpa* dpa, char* file_path, uint32_t* file_path_len) {
  if (dpa == nullptr || file_path == nullptr || file_path_len == nullptr) return null_argument();
  if (copy_text(dpa->log().path(), file_path, file_path_len)) return DOCA_SUCCESS;
  return refuse(Errc::no_memory, "there is too little room for the path");
}
