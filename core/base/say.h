// say: a formatted line for the log, which costs one load where nobody wants it.
//
//   say(LogLevel::kWarning, "server {}: the peer {} broke its ring", printable(name), pid);
//   say(About(peer.uid), LogLevel::kInfo, "server {}: refused uid {}", printable(name), peer.uid);
//
// What a peer or a user chose goes through printable() (text.h) first.
//
// Lines of one place are rationed (ration.h), for it is mostly a peer that gives the cause; and
// where it says whom they are about, those about each: who floods the log hides no line about
// another. At the level kDebug every line is said.
//
// Threads: any. Errors: none; a line for which there is no memory is lost.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "comch/log.h"

namespace comch {

// Whom a line is about, or what: the id of a user, the name of a machine, a sentence.
struct About {
  constexpr About() = default;
  constexpr explicit About(std::uint32_t uid) : whom(std::uint64_t{uid} + 1) {}
  explicit About(std::string_view name) : whom(std::hash<std::string_view>{}(name)) {}

  std::uint64_t whom = 0;
};

// The part that is the same for every line.
void say_formatted(About about, LogLevel level, fmt::string_view format,
                   fmt::format_args args) noexcept;

template <class... Args>
void say(About about, LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (level > log_level()) return;
  say_formatted(about, level, format, fmt::make_format_args(args...));
}

template <class... Args>
void say(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (level > log_level()) return;
  say_formatted(About{}, level, format, fmt::make_format_args(args...));
}

}  // namespace comch
