// MemoryMapImpl: what the fast path asks of a map.
#include "comch/memory_map_impl.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <limits>

#include "os/memfd.h"
#include "os/memory.h"
#include "os/syscalls.h"

namespace comch {
namespace {

struct MemoryMapImplTest : testing::Test {
  std::array<std::byte, 256> bytes{};
  MemoryMapImpl map;
};

TEST_F(MemoryMapImplTest, ContainsWhatLiesInsideAndNothingElse) {
  constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();
  ASSERT_TRUE(map.set_range(bytes.data(), bytes.size()));
  EXPECT_TRUE(map.contains(bytes.data(), 256));
  EXPECT_TRUE(map.contains(bytes.data() + 256, 0));
  EXPECT_FALSE(map.contains(bytes.data() + 256, 1));
  EXPECT_FALSE(map.contains(bytes.data() - 1, 1));
  EXPECT_FALSE(map.contains(bytes.data() - 1, 0));
  EXPECT_FALSE(map.contains(bytes.data() + 1, kHuge));
  EXPECT_FALSE(map.contains(nullptr, 1));
}

TEST_F(MemoryMapImplTest, EveryMapHasANumberOfItsOwn) {
  const MemoryMapImpl other;
  EXPECT_NE(map.id(), other.id());
}

TEST_F(MemoryMapImplTest, ShowsAllocatedMemoryToPeersOnceItIsStarted) {
  ASSERT_TRUE(map.allocate(8192, {}));
  ASSERT_TRUE(map.set_permissions(Access::kPciReadWrite));
  EXPECT_EQ(map.memfd(), nullptr);
  ASSERT_TRUE(map.start());
  ASSERT_NE(map.memfd(), nullptr);
  EXPECT_EQ(map.memfd_offset(), 0u);
  EXPECT_EQ(os::sealed_size(*map.memfd()).value(), 8192u);
  const os::Mapping theirs = os::Mapping::map(*map.memfd(), 8192).value();
  theirs.bytes()[8191] = std::byte{9};
  EXPECT_EQ(map.bytes()[8191], std::byte{9});
  ASSERT_TRUE(map.stop());
  EXPECT_EQ(map.memfd(), nullptr);
}

TEST_F(MemoryMapImplTest, APeerCannotWriteWithoutThePermission) {
  ASSERT_TRUE(map.allocate(8192, {}));
  ASSERT_TRUE(map.set_permissions(Access::kPciReadOnly));
  ASSERT_TRUE(map.start());
  ASSERT_NE(map.memfd(), nullptr);
  EXPECT_EQ(os::Mapping::map(*map.memfd(), 8192).error().code, Errc::not_permitted);
  map.bytes()[0] = std::byte{1};
  EXPECT_EQ(os::Window::map(*map.memfd(), {0, 8192}, os::Window::kRead)->bytes()[0], std::byte{1});
}

TEST_F(MemoryMapImplTest, MemoryThatCouldShrinkIsNotShown) {
  const os::Fd fd(::memfd_create("comch-theirs", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(fd.get(), 8192), 0);
  ASSERT_TRUE(map.import_memfd(fd.get(), 4096, 4096));
  ASSERT_TRUE(map.start());
  EXPECT_EQ(map.memfd(), nullptr);
  ASSERT_TRUE(map.stop());
  ASSERT_TRUE(os::seal_memory(fd, os::ForOthers::kWritable));
  ASSERT_TRUE(map.start());
  ASSERT_NE(map.memfd(), nullptr);
  EXPECT_EQ(map.memfd_offset(), 4096u);
}

TEST_F(MemoryMapImplTest, AUsersRangeIsNotShown) {
  ASSERT_TRUE(map.set_range(bytes.data(), bytes.size()));
  ASSERT_TRUE(map.start());
  EXPECT_EQ(map.memfd(), nullptr);
  EXPECT_EQ(map.kind(), MemoryMapImpl::Kind::kUser);
}

// Ordinary memory that says of itself that it consists of huge pages.
TEST_F(MemoryMapImplTest, HugePagesOfThePoolAreNotShown) {
  os::Syscalls rich = os::kKernel;
  rich.memfd_create = [](const char* name, unsigned flags) {
    return ::memfd_create(name, flags & ~MFD_HUGETLB);
  };
  rich.fstatfs = [](int fd, struct statfs* out) {
    const int done = ::fstatfs(fd, out);
    out->f_type = 0x958458f6;  // HUGETLBFS_MAGIC
    return done;
  };
  rich.fstat = [](int fd, struct stat* out) {
    const int done = ::fstat(fd, out);
    out->st_blksize = 1 << 21;
    return done;
  };
  const os::ScopedSyscalls scope(rich);
  ASSERT_TRUE(map.allocate(5000, {.huge_pages = HugePages::kPool}));
  EXPECT_EQ(map.huge_pages(), HugePages::kPool);
  EXPECT_EQ(map.bytes().size(), 5000u);
  ASSERT_TRUE(map.start());
  EXPECT_EQ(map.memfd(), nullptr);
}

}  // namespace
}  // namespace comch
