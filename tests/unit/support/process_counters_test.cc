// What the counters read from /proc.
#include "support/process_counters.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <thread>

#include "support/child_process.h"

namespace comch::test {
namespace {

TEST(ProcessCountersTest, ADescriptorIsListedWhileItIsOpen) {
  const auto before = open_descriptors();
  const int fd = ::memfd_create("counted", MFD_CLOEXEC);
  EXPECT_EQ(open_descriptors().at(fd), "/memfd:counted (deleted)");
  ::close(fd);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(ProcessCountersTest, AMappingIsCountedByTheNameOfItsMemory) {
  const int fd = ::memfd_create("counted_map", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(fd, 4096), 0);
  EXPECT_EQ(mappings("counted_map"), 0U);
  void* memory = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(mappings("counted_map"), 1U);
  EXPECT_GT(mappings(), 1U);
  ::munmap(memory, 4096);
  ::close(fd);
  EXPECT_EQ(mappings("counted_map"), 0U);
}

TEST(ProcessCountersTest, AChildIsListedUntilItIsReaped) {
  ChildProcess child = ChildProcess::run([] { return 0; });
  EXPECT_EQ(children(), std::vector<pid_t>{child.pid()});
  ASSERT_TRUE(child.wait());
  EXPECT_TRUE(children().empty());
}

TEST(ProcessCountersTest, AThreadIsCountedWhileItRuns) {
  const std::size_t before = threads();
  const Gate end;
  std::thread thread([&] { EXPECT_TRUE(end.wait()); });
  EXPECT_EQ(threads(), before + 1);
  end.open();
  thread.join();
  EXPECT_TRUE(eventually([&] { return threads() == before; }));
}

TEST(ProcessCountersTest, AProcessUsesMemoryAndOneThatIsGoneNothing) {
  EXPECT_GT(resident_bytes(), 100'000U);
  ChildProcess child = ChildProcess::run([] { return 0; });
  ASSERT_TRUE(child.wait());
  EXPECT_EQ(resident_bytes(child.pid()), 0U);
  EXPECT_TRUE(open_descriptors(child.pid()).empty());
  EXPECT_TRUE(children(child.pid()).empty());
}

TEST(ProcessCountersTest, MountsAreListedBelowADirectoryOnly) {
  const std::vector<std::string> under_proc = mounts_under("/proc");
  ASSERT_FALSE(under_proc.empty());
  EXPECT_EQ(under_proc[0], "/proc");
  EXPECT_TRUE(mounts_under("/pro").empty());
}

}  // namespace
}  // namespace comch::test
