// ToolTest: the `comch` program as its users run it: by a shell, in a runtime directory
// that no other test meets in.
//
//   Program server = listen("echo --echo");
//   Said said = sh("comch connect echo --count 1 <<< hello");
//   EXPECT_EQ(said, (Said{.code = 0, .out = "hello\n"}));
//
// Threads: one; programs are forked.
// Lifetime: a Program that still runs is killed when it goes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>

#include "support/child_process.h"
#include "support/temp_dir.h"

namespace comch::test {

// What a program said, and how it ended; -1 when it had to be killed at the deadline.
struct Said {
  int code = 0;
  std::string out = {};
  std::string err = {};
  friend bool operator==(const Said&, const Said&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Said& said);
};

// A program in the background, with its output in files.
class Program {
 public:
  // `line` is a simple command; a shell applies its redirections and is replaced by it.
  explicit Program(const std::string& line);

  std::string out() const;
  std::string err() const;
  // Waits until the output, or the standard error, holds `text`.
  [[nodiscard]] bool has_said(const std::string& text) const;
  [[nodiscard]] bool has_reported(const std::string& text) const;

  void signal(int number) const { process_->kill(number); }
  pid_t pid() const { return process_->pid(); }
  // Waits for its end.
  Said end(const Deadline& deadline = Deadline());

 private:
  std::unique_ptr<TempDir> dir_ = std::make_unique<TempDir>();
  std::unique_ptr<ChildProcess> process_;
};

class ToolTest : public testing::Test {
 protected:
  // Runs a line of shell to its end.
  static Said sh(const std::string& line) { return Program("bash -c '" + line + "'").end(); }

  // A server that can be connected to: `comch listen ARGUMENTS`.
  static Program listen(const std::string& arguments);

  RuntimeDirectory runtime_;
};

}  // namespace comch::test
