// Result: the words, the sentence and the errno of an Error.
#include "comch/result.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "comch/log.h"

namespace comch {

std::string_view name(Errc code) {
  switch (code) {
    case Errc::unknown:
      return "unknown";
    case Errc::not_permitted:
      return "not_permitted";
    case Errc::in_use:
      return "in_use";
    case Errc::not_supported:
      return "not_supported";
    case Errc::again:
      return "again";
    case Errc::invalid_value:
      return "invalid_value";
    case Errc::no_memory:
      return "no_memory";
    case Errc::initialization:
      return "initialization";
    case Errc::time_out:
      return "time_out";
    case Errc::shutdown:
      return "shutdown";
    case Errc::connection_reset:
      return "connection_reset";
    case Errc::connection_aborted:
      return "connection_aborted";
    case Errc::connection_in_progress:
      return "connection_in_progress";
    case Errc::not_connected:
      return "not_connected";
    case Errc::no_lock:
      return "no_lock";
    case Errc::not_found:
      return "not_found";
    case Errc::io_failed:
      return "io_failed";
    case Errc::bad_state:
      return "bad_state";
    case Errc::unsupported_version:
      return "unsupported_version";
    case Errc::operating_system:
      return "operating_system";
    case Errc::driver:
      return "driver";
    case Errc::unexpected:
      return "unexpected";
    case Errc::already_exist:
      return "already_exist";
    case Errc::full:
      return "full";
    case Errc::empty:
      return "empty";
    case Errc::in_progress:
      return "in_progress";
    case Errc::too_big:
      return "too_big";
    case Errc::authentication:
      return "authentication";
    case Errc::bad_config:
      return "bad_config";
    case Errc::skipped:
      return "skipped";
  }
  return "unknown";  // A number that came from elsewhere, such as the C API.
}

namespace {

std::string_view file_name(const char* path) {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);  // npos + 1 is 0: all of it.
}

// The kernel gives these two a meaning of its own on a file: a mount whose daemon is
// dead, and one that was aborted. A program that saw them would give up on the tree.
bool belongs_to_the_mount(int sys) { return sys == ENOTCONN || sys == ECONNABORTED; }

}  // namespace

std::string describe(const Error& error) {
  std::string line{name(error.code)};
  if (error.what != nullptr && *error.what != '\0')
    fmt::format_to(std::back_inserter(line), ": {}", error.what);
  if (error.sys != 0) {
    const char* symbol = strerrorname_np(error.sys);
    fmt::format_to(std::back_inserter(line), " ({}: {})", symbol != nullptr ? symbol : "errno",
                   std::system_category().message(error.sys));
  }
  if (log_level() == LogLevel::kDebug) {
    fmt::format_to(std::back_inserter(line), " [{}:{}]", file_name(error.where.file_name()),
                   error.where.line());
  }
  return line;
}

int to_errno(const Error& error) {
  if (error.sys != 0 && !belongs_to_the_mount(error.sys)) return error.sys;
  switch (error.code) {
    case Errc::again:
    case Errc::full:
    case Errc::empty:
      return EAGAIN;
    case Errc::invalid_value:
      return EINVAL;
    case Errc::too_big:
      return EMSGSIZE;
    case Errc::bad_state:
    case Errc::in_use:
      return EBUSY;
    case Errc::not_connected:
      return ENXIO;
    case Errc::connection_reset:
      return ECONNRESET;
    case Errc::connection_aborted:
      return ECONNREFUSED;
    case Errc::connection_in_progress:
    case Errc::in_progress:
      return EINPROGRESS;
    case Errc::shutdown:
      return ESHUTDOWN;
    case Errc::authentication:
      return EACCES;
    case Errc::not_permitted:
      return EPERM;
    case Errc::not_supported:
      return EOPNOTSUPP;
    case Errc::already_exist:
      return EEXIST;
    case Errc::not_found:
      return ENOENT;
    case Errc::no_memory:
      return ENOMEM;
    case Errc::time_out:
      return ETIMEDOUT;
    default:
      return EIO;
  }
}

}  // namespace comch
