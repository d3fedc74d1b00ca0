// A program whose tests leave something behind, for leak_audit_test.cc to see them fail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

TEST(Leaky, LeavesADescriptor) { ASSERT_GE(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0); }

TEST(Leaky, LeavesAChild) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) ::_exit(0);
}

TEST(Leaky, LeavesNothing) {}

}  // namespace
