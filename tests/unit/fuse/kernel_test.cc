// The built-in kernel, called as an accelerator would, and files that must not become one. What
// needs a whole MsgQ is in system/fuse/msgq_kernel_test.cc.
#include "kernel.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace comch::fuse {
namespace {

// What a kernel sent, and what it was answered.
struct Host {
  std::vector<std::string> sent;
  int answer = 0;

  comch_kernel_call call(std::uint32_t event, const std::string& data = {}) {
    return {
        .abi = COMCH_KERNEL_ABI,
        .event = event,
        .data = data.data(),
        .size = data.size(),
        .producer = 1,
        .state = &state,
        .send =
            [](const comch_kernel_call* of, std::uint32_t, const void* bytes, std::size_t size) {
              auto& self = *static_cast<Host*>(of->host);
              if (self.answer == 0) self.sent.emplace_back(static_cast<const char*>(bytes), size);
              return self.answer;
            },
        .consumer = [](const comch_kernel_call*, std::uint32_t) { return 0U; },
        .stopping = [](const comch_kernel_call*) { return 0; },
        .host = this};
  }

  void* state = nullptr;
};

TEST(KernelTest, EchoSendsEachMessageBackAndNothingOfItsOwn) {
  const auto echo = built_in_kernel("echo");
  ASSERT_TRUE(echo);
  EXPECT_EQ(echo->name, "echo");
  Host host;
  const std::string message = "hello";
  const auto start = host.call(COMCH_KERNEL_START);
  const auto arrival = host.call(COMCH_KERNEL_MESSAGE, message);
  const auto stop = host.call(COMCH_KERNEL_STOP);
  EXPECT_EQ(echo->function(&start), 0);
  EXPECT_EQ(echo->function(&arrival), 0);
  EXPECT_EQ(echo->function(&stop), 0);
  EXPECT_EQ(host.sent, std::vector<std::string>{message});
}

TEST(KernelTest, EchoPassesOnThatThereIsNoRoom) {
  Host host{.sent = {}, .answer = EAGAIN};
  const std::string message = "hello";
  const auto arrival = host.call(COMCH_KERNEL_MESSAGE, message);
  EXPECT_EQ(built_in_kernel("echo")->function(&arrival), EAGAIN);
}

TEST(KernelTest, NoOtherNameIsBuiltIn) {
  for (const char* name : {"", "Echo", "echo ", "/echo", "cat"}) {
    EXPECT_FALSE(built_in_kernel(name)) << name;
  }
}

struct KernelFileTest : testing::Test {
  // The errno for a file with this content and mode.
  int refusal(const std::string& content, mode_t mode) const {
    const std::string path = (directory.path() / "kernel.so").string();
    std::ofstream(path) << content;
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    const auto kernel = load_kernel(path);
    return kernel ? 0 : kernel.error().error;
  }

  const test::TempDir directory;
};

TEST_F(KernelFileTest, PathIsAbsoluteAndThere) {
  EXPECT_EQ(load_kernel("kernel.so").error().error, EINVAL);
  EXPECT_EQ(load_kernel("").error().error, EINVAL);
  EXPECT_EQ(load_kernel((directory.path() / "none.so").string()).error().error, ENOENT);
  EXPECT_EQ(load_kernel(directory.path().string()).error().error, EINVAL) << "no regular file";
}

TEST_F(KernelFileTest, NobodyButRootMayHaveWrittenIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has files of root's";
  EXPECT_EQ(refusal("anything", 0755), EINVAL) << "and this is no kernel, for all its mode";
  EXPECT_EQ(refusal("anything", 0775), EPERM);
  EXPECT_EQ(refusal("anything", 0757), EPERM);
  const std::string path = (directory.path() / "kernel.so").string();
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  ASSERT_EQ(::chown(path.c_str(), 61001, 61001), 0);
  EXPECT_EQ(load_kernel(path).error().error, EPERM);
}

TEST_F(KernelFileTest, EmptyAndCutShortObjectsAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has files of root's";
  EXPECT_EQ(refusal("", 0755), EINVAL);
  EXPECT_EQ(refusal("\x7f"
                    "ELF",
                    0755),
            EINVAL);
}

TEST_F(KernelFileTest, EnormousFileIsNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root has files of root's";
  const std::string path = (directory.path() / "kernel.so").string();
  std::ofstream(path).close();
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  EXPECT_EQ(load_kernel(path).error().error, EFBIG);
}

}  // namespace
}  // namespace comch::fuse
