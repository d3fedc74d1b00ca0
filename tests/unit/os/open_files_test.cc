// Open files: the limit as it is at the moment.
#include "os/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/child_process.h"

namespace comch::os {
namespace {

TEST(OpenFilesTest, TheLimitIsThatOfTheMoment) {
  test::ChildProcess child = test::ChildProcess::run([] {
    for (const rlim_t files : {rlim_t{100}, rlim_t{64}}) {
      const rlimit limit{.rlim_cur = files, .rlim_max = 100};
      EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
      EXPECT_EQ(open_files_max(), files);
    }
    return 0;
  });
  EXPECT_EQ(child.wait(), test::Exit::with(0));
}

}  // namespace
}  // namespace comch::os
