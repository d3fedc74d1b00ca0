// LeakAudit: after every test of a program, nothing is there that was not there before.
//
// Descriptors, children, threads, and mounts below the temporary directory are taken
// before each test and compared after it, when its fixture is gone; a difference fails
// that test and says what is left. A program takes part by linking leak_audit_dep instead
// of support_dep; there is nothing to call. What a program as a whole leaves behind
// (processes, files, mounts) is looked at by tests/run.
//
// Threads: runs on gtest's thread, between tests.
// Lifetime: the listener belongs to gtest.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace comch::test {

// What a process holds at one moment.
struct Holdings {
  std::map<int, std::string> descriptors;
  std::vector<int> children;
  std::size_t threads = 0;
  std::vector<std::string> mounts;

  static Holdings now();
};

// One line for each thing that `after` has and `before` had not; empty when nothing is left.
std::string left_behind(const Holdings& before, const Holdings& after);

}  // namespace comch::test
