// NULL for every pointer argument of every function: refused before anything is looked at.
// headers/null_calls.py makes the calls, headers/null_arguments.txt has the exceptions.
#include <doca_argp.h>
#include <doca_error.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "doca/headers/null_calls.h"
#include "support/child_process.h"
#include "support/temp_dir.h"

namespace comch::test {
namespace {

constexpr std::size_t kNowhere = std::size_t{1} << 20U;

std::string answer(const Exit& exit) {
  if (exit.signal != 0) return "signal " + std::to_string(exit.signal);
  return doca_error_get_name(static_cast<doca_error_t>(exit.code));
}

// What the lines of a function begin with: an older name is the newer one's, and what is inline in
// its header is what that calls.
std::string name_in_log(const std::string& function) {
  if (function.starts_with("doca_cc_")) return "doca_c";
  if (function.starts_with("doca_buf_inventory_buf_get_by_")) {
    return "doca_buf_inventory_buf_get_by_args: ";
  }
  return function + ": ";
}

// The lines that do not name the function that was called.
std::string strange_lines(const std::string& path, const std::string& function) {
  const std::string name = name_in_log(function);
  std::string strange;
  std::ifstream said(path);
  for (std::string line; std::getline(said, line);) {
    if (line.find(name) == std::string::npos) strange += line + '\n';
  }
  return strange;
}

// Each in a process of its own: the functions change what the process has, and may crash.
TEST(NullArgumentsTest, AreRefusedBeforeAnythingIsLookedAt) {
  void* const nowhere = mmap(nullptr, kNowhere, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(nowhere, MAP_FAILED);
  null_calls_nowhere = static_cast<char*>(nowhere) + kNowhere / 2;  // Offsets of members stay in.
  const RuntimeDirectory runtime;
  const TempDir files;
  std::string strange;  // Said under another name than the one that was called.
  EXPECT_GT(null_call_count, 800u);
  for (std::size_t n = 0; n < null_call_count; ++n) {
    const null_call& tried = null_calls[n];
    ChildProcess child = ChildProcess::run([&] {
      // The refusals' log lines, of which there are hundreds.
      if (std::freopen((files / "said").c_str(), "w", stderr) == nullptr) return EXIT_FAILURE;
      // Without it these answer BAD_STATE, whatever they are given.
      const std::string function = tried.function;
      if (function.starts_with("doca_argp_") && function != "doca_argp_init") {
        doca_argp_init("null", nullptr);
      }
      return tried.call();
    });
    const auto ended = child.wait();
    ASSERT_TRUE(ended) << tried.function << " does not return";
    EXPECT_EQ(answer(*ended), doca_error_get_name(static_cast<doca_error_t>(tried.expected)))
        << tried.function << " with " << tried.argument << " NULL";
    strange += strange_lines(files / "said", tried.function);
  }
  EXPECT_EQ(strange, "");
  munmap(nowhere, kNowhere);
}

}  // namespace
}  // namespace comch::test
