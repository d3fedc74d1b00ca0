// Logged: tests of logs. Backends live as long as their process, so each test is a process.
//
//   in_process([] { ... EXPECT_EQ ... });
//
// Threads: the test's. Lifetime: nothing outlives the child.
#pragma once

#include <doca_log.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace comch::test {

// Lines that a backend of a buffer was given, without their beginnings, which tell the time.
inline std::vector<std::string>& heard() {
  static std::vector<std::string> lines;
  return lines;
}

inline std::string after_thread(const std::string& line) {
  const std::size_t thread = line.find("][");
  return line.substr(line.find("][", thread + 1) + 1);
}

inline void hear(char* line) { heard().push_back(after_thread(line)); }

// A backend whose lines are heard.
inline doca_log_backend* listen(bool sdk = false) {
  static char buffer[4096];
  doca_log_backend* backend = nullptr;
  const auto create = sdk ? doca_log_backend_create_with_buf_sdk : doca_log_backend_create_with_buf;
  EXPECT_EQ(create(buffer, sizeof buffer, hear, &backend), DOCA_SUCCESS);
  return backend;
}

inline void in_process(const std::function<void()>& body) {
  ChildProcess child = ChildProcess::run([&] {
    body();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

}  // namespace comch::test
