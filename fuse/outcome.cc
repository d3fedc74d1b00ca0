// What became of an order; see outcome.h.
#include "outcome.h"

#include <fmt/format.h>
#include <string.h>

#include <utility>

namespace comch::fuse {

Outcome Outcome::failed(int error, std::string reason) {
  Outcome outcome;
  outcome.error = error;
  outcome.reason = std::move(reason);
  return outcome;
}

Outcome Outcome::failed(const Error& error) { return failed(errno_of(error), reason_of(error)); }

Outcome Outcome::later(Check check, std::function<void()> give_up) {
  Outcome outcome;
  outcome.check = std::move(check);
  outcome.give_up = std::move(give_up);
  return outcome;
}

Outcome about(std::string_view subject, Outcome outcome) {
  if (outcome.error != 0) outcome.reason = fmt::format("{}: {}", subject, outcome.reason);
  return outcome;
}

int errno_of(const Error& error) {
  const int code = to_errno(error);
  return code == 0 || code == ENOTCONN || code == ECONNABORTED ? EIO : code;
}

std::string reason_of(const Error& error) {
  std::string text = fmt::format("{}", name(error.code));
  if (error.what != nullptr && *error.what != '\0') text += fmt::format(", {}", error.what);
  if (error.sys != 0) text += fmt::format(" ({})", strerrordesc_np(error.sys));
  return text;
}

}  // namespace comch::fuse
