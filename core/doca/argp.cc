// doca_argp: the parser's life, and what configures it; see doca_argp.h and argp.h.
#include "doca/argp.h"

#include <fmt/format.h>

#include <cstdarg>
#include <cstdio>

#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::doca::Argp;

namespace comch::doca {

namespace {

// A logger wants the words that printf would have got.
// NOLINTNEXTLINE(cert-dcl50-cpp): there is no other way to make a va_list.
void tell(doca_argp_logger_cb_t logger, const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  logger(DOCA_LOG_LEVEL_ERROR, format, args);
  va_end(args);
}

}  // namespace

std::unique_ptr<Argp>& Argp::instance() {
  static std::unique_ptr<Argp> only;
  return only;
}

void Argp::say(std::string_view sentence) const {
  if (quiet) return;
  const std::string line = fmt::format("{}: {}\n", program, sentence);
  if (logger != nullptr) return tell(logger, "%s", line.c_str());
  std::fputs(line.c_str(), stderr);
}

Argp* configurable(std::source_location where) {
  Argp* const argp = Argp::instance().get();
  if (argp != nullptr && !argp->started) return argp;
  refuse(Errc::bad_state, "the parser is not initialised, or has started", where);
  return nullptr;
}

}  // namespace comch::doca

namespace {

// Sets one of the parser's callbacks.
template <class Callback>
doca_error_t set(Callback Argp::* which, Callback callback,
                 std::source_location where = std::source_location::current()) {
  Argp* const argp = doca::configurable(where);
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  if (callback == nullptr) return doca::null_argument(where);
  argp->*which = callback;
  return DOCA_SUCCESS;
}

}  // namespace

doca_error_t doca_argp_init(const char* program_name, void* program_config) {
  if (Argp::instance() != nullptr) {
    return doca::refuse(Errc::bad_state, "the parser is initialised already");
  }
  return doca::guarded([&] {
    auto argp = std::make_unique<Argp>();
    if (program_name != nullptr) argp->program = program_name;
    argp->config = program_config;
    Argp::instance() = std::move(argp);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_argp_destroy(void) {
  if (Argp::instance() == nullptr) {
    return doca::refuse(Errc::bad_state, "the parser is not initialised");
  }
  Argp::instance().reset();
  return DOCA_SUCCESS;
}

doca_error_t doca_argp_register_param(doca_argp_param* input_param) {
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  return doca::register_with(argp->root, input_param, std::source_location::current());
}

doca_error_t doca_argp_register_cmd(doca_argp_cmd* input_cmd) {
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  return doca::register_with(argp->root, input_cmd, std::source_location::current());
}

doca_error_t doca_argp_register_version_callback(doca_argp_param_cb_t callback) {
  return set(&Argp::version, callback);
}

doca_error_t doca_argp_register_validation_callback(doca_argp_validation_cb_t callback) {
  return set(&Argp::validation, callback);
}

doca_error_t doca_argp_register_logger_callback(doca_argp_logger_cb_t callback) {
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  if (callback == nullptr) return doca::null_argument();
  if (argp->logger != nullptr) {
    return doca::refuse(Errc::already_exist, "the parser has a logger already");
  }
  argp->logger = callback;
  argp->quiet = false;
  return DOCA_SUCCESS;
}

doca_error_t doca_argp_disable_logger_callback(void) {
  Argp* const argp = doca::configurable();
  if (argp == nullptr) return DOCA_ERROR_BAD_STATE;
  argp->logger = nullptr;
  argp->quiet = true;
  return DOCA_SUCCESS;
}

void doca_argp_set_dpdk_program(doca_argp_dpdk_cb_t callback) {
  if (Argp* const argp = doca::configurable(); argp != nullptr) argp->dpdk = callback;
}

doca_error_t doca_argp_get_log_level(int* log_level) {
  if (log_level == nullptr) return doca::null_argument();
  *log_level = static_cast<int>(doca_log_level_get_global_lower_limit());
  return DOCA_SUCCESS;
}

doca_error_t doca_argp_get_sdk_log_level(int* log_level) {
  if (log_level == nullptr) return doca::null_argument();
  *log_level = static_cast<int>(doca_log_level_get_global_sdk_limit());
  return DOCA_SUCCESS;
}
