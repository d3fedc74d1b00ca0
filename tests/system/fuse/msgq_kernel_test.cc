// Kernels in shared objects: who may name which file, what the kernel can do, and how it ends.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "attempt.h"
#include "library_peer.h"
#include "msgq_fixture.h"
#include "shell.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

constexpr std::uint32_t kAnna = 61001;  // Nobody is called so here, which does not matter.

struct MsgqKernelTest : MsgqTest {
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root may name a shared object";
    MsgqTest::SetUp();
  }

  void run_kernel(const fs::path& file) {
    ASSERT_EQ(set("kernel", file.string()), 0) << get_value("error");
    ASSERT_EQ(get_value("state"), "running");
    make_ends();
  }
};

TEST_F(MsgqKernelTest, SharedObjectIsRun) {
  const fs::path file = kernel("test_kernel.so");
  run_kernel(file);
  EXPECT_EQ(get_value("kernel"), file.string());
  ASSERT_EQ(send(producer_, "hello"), 0);
  EXPECT_EQ(get(consumer_), got("hello"));
}

TEST_F(MsgqKernelTest, ExampleAnswersInCapitalLettersAndKeepsItsCount) {
  const char* const example = std::getenv("COMCH_EXAMPLE_KERNEL");
  ASSERT_NE(example, nullptr);
  const fs::path file = directory() / "upper.so";
  fs::copy_file(example, file);
  ASSERT_EQ(::chmod(file.c_str(), 0755), 0);
  run_kernel(file);
  for (const char* text : {"hello", "again"}) ASSERT_EQ(send(producer_, text), 0);
  EXPECT_EQ(get(consumer_), got("1 HELLO"));
  EXPECT_EQ(get(consumer_), got("2 AGAIN"));
  ASSERT_EQ(write_to(queue_ / "ctl", "stop force\nstart"), 0);
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  ASSERT_EQ(send(producer_, "anew"), 0);
  EXPECT_EQ(get(consumer_), got("1 ANEW")) << "every run has a state of its own";
}

TEST_F(MsgqKernelTest, KernelWithoutTheOtherDirectionSendsAsThereIsRoom) {
  ASSERT_EQ(set("direction", "from-accelerator"), 0);
  ASSERT_EQ(set("depth", "4"), 0);
  ASSERT_EQ(set("kernel", kernel("counting_kernel.so").string()), 0) << get_value("error");
  ASSERT_EQ(make_directory(consumer_), 0);
  for (int n = 1; n <= 100; ++n) ASSERT_EQ(get(consumer_), got(std::to_string(n)));
  EXPECT_EQ(count(queue_, "tx_msgs"), 100U);
}

TEST_F(MsgqKernelTest, KernelChoosesAmongConsumers) {
  ASSERT_EQ(set("max_consumers", "2"), 0);
  run_kernel(kernel("test_kernel.so"));
  const fs::path second = queue_ / "consumers/c1";
  ASSERT_EQ(make_directory(second), 0);
  ASSERT_EQ(write_to(second / "enable", "1"), 0);
  ASSERT_EQ(send(producer_, "to " + value(second / "id") + " second"), 0);
  ASSERT_EQ(send(producer_, "to " + value(consumer_ / "id") + " first"), 0);
  ASSERT_EQ(send(producer_, "to 9999 nobody"), 0);
  EXPECT_EQ(get(second), got("second"));
  EXPECT_EQ(get(consumer_), got("first"));
  EXPECT_EQ(get(consumer_), got("ENXIO"));
}

TEST_F(MsgqKernelTest, KernelWithoutConsumersIsTold) {
  ASSERT_EQ(set("direction", "to-accelerator"), 0);
  ASSERT_EQ(set("kernel", kernel("test_kernel.so").string()), 0) << get_value("error");
  ASSERT_EQ(make_directory(producer_), 0);
  ASSERT_EQ(send(producer_, "hello"), 0);
  EXPECT_TRUE(becomes("idle"));
  EXPECT_EQ(get_value("error"), "EIO: the kernel has answered 95 (EOPNOTSUPP)");
}

