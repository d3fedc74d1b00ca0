// The programs of this suite: gtest in a temporary directory of the program's own.
//
// LeakAudit looks at what is mounted below the temporary directory. Programs of this suite
// mount all the time and run side by side, so that each needs one of its own.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temp_dir.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const comch::test::TempDir own;
  ::setenv("TMPDIR", own.path().c_str(), 1);
  return RUN_ALL_TESTS();
}
