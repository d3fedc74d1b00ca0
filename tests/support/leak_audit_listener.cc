// The gtest listener of LeakAudit. It registers itself before main(), so that a program
// has it by linking this file.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "support/deadline.h"
#include "support/leak_audit.h"
#include "support/temp_dir.h"

namespace comch::test {
namespace {

class LeakAudit : public testing::EmptyTestEventListener {
  // A temporary directory of the program's own: the mounts of programs that run at the same
  // time are not seen then.
  void OnTestProgramStart(const testing::UnitTest&) override {
    directory_.emplace();
    // A test may become another user, who must still get to what is below.
    using enum std::filesystem::perms;
    std::filesystem::permissions(directory_->path(),
                                 owner_all | group_read | group_exec | others_read | others_exec);
    // TSan's runtime makes a thread of its own beside the program's first: not a test's leak.
    std::thread([] {}).join();
    ::setenv("TMPDIR", directory_->path().c_str(), 1);
  }
  void OnTestProgramEnd(const testing::UnitTest&) override { directory_.reset(); }

  void OnTestStart(const testing::TestInfo&) override { before_ = Holdings::now(); }

  void OnTestEnd(const testing::TestInfo&) override {
    // What is ending (a thread in its last instructions, a lazy unmount) is no leak.
    std::string left;
    if (!eventually(
            [&] {
              left = left_behind(before_, Holdings::now());
              return left.empty();
            },
            Deadline(std::chrono::seconds(1))))
      ADD_FAILURE() << "the test left behind:\n" << left;
  }

  std::optional<TempDir> directory_;
  Holdings before_;
};

[[maybe_unused]] const bool registered = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new LeakAudit);
  return true;
}();

}  // namespace
}  // namespace comch::test