TEST_F(MsgqKernelTest, KernelThatFailsStopsItsQueueAloneAndSaysWhy) {
  run_kernel(kernel("test_kernel.so"));
  ASSERT_EQ(make_directory(at("msgq/other")), 0);
  ASSERT_EQ(write_to(at("msgq/other/kernel"), "echo"), 0);
  const Attempt reader([&] { return get(consumer_); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(send(producer_, "fail"), 0);
  EXPECT_TRUE(becomes("idle"));
  EXPECT_EQ(get_value("error"), "EIO: the kernel has answered 5 (EIO)");
  EXPECT_EQ(reader.result(), failed(ENXIO));
  EXPECT_EQ(write_to(producer_ / "send", "x"), ENXIO);
  EXPECT_EQ(value(at("msgq/other/state")), "running");
  ASSERT_EQ(set("enable", "1"), 0) << "it can be tried again";
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  ASSERT_EQ(send(producer_, "better"), 0);
  EXPECT_EQ(get(consumer_), got("better"));
}

TEST_F(MsgqKernelTest, KernelThatTakesItsTimeIsToldToStop) {
  run_kernel(kernel("test_kernel.so"));
  ASSERT_EQ(send(producer_, "wait"), 0);
  ASSERT_EQ(write_to(queue_ / "ctl", "stop force"), 0);
  EXPECT_EQ(get_value("state"), "idle");
}

TEST_F(MsgqKernelTest, KernelThatDoesNotReturnHoldsUpItsOwnQueueOnly) {
  run_kernel(kernel("test_kernel.so"));
  Attempt holder([] {
    ::pause();
    return Got();
  });
  ASSERT_EQ(send(producer_, "hold " + std::to_string(holder.pid())), 0);
  ASSERT_TRUE(eventually([&] { return count(queue_, "kernel_calls") == 2; }));
  const Attempt stopper([&] { return failed(write_to(queue_ / "ctl", "stop force")); });
  ASSERT_TRUE(stopper.is_held(SYS_write));
  EXPECT_EQ(get_value("state"), "stopping");
  EXPECT_EQ(make_server("echo"), 0) << "the mount goes on";
  holder.kill(SIGKILL);
  ASSERT_TRUE(holder.wait());
  EXPECT_EQ(stopper.result(), failed(0));
  EXPECT_EQ(get_value("state"), "idle");
}

TEST_F(MsgqKernelTest, KernelThatDoesNotReturnDoesNotKeepTheDaemon) {
  run_kernel(kernel("test_kernel.so"));
  const Attempt holder([] {
    ::pause();
    return Got();
  });
  ASSERT_EQ(send(producer_, "hold " + std::to_string(holder.pid())), 0);
  ASSERT_TRUE(eventually([&] { return count(queue_, "kernel_calls") == 2; }));
  EXPECT_TRUE(tree().unmount());
}

TEST_F(MsgqKernelTest, FilesThatOthersThanRootMayWriteAreRefused) {
  const std::string file = kernel("test_kernel.so").string();
  for (const mode_t mode : {0775U, 0757U, 0666U}) {
    ASSERT_EQ(::chmod(file.c_str(), mode), 0);
    EXPECT_EQ(set("kernel", file), EPERM);
    EXPECT_EQ(get_value("error"), "EPERM: the kernel's file may be written by others than root");
  }
  ASSERT_EQ(::chmod(file.c_str(), 0755), 0);
  ASSERT_EQ(::chown(file.c_str(), kAnna, kAnna), 0);
  EXPECT_EQ(set("kernel", file), EPERM);
  EXPECT_EQ(get_value("error"), "EPERM: the kernel's file does not belong to root");
  EXPECT_EQ(get_value("kernel"), "");
  EXPECT_EQ(get_value("state"), "idle");
}

TEST_F(MsgqKernelTest, FilesThatAreNoKernelAreRefused) {
  EXPECT_EQ(set("kernel", "/no/such/file.so"), ENOENT);
  EXPECT_EQ(get_value("error"),
            "ENOENT: the kernel's file cannot be opened (No such file or directory)");
  EXPECT_EQ(set("kernel", kernel("no_kernel.so").string()), EINVAL);
  EXPECT_EQ(get_value("error"), "EINVAL: not a kernel: it has no function comch_kernel");
  const fs::path text = directory() / "text";
  ASSERT_EQ(shell(directory(), "echo 'this is not an object' > text; chmod 755 text"), said(""));
  EXPECT_EQ(set("kernel", text.string()), EINVAL);
  EXPECT_TRUE(get_value("error").starts_with("EINVAL: not a kernel: ")) << get_value("error");
  EXPECT_EQ(set("kernel", directory().string()), EINVAL);
  EXPECT_EQ(get_value("error"), "EINVAL: not a kernel: it is no regular file");
  const fs::path fifo = directory() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0755), 0);
  EXPECT_EQ(set("kernel", fifo.string()), EINVAL) << "and does not wait for a writer";
}

