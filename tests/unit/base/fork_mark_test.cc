// ForkMark: who was forked since, over generations.
#include "comch/fork_mark.h"

#include <gtest/gtest.h>

#include "support/child_process.h"

namespace comch {
namespace {

using test::ChildProcess;
using test::Exit;

TEST(ForkMarkTest, IsForkedInChildrenAndTheirsAlone) {
  const ForkMark mark;
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_TRUE(mark.is_forked());
    const ForkMark own;
    EXPECT_FALSE(own.is_forked());
    ChildProcess grandchild = ChildProcess::run([&] {
      EXPECT_TRUE(mark.is_forked());
      EXPECT_TRUE(own.is_forked());
      return 0;
    });
    EXPECT_EQ(grandchild.wait(), Exit::with(0));
    EXPECT_FALSE(own.is_forked());
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  EXPECT_FALSE(mark.is_forked());
}

TEST(ForkMarkTest, ACopyIsOfWhereItsOriginalWasMade) {
  const ForkMark mark;
  ChildProcess child = ChildProcess::run([&] {
    const ForkMark copy = mark;
    EXPECT_TRUE(copy.is_forked());
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

}  // namespace
}  // namespace comch
