// log_line: see log_line.h.
#include "doca/log_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

namespace comch::doca {

namespace {

std::string_view word_of(std::uint32_t level) {
  switch (level) {
    case DOCA_LOG_LEVEL_CRIT:
      return "CRT";
    case DOCA_LOG_LEVEL_ERROR:
      return "ERR";
    case DOCA_LOG_LEVEL_WARNING:
      return "WRN";
    case DOCA_LOG_LEVEL_INFO:
      return "INF";
    case DOCA_LOG_LEVEL_DEBUG:
      return "DBG";
    default:
      return "TRC";
  }
}

std::string now() {
  const auto moment = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(moment);
  const auto rest = moment - std::chrono::system_clock::from_time_t(seconds);
  std::tm local{};
  localtime_r(&seconds, &local);
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06}", local,
                     std::chrono::duration_cast<std::chrono::microseconds>(rest).count());
}

}  // namespace

std::string log_line(std::uint32_t level, std::string_view source, const LogPlace& place,
                     std::string_view message) {
  std::string line = fmt::format("[{}][{}][{}][{}]", now(), gettid(), word_of(level), source);
  if (!place.file.empty()) {
    const std::string_view file = place.file.substr(place.file.find_last_of('/') + 1);
    line += fmt::format("[{}:{}][{}]", file, place.line, place.function);
  }
  while (message.ends_with('\n')) message.remove_suffix(1);
  line += fmt::format(" {}\n", message);
  return line;
}

}  // namespace comch::doca
