// LogLines: what is logged, at level info and above, while it lives.
//
//   const LogLines log;
//   ...
//   EXPECT_THAT(log.lines, ElementsAre(...));
//
// Threads: one test at a time, which logs on its own thread.
#pragma once

#include <string>
#include <vector>

#include "comch/log.h"

namespace comch::test {

class LogLines {
 public:
  LogLines() {
    set_log_level(LogLevel::kInfo);
    set_log_sink([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~LogLines() {
    set_log_sink({});
    set_log_level(before_);
  }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;

  std::vector<std::string> lines;

 private:
  const LogLevel before_ = log_level();
};

}  // namespace comch::test
