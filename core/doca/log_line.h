// log_line: a line of the log as it is written.
//
//   [2026-01-31 17:05:09.123456][4711][INF][MY_PROGRAM::MAIN][main.c:42][main] 3 messages
//
// The local time, the thread, the level, the source, the place in the program's text.
//
// Threads: pure functions, but for the clock and the thread that calls.
#pragma once

#include <doca_log.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace comch::doca {

constexpr bool is_log_level(std::uint32_t level) {
  return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

struct LogPlace {
  std::string_view file;  // A path; its last part is shown. Empty: the place is not shown.
  int line = 0;
  std::string_view function;
};

// With a newline at the end.
std::string log_line(std::uint32_t level, std::string_view source, const LogPlace& place,
                     std::string_view message);

}  // namespace comch::doca
