// Shell: real tools on the tree, ended with all they started when they take too long.
//
//   EXPECT_EQ(shell(root(), "cat servers/echo/conn0/get"), said("hello"));
//
// Threads: forks. Errors: a script that had to be killed ends by SIGKILL.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <utility>

#include "support/child_process.h"

namespace comch::test {

struct Said {
  Exit exit;
  std::string output;  // stdout and stderr as they came.

  friend bool operator==(const Said&, const Said&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Said& said);
};
inline Said said(std::string output) {
  return {.exit = Exit::with(0), .output = std::move(output)};
}

// Runs `script` in `directory` by /bin/sh, or by the named shell.
Said shell(const std::filesystem::path& directory, const std::string& script,
           const Deadline& deadline = Deadline(), const char* interpreter = "/bin/sh");

// Whether a program of this name is in PATH.
bool has_program(const std::string& name);

}  // namespace comch::test