TEST_F(MsgqKernelTest, FileOfThisVeryMountIsRefusedAndLosesNothing) {
  run_echo();
  ASSERT_EQ(send(producer_, "not for the loader"), 0);
  ASSERT_TRUE(eventually([&] { return count(consumer_, "waiting") == 1; }));
  const fs::path other = at("msgq/other");
  ASSERT_EQ(make_directory(other), 0);
  EXPECT_EQ(write_to(other / "kernel", (root() / "README").string()), EINVAL);
  EXPECT_EQ(write_to(other / "kernel", (consumer_ / "recv").string()), ESPIPE);
  EXPECT_EQ(value(other / "error"), "ESPIPE: the kernel's file cannot be read (Illegal seek)");
  EXPECT_EQ(get(consumer_), got("not for the loader"));
}

TEST_F(MsgqKernelTest, OnlyRootMayNameASharedObject) {
  const std::string file = kernel("test_kernel.so").string();
  ASSERT_EQ(::chmod(queue_.c_str(), 0777), 0);
  for (fs::path step = root(); step != step.root_path(); step = step.parent_path()) {
    struct stat info = {};
    ASSERT_EQ(::stat(step.c_str(), &info), 0);
    if (step != root()) {
      ASSERT_EQ(::chmod(step.c_str(), (info.st_mode & 07777) | 0011), 0);
    }
  }
  const auto as_anna = [](const std::function<int()>& call) {
    return Attempt([&] {
             become_user(kAnna, kAnna);
             return failed(call());
           })
        .result()
        .error;
  };
  EXPECT_EQ(as_anna([&] { return set("kernel", file); }), EPERM);
  EXPECT_EQ(get_value("error"), "EPERM: only root may name a shared object");
  EXPECT_EQ(get_value("kernel"), "");
  EXPECT_EQ(as_anna([&] { return set("kernel", "echo"); }), 0);
  ASSERT_EQ(set("enable", "0"), 0);
  // Nor by a descriptor that somebody else writes to: neither his to root's, nor root's to his.
  const File roots(queue_ / "kernel", O_WRONLY);
  EXPECT_EQ(as_anna([&] { return roots.write(file); }), EPERM);
  EXPECT_EQ(Attempt([&] {
              if (::setresuid(kAnna, kAnna, 0) != 0) return failed(errno);
              const File annas(queue_ / "kernel", O_WRONLY);
              if (::setresuid(0, 0, 0) != 0) return failed(errno);
              return failed(annas.write(file));
            }).result(),
            failed(EPERM));
  EXPECT_EQ(get_value("kernel"), "echo");
}

TEST_F(MsgqKernelTest, FileThatIsWrittenAnewIsLoadedAnewAndHarmsNoRunningOne) {
  const fs::path file = kernel("test_kernel.so");
  run_kernel(file);
  ASSERT_EQ(shell(directory(), "head -c 100000 /dev/zero > test_kernel.so"), said(""));
  ASSERT_EQ(send(producer_, "hello"), 0);
  EXPECT_EQ(get(consumer_), got("hello"));
  ASSERT_EQ(write_to(queue_ / "ctl", "stop force"), 0);
  EXPECT_EQ(set("kernel", file.string()), EINVAL);
  EXPECT_EQ(set("enable", "1"), 0) << "the one it had";
}

}  // namespace
}  // namespace comch::test
