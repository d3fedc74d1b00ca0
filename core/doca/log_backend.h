// LogBackend: a place that lines of the log go to, and which of them.
//
// Threads: one at a time; the Log (log.h) sees to that. Lifetime: the process's.
#pragma once

#include <doca_log.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>

// Of a limit that is strict, the gravity may only come closer to the other limit.
struct LogLimit {
  std::uint32_t level;
  bool strict = false;
};

struct doca_log_backend {
  doca_log_backend() = default;
  doca_log_backend(const doca_log_backend&) = delete;
  doca_log_backend& operator=(const doca_log_backend&) = delete;
  virtual ~doca_log_backend() = default;

  // `line` ends with a newline. What cannot be written is lost: a log that fails does not
  // make the program fail.
  virtual void write(std::uint32_t level, std::string_view line) = 0;

  // Levels count up as they become less grave.
  bool wants(std::uint32_t level) const { return level >= upper.level && level <= lower.level; }

  bool sdk = false;  // The library's lines, or the program's.
  LogLimit lower{DOCA_LOG_LEVEL_INFO};
  LogLimit upper{DOCA_LOG_LEVEL_CRIT};
};

namespace comch::doca {

std::unique_ptr<doca_log_backend> file_backend(std::FILE* file);
std::unique_ptr<doca_log_backend> fd_backend(int fd);
std::unique_ptr<doca_log_backend> buffer_backend(char* buffer, std::size_t capacity,
                                                 log_flush_callback handler);
// Null: the process has a connection to syslog of another name. From any thread.
std::unique_ptr<doca_log_backend> syslog_backend(std::string_view name);
std::unique_ptr<doca_log_backend> standard_backend();

}  // namespace comch::doca
