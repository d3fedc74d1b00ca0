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

// The lines that do not name the function that was called. An older name is the newer one's.
std::string strange_lines(const std::string& path, const std::string& function) {
  const bool is_older = function.starts_with("doca_cc_");
  std::string strange;
  std::ifstream said(path);
  for (std::string line; std::getline(said, line);) {
    const bool names_it = line.find(is_older ? "doca_c" : function + ": ") != std::string::npos;
    if (!names_it) strange += line + '\n';
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
    EXPECT_EQ(strange_lines(files / "said", tried.function), "") << tried.function;
  }
  munmap(nowhere, kNowhere);
}

}  // namespace
}  // namespace comch::test
