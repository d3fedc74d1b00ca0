// Kernels that refuse: no memory to pin, and rings that are closed under their owner.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>

#include "support/child_process.h"
#include "unit/uring/transfer_pair.h"

namespace comch::uring::test {
namespace {

// A ring in a process of its own, which may not pin memory, whoever starts this test.
struct WithoutPins : RingPair {
  void TestBody() override {
    // Some kernels count a ring's own memory, too; then there is none.
    const bool table = ring->features().registered_memory;
    const Errc refused = table ? Errc::no_memory : Errc::not_supported;
    EXPECT_EQ(ring->register_memory(*to).error().code, refused);
    EXPECT_EQ(ring->register_memory(there.map()).error().code, refused);
    TempDir dir;
    const auto path = dir / "file";
    std::ofstream(path) << pattern(256);
    const File source(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    next(1).prep_recv_file(*from, there.room(0, 256), source, 256);
    next(2).prep_send_file(*to, source, 256, 0);
    wait(2);
    EXPECT_EQ(res(1), 256);
    EXPECT_EQ(res(2), 256);
  }
};

// The limit does not bind who has this capability.
void drop_capability_to_lock() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  ASSERT_EQ(::syscall(SYS_capget, &header, data.data()), 0);
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  ASSERT_EQ(::syscall(SYS_capset, &header, data.data()), 0);
}

TEST(TransferKernelTest, WithoutMemoryToPinFilesAreReadAndWrittenWithoutRegistration) {
  for (const rlim_t bytes : {rlim_t{0}, rlim_t{256} << 10U}) {
    auto child = ChildProcess::run([bytes] {
      const rlimit limit{.rlim_cur = bytes, .rlim_max = bytes};
      EXPECT_EQ(::setrlimit(RLIMIT_MEMLOCK, &limit), 0);
      drop_capability_to_lock();
      WithoutPins().TestBody();
      return 0;
    });
    EXPECT_EQ(child.wait(), Exit::with(0)) << bytes;
  }
}

// Whoever closes what is not his closes the ring's descriptors, too.
void close_rings() {
  for (int fd = 3; fd < 1024; ++fd) {
    std::array<char, 64> target{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (::readlink(link.c_str(), target.data(), target.size() - 1) < 0) continue;
    if (std::string_view(target.data()).find("io_uring") != std::string_view::npos) ::close(fd);
  }
}

struct ClosedRing : RingPair {
  void TestBody() override {
    const std::string text = pattern(200);
    Pipe pipe;
    post(3);
    next(1).prep_send_file(*to, *pipe.from, 200);
    EXPECT_EQ(ring->submit_and_wait(1, 5ms).error().code, Errc::time_out);
    close_rings();
    const Error error = ring->submit_and_wait(1, 5ms).error();
    EXPECT_EQ(error.code, Errc::operating_system);
    EXPECT_EQ(error.sys, EBADF);
    // What was in the kernel is still, and what comes does without.
    next(2).prep_send_file(*to, *pipe.from, 200);
    pipe.write(text);
    pipe.write(text);
    const Deadline deadline;
    while (seen.size() < 4 && !deadline.passed()) {
      ring->submit().value();
      reap();
    }
    EXPECT_EQ(res(1), 200);
    EXPECT_EQ(res(2), 200);
    EXPECT_FALSE(ring->features().transfer_ring);
    EXPECT_EQ(find(kPosted)->text, text);
    EXPECT_EQ(find(kPosted + 1)->text, text);
    // The ring has to be told that it cannot sleep; it does all else.
    next(3).prep_send_file(*to, *pipe.from, 200);
    ring->submit().value();
    next(4).prep_cancel(3);
    ring->submit().value();
    while (find(3) == nullptr && !deadline.passed()) reap();
    EXPECT_EQ(res(3), -ECANCELED);
  }
};

TEST(TransferKernelTest, RingsThatAreClosedUnderItFailToSleepAndLoseNoTransfer) {
  auto child = ChildProcess::run([] {
    ClosedRing().TestBody();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

}  // namespace
}  // namespace comch::uring::test
