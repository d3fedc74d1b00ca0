// refuse: see refuse.h.
#include "doca/refuse.h"

#include <fmt/format.h>

#include <new>
#include <string_view>

#include "comch/log.h"

namespace comch::doca {

namespace {

// "doca_error_t doca_pe_create(doca_pe**)" -> "doca_pe_create"
std::string_view function_of(std::string_view signature) {
  signature = signature.substr(0, signature.find('('));
  return signature.substr(signature.find_last_of(" *&:") + 1);
}

}  // namespace

doca_error_t refuse(Errc code, const char* what, std::source_location where) {
  if (log_level() >= LogLevel::kWarning) {
    try {
      log(LogLevel::kWarning,
          fmt::format("{}: {} ({})", function_of(where.function_name()), what, name(code)));
    } catch (const std::bad_alloc&) {
      return number_of(code);  // The program has the answer, if not the line.
    }
  }
  return number_of(code);
}

}  // namespace comch::doca
