// What the audit after every test sees, and that a test that leaves something fails.
#include "support/leak_audit.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "support/child_process.h"

namespace comch::test {
namespace {

TEST(LeakAuditTest, FindsNothingWhereNothingChanged) {
  const Holdings before = Holdings::now();
  EXPECT_EQ(left_behind(before, Holdings::now()), "");
}

TEST(LeakAuditTest, NamesAnOpenDescriptorAndWhatItPointsAt) {
  const Holdings before = Holdings::now();
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::string left = left_behind(before, Holdings::now());
  ::close(fd);
  EXPECT_EQ(left, "descriptor " + std::to_string(fd) + " -> /dev/null\n");
}

TEST(LeakAuditTest, NamesADescriptorThatNowIsAnotherThing) {
  const int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const Holdings before = Holdings::now();
  const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  ::dup3(zero, fd, O_CLOEXEC);
  ::close(zero);
  EXPECT_EQ(left_behind(before, Holdings::now()),
            "descriptor " + std::to_string(fd) + " -> /dev/zero\n");
  ::close(fd);
}

TEST(LeakAuditTest, NamesAChildThatIsNotReaped) {
  const Holdings before = Holdings::now();
  ChildProcess child = ChildProcess::run([] { return 0; });
  EXPECT_NE(left_behind(before, Holdings::now())
                .find("child process " + std::to_string(child.pid()) + "\n"),
            std::string::npos);
}

TEST(LeakAuditTest, CountsThreadsThatStillRun) {
  const Holdings before = Holdings::now();
  const Gate end;
  std::thread thread([&] { EXPECT_TRUE(end.wait()); });
  const std::string left = left_behind(before, Holdings::now());
  end.open();
  thread.join();
  EXPECT_NE(left.find("1 more threads than before"), std::string::npos) << left;
}

TEST(LeakAuditTest, FailsEachTestThatLeavesSomethingAndNoOther) {
  const char* program = std::getenv("LEAKY_PROGRAM");  // leaky.cc
  ASSERT_NE(program, nullptr);
  const auto result = run_program({program});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit, Exit::with(1));
  EXPECT_NE(result->output.find("[  FAILED  ] Leaky.LeavesADescriptor"), std::string::npos);
  EXPECT_NE(result->output.find("[  FAILED  ] Leaky.LeavesAChild"), std::string::npos);
  EXPECT_NE(result->output.find("[       OK ] Leaky.LeavesNothing"), std::string::npos);
}

TEST(LeakAuditTest, NamesAMountThatStays) {
  const Holdings before;
  Holdings after;
  after.mounts = {"/somewhere/comch"};
  EXPECT_EQ(left_behind(before, after), "mount on /somewhere/comch\n");
}

TEST(LeakAuditTest, LetsTheLibraryKeepRdmaDevicesButNoQueues) {
  const Holdings before;
  Holdings after;
  after.descriptors = {{4, "/dev/infiniband/uverbs0"}, {5, "anon_inode:[infinibandevent]"}};
  EXPECT_EQ(left_behind(before, after), "");
  after.descriptors[6] = "anon_inode:[infinibandevent]";
  EXPECT_EQ(left_behind(before, after), "descriptor 6 -> anon_inode:[infinibandevent]\n");
  after.descriptors[7] = "/dev/infiniband/rdma_cm";
  EXPECT_NE(left_behind(before, after).find("rdma_cm"), std::string::npos);
}

}  // namespace
}  // namespace comch::test
