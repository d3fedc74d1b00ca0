// say: a formatted line for the log, which costs one load where nobody wants it.
//
//   say(LogLevel::kWarning, "server {}: the peer {} broke its ring", printable(name), pid);
//
// What a peer or a user chose goes through printable() (text.h) first.
//
// Threads: any. Errors: none; a line for which there is no memory is lost.
#pragma once

#include <fmt/format.h>

#include <utility>

#include "comch/log.h"

namespace comch {

// The part that is the same for every line.
void say_formatted(LogLevel level, fmt::string_view format, fmt::format_args args) noexcept;

template <class... Args>
void say(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (level > log_level()) return;
  say_formatted(level, format, fmt::make_format_args(args...));
}

}  // namespace comch
