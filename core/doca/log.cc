// doca_log: sources, limits and lines; see doca_log.h. Backends are made in log_create.cc.
#include <doca_log.h>

#include <cstdarg>
#include <cstdio>
#include <string>

#include "doca/log_registry.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::doca::LogRegistry;
using Limit = comch::doca::LogRegistry::Limit;

namespace {

doca_error_t no_level(std::source_location where) {
  return doca::refuse(Errc::invalid_value, "there is no such level", where);
}

doca_error_t set(doca_log_backend* backend, Limit limit, std::uint32_t level,
                 std::source_location where = std::source_location::current()) {
  if (backend == nullptr) return doca::null_argument(where);
  if (!doca::is_log_level(level)) return no_level(where);
  if (!doca::log_registry().set(*backend, limit, level)) {
    return doca::refuse(Errc::not_permitted, "this limit of this backend cannot be set so", where);
  }
  return DOCA_SUCCESS;
}

doca_error_t set_strict(doca_log_backend* backend, Limit limit,
                        std::source_location where = std::source_location::current()) {
  if (backend == nullptr) return doca::null_argument(where);
  if (!doca::log_registry().set_strict(*backend, limit)) {
    return doca::refuse(Errc::not_permitted, "an SDK backend has no such limit", where);
  }
  return DOCA_SUCCESS;
}

doca_error_t set_all(Limit limit, std::uint32_t level,
                     std::source_location where = std::source_location::current()) {
  if (!doca::is_log_level(level)) return no_level(where);
  doca::log_registry().set_all(limit, level);
  return DOCA_SUCCESS;
}

// What printf would print, of any length.
std::string print(const char* format, std::va_list args) {
  std::va_list again;
  va_copy(again, args);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length < 0) return format;  // A character that the locale does not know.
  std::string text(static_cast<std::size_t>(length), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, args);
  return text;
}

}  // namespace

doca_error_t doca_log_backend_set_level_lower_limit(doca_log_backend* backend,
                                                    std::uint32_t level) {
  return set(backend, Limit::kLower, level);
}

doca_error_t doca_log_backend_set_level_upper_limit(doca_log_backend* backend,
                                                    std::uint32_t upper_limit) {
  return set(backend, Limit::kUpper, upper_limit);
}

doca_error_t doca_log_backend_set_sdk_level(doca_log_backend* backend, std::uint32_t level) {
  return set(backend, Limit::kSdk, level);
}

doca_error_t doca_log_backend_set_level_lower_limit_strict(doca_log_backend* backend) {
  return set_strict(backend, Limit::kLower);
}

doca_error_t doca_log_backend_set_level_upper_limit_strict(doca_log_backend* backend) {
  return set_strict(backend, Limit::kUpper);
}

doca_error_t doca_log_level_set_global_lower_limit(std::uint32_t level) {
  return set_all(Limit::kLower, level);
}

doca_error_t doca_log_level_set_global_upper_limit(std::uint32_t upper_limit) {
  return set_all(Limit::kUpper, upper_limit);
}

doca_error_t doca_log_level_set_global_sdk_limit(std::uint32_t level) {
  return set_all(Limit::kSdk, level);
}

std::uint32_t doca_log_level_get_global_lower_limit(void) {
  return doca::log_registry().global(Limit::kLower);
}

std::uint32_t doca_log_level_get_global_upper_limit(void) {
  return doca::log_registry().global(Limit::kUpper);
}

std::uint32_t doca_log_level_get_global_sdk_limit(void) {
  return doca::log_registry().global(Limit::kSdk);
}

doca_error_t doca_log_register_source(const char* source_name, int* source) {
  if (source_name == nullptr || source == nullptr) return doca::null_argument();
  return doca::guarded([&] {
    *source = doca::log_registry().add_source(source_name);
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_log_unregister_source(int source) {
  if (doca::log_registry().remove_source(source)) return DOCA_SUCCESS;
  return doca::refuse(Errc::not_found, "there is no such source");
}

doca_log_registrator::doca_log_registrator(const char* source_name, int& log_source) noexcept {
  doca_log_register_source(source_name, &log_source);
}

doca_error_t doca_log(std::uint32_t level, int source, const char* fname, int line,
                      const char* func, const char* format, ...) {
  if (fname == nullptr || func == nullptr || format == nullptr) return doca::null_argument();
  if (!doca::is_log_level(level) || level == DOCA_LOG_LEVEL_DISABLE) {
    return no_level(std::source_location::current());
  }
  LogRegistry& log = doca::log_registry();
  if (!log.wanted(level)) return DOCA_SUCCESS;
  std::va_list args;
  va_start(args, format);
  const doca_error_t result = doca::guarded([&] {
    log.write(level, source, {.file = fname, .line = line, .function = func}, print(format, args));
    return DOCA_SUCCESS;
  });
  va_end(args);
  return result;
}
