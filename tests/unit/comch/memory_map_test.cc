// MemoryMap: its memory, its configuration and its life, as an application sees them.
#include "comch/memory_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "comch/buffer.h"
#include "comch/log.h"
#include "os/fd.h"
#include "support/process_counters.h"
#include "unit/comch/described_devices.h"
#include "unit/os/rigged_syscalls.h"

namespace comch {
namespace {

constexpr int kSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr std::size_t kHuge = std::numeric_limits<std::size_t>::max();

os::Fd memfd_with(int seals, off_t size = 65536) {
  os::Fd fd(::memfd_create("comch-theirs", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(fd.get(), size), 0);
  EXPECT_EQ(::fcntl(fd.get(), F_ADD_SEALS, seals), 0);
  return fd;
}

struct MemoryMapTest : testing::Test {
  std::array<std::byte, 256> bytes{};
  std::shared_ptr<Device> device = device_at("0000:03:00.0");
  std::unique_ptr<MemoryMap> map = MemoryMap::create().value();
};

// --- The range ---------------------------------------------------------------------------

TEST_F(MemoryMapTest, HasNoRangeUntilOneIsSet) {
  EXPECT_EQ(map->range().error().code, Errc::bad_state);
  EXPECT_EQ(map->start().error().code, Errc::not_permitted);
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()));
  EXPECT_EQ(map->range()->data(), bytes.data());
  EXPECT_EQ(map->range()->size(), bytes.size());
  EXPECT_EQ(map->origin(), reinterpret_cast<std::uintptr_t>(bytes.data()));
  EXPECT_TRUE(map->start());
}

TEST_F(MemoryMapTest, HasItsRangeOnce) {
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()));
  EXPECT_EQ(map->set_range(bytes.data(), 1).error().code, Errc::not_permitted);
  EXPECT_EQ(map->allocate(4096).error().code, Errc::not_permitted);
  EXPECT_EQ(map->import_memfd(0, 0, 4096).error().code, Errc::not_permitted);
  EXPECT_EQ(map->import_dmabuf(0, 0, 4096).error().code, Errc::not_permitted);
  EXPECT_EQ(map->range()->size(), bytes.size());
}

TEST_F(MemoryMapTest, ARangeHasBytesAndDoesNotWrap) {
  EXPECT_EQ(map->set_range(nullptr, 1).error().code, Errc::invalid_value);
  EXPECT_EQ(map->set_range(bytes.data(), 0).error().code, Errc::invalid_value);
  EXPECT_EQ(map->set_range(bytes.data(), kHuge).error().code, Errc::invalid_value);
  EXPECT_EQ(map->allocate(0).error().code, Errc::invalid_value);
  EXPECT_EQ(map->allocate(kHuge).error().code, Errc::invalid_value);
  EXPECT_TRUE(map->set_range(bytes.data(), 1)) << "a refusal leaves the map as it was";
}

TEST_F(MemoryMapTest, AllocatedMemoryIsZeroedAndGoesWithTheMap) {
  const std::size_t before = test::mappings("comch-map");
  ASSERT_TRUE(map->allocate(10000));
  ASSERT_EQ(map->range()->size(), 10000u);
  const std::span<std::byte> range = map->range().value();
  for (const std::byte b : range) ASSERT_EQ(b, std::byte{0});
  EXPECT_EQ(test::mappings("comch-map"), before + 1);
  ASSERT_TRUE(map->start());
  map->range()->back() = std::byte{1};
  ASSERT_TRUE(MemoryMap::destroy(map));
  EXPECT_EQ(test::mappings("comch-map"), before);
}

TEST_F(MemoryMapTest, PopulatedMemoryIsThereBeforeItIsTouched) {
  constexpr std::size_t kSize = 1 << 20;
  ASSERT_TRUE(map->allocate(kSize, {.populate = true}));
  std::vector<unsigned char> present(kSize / 4096);
  ASSERT_EQ(::mincore(map->range()->data(), kSize, present.data()), 0);
  for (const unsigned char page : present) ASSERT_TRUE(page & 1);
}

TEST_F(MemoryMapTest, MemoryThatCannotBePopulatedIsNotKept) {
  const std::size_t before = test::mappings("comch-map");
  {
    // memfd_create, ftruncate, fstatfs, fstat, mmap, and then the pages.
    const test::RiggedSyscalls rig({.nth = 6, .sys = ENOMEM});
    EXPECT_EQ(map->allocate(4096, {.populate = true}).error().code, Errc::no_memory);
  }
  EXPECT_EQ(test::mappings("comch-map"), before);
  EXPECT_TRUE(map->allocate(4096, {.populate = true}));
}

TEST_F(MemoryMapTest, HugePagesThatAreNotSetAsideBecomeAdviceAndALineInTheLog) {
  os::Syscalls poor = os::kKernel;
  poor.memfd_create = [](const char* name, unsigned flags) {
    if ((flags & MFD_HUGETLB) == 0) return ::memfd_create(name, flags);
    errno = ENOMEM;
    return -1;
  };
  poor.madvise = [](void*, size_t, int) { return 0; };  // A machine with such a policy.
  std::vector<std::string> log;
  const LogLevel before = log_level();
  set_log_level(LogLevel::kInfo);
  set_log_sink([&](LogLevel, std::string_view line) { log.emplace_back(line); });
  {
    const os::ScopedSyscalls scope(poor);
    EXPECT_TRUE(map->allocate(4096, {.huge_pages = HugePages::kPool}));
  }
  set_log_sink({});
  set_log_level(before);
  EXPECT_EQ(map->huge_pages(), HugePages::kAdvised);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_NE(log[0].find("huge pages"), std::string::npos);
  EXPECT_EQ(map->range()->size(), 4096u);
}

TEST_F(MemoryMapTest, WithoutAnyHugePagesSaysNo) {
  os::Syscalls plain = os::kKernel;
  plain.madvise = [](void*, size_t, int) {
    errno = EINVAL;
    return -1;
  };
  const os::ScopedSyscalls scope(plain);
  ASSERT_TRUE(map->allocate(4096, {.huge_pages = HugePages::kAdvised}));
  EXPECT_EQ(map->huge_pages(), HugePages::kNo);
  EXPECT_EQ(name(map->huge_pages()), "no");
}

TEST_F(MemoryMapTest, AnImportedMemfdIsSharedAndItsDescriptorStaysTheCallers) {
  os::Fd fd = memfd_with(kSizeSeals);
  ASSERT_EQ(::pwrite(fd.get(), "x", 1, 4096), 1);
  ASSERT_TRUE(map->import_memfd(fd.get(), 4096, 100));
  EXPECT_EQ((*map->range())[0], std::byte{'x'});
  (*map->range())[1] = std::byte{'y'};
  char read = 0;
  ASSERT_EQ(::pread(fd.get(), &read, 1, 4097), 1);
  EXPECT_EQ(read, 'y');
  fd.reset();
  EXPECT_TRUE(map->start());
  EXPECT_EQ((*map->range())[1], std::byte{'y'});
}

TEST_F(MemoryMapTest, OfAMemfdTakesOnlyARangeInsideItThatBeginsWithAPage) {
  const os::Fd fd = memfd_with(0);
  for (const auto& [offset, size] : {std::pair<std::uint64_t, std::size_t>(0, 65537),
                                     {65536, 1},
                                     {4096, kHuge},
                                     {~0ull, 2},
                                     {0, 0},
                                     {1, 10}}) {
    EXPECT_EQ(map->import_memfd(fd.get(), offset, size).error().code, Errc::invalid_value)
        << offset << " " << size;
  }
  EXPECT_TRUE(map->import_memfd(fd.get(), 0, 65536));
}

TEST_F(MemoryMapTest, WhatIsNoMemoryIsNotImported) {
  const os::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_EQ(map->import_memfd(null.get(), 0, 4096).error().code, Errc::invalid_value);
  EXPECT_EQ(map->import_memfd(-1, 0, 4096).error().code, Errc::invalid_value);
  const os::Fd read_only = memfd_with(kSizeSeals | F_SEAL_FUTURE_WRITE);
  EXPECT_EQ(map->import_memfd(read_only.get(), 0, 4096).error().code, Errc::invalid_value);
  EXPECT_EQ(map->import_dmabuf(read_only.get(), 0, 4096).error().code, Errc::invalid_value);
  EXPECT_EQ(map->import_dmabuf(-1, 0, 4096).error().code, Errc::invalid_value);
}

// No driver of this machine may share buffers: memory that says it is such a buffer.
struct DmabufTest : MemoryMapTest {
  static os::Syscalls driver() {
    os::Syscalls table = os::kKernel;
    table.fstatfs = [](int fd, struct statfs* out) {
      const int done = ::fstatfs(fd, out);
      out->f_type = 0x444d4142;
      return done;
    };
    return table;
  }
  os::Fd fd = memfd_with(0);
};

TEST_F(DmabufTest, IsMappedWhereItsDriverLetsUs) {
  const os::Syscalls table = driver();
  const os::ScopedSyscalls scope(table);
  EXPECT_EQ(map->import_dmabuf(fd.get(), 0, 65537).error().code, Errc::invalid_value);
  EXPECT_EQ(map->import_dmabuf(fd.get(), 0, 0).error().code, Errc::invalid_value);
  ASSERT_TRUE(map->import_dmabuf(fd.get(), 4096, 4096));
  (*map->range())[0] = std::byte{'z'};
  char read = 0;
  ASSERT_EQ(::pread(fd.get(), &read, 1, 4096), 1);
  EXPECT_EQ(read, 'z');
}

TEST_F(DmabufTest, IsNotSupportedWhereItsDriverDoesNot) {
  os::Syscalls table = driver();
  table.mmap = [](void*, size_t, int, int, int, off_t) {
    errno = ENODEV;
    return MAP_FAILED;
  };
  const os::ScopedSyscalls scope(table);
  const Status s = map->import_dmabuf(fd.get(), 0, 4096);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.error().code, Errc::not_supported);
  EXPECT_STRNE(s.error().what, "");
}

TEST_F(DmabufTest, MayBeMappedByTheCallerAndIsThenTheCallersToUnmap) {
  const os::Syscalls table = driver();
  const os::ScopedSyscalls scope(table);
  int freed = 0;
  EXPECT_EQ(map->import_dmabuf(fd.get(), 0, kHuge, bytes.data()).error().code, Errc::invalid_value);
  ASSERT_TRUE(map->import_dmabuf(fd.get(), 0, bytes.size(), bytes.data()));
  ASSERT_TRUE(map->on_free([&](void* at, std::size_t) { freed += at == bytes.data(); }));
  EXPECT_EQ(map->range()->data(), bytes.data());
  ASSERT_TRUE(map->start());
  ASSERT_TRUE(MemoryMap::destroy(map));
  EXPECT_EQ(freed, 1);
}

// --- Configuration -----------------------------------------------------------------------

TEST_F(MemoryMapTest, StartedItCannotBeConfigured) {
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()));
  ASSERT_TRUE(map->add_device(device));
  ASSERT_TRUE(map->start());
  EXPECT_EQ(map->set_range(bytes.data(), 1).error().code, Errc::bad_state);
  EXPECT_EQ(map->allocate(4096).error().code, Errc::bad_state);
  EXPECT_EQ(map->set_permissions(Access::kPciReadOnly).error().code, Errc::bad_state);
  EXPECT_EQ(map->set_user_data({}).error().code, Errc::bad_state);
  EXPECT_EQ(map->on_free({}).error().code, Errc::bad_state);
  EXPECT_EQ(map->set_max_devices(9).error().code, Errc::not_permitted);
  EXPECT_EQ(map->add_device(device_at("0000:04:00.0")).error().code, Errc::not_permitted);
  EXPECT_EQ(map->remove_device(*device).error().code, Errc::not_permitted);
  EXPECT_EQ(map->start().error().code, Errc::not_permitted);
}

TEST_F(MemoryMapTest, StoppedItCanButForTheNumberOfDevices) {
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()));
  EXPECT_EQ(map->stop().error().code, Errc::not_permitted);
  ASSERT_TRUE(map->start());
  ASSERT_TRUE(map->stop());
  EXPECT_TRUE(map->set_permissions(Access::kPciReadWrite | Access::kRdmaRead));
  EXPECT_EQ(map->permissions(), Access::kPciReadWrite | Access::kRdmaRead);
  EXPECT_TRUE(map->set_user_data({.value = 5}));
  EXPECT_EQ(map->user_data().value, 5u);
  EXPECT_TRUE(map->add_device(device));
  EXPECT_EQ(map->set_max_devices(9).error().code, Errc::not_permitted);
  EXPECT_TRUE(map->start());
}

TEST_F(MemoryMapTest, KnowsThePermissionsOfTheDocumentsAndNoOthers) {
  EXPECT_EQ(map->permissions(), Access::kLocalReadOnly);
  // A mask is several of them, and a wrong program may pass anything.
  // NOLINTBEGIN(clang-analyzer-optin.core.EnumCastOutOfRange)
  EXPECT_TRUE(map->set_permissions(Access{127}));
  EXPECT_EQ(map->set_permissions(Access{128}).error().code, Errc::invalid_value);
  EXPECT_EQ(map->permissions(), Access{127});
  // NOLINTEND(clang-analyzer-optin.core.EnumCastOutOfRange)
}

TEST_F(MemoryMapTest, TellsDevicesApartByTheirAddress) {
  ASSERT_TRUE(map->add_device(device));
  EXPECT_EQ(map->add_device(device_at("0000:03:00.0")).error().code, Errc::already_exist);
  EXPECT_EQ(map->add_device(nullptr).error().code, Errc::invalid_value);
  EXPECT_TRUE(map->has_device(*device_at("0000:03:00.0")));
  EXPECT_EQ(map->remove_device(*device_at("0000:04:00.0")).error().code, Errc::not_found);
  EXPECT_TRUE(map->remove_device(*device));
  EXPECT_EQ(map->devices(), 0u);
}

TEST_F(MemoryMapTest, HasItsMaximumOfDevices) {
  EXPECT_EQ(map->max_devices(), MemoryMap::kDefaultMaxDevices);
  EXPECT_EQ(map->set_max_devices(0).error().code, Errc::invalid_value);
  ASSERT_TRUE(map->add_device(device));
  ASSERT_TRUE(map->set_max_devices(1));
  EXPECT_EQ(map->add_device(device_at("0000:04:00.0")).error().code, Errc::no_memory);
  ASSERT_TRUE(map->set_max_devices(2));
  EXPECT_TRUE(map->add_device(device_at("0000:04:00.0")));
  EXPECT_EQ(map->set_max_devices(1).error().code, Errc::invalid_value);
}

// --- Its end -----------------------------------------------------------------------------

TEST_F(MemoryMapTest, IsNeitherStoppedNorDestroyedWhileBuffersPointIntoIt) {
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()));
  ASSERT_TRUE(map->start());
  auto inventory = BufferInventory::create(1).value();
  ASSERT_TRUE(inventory->start());
  Buffer* buffer = inventory->get_by_data(*map, bytes).value();
  EXPECT_EQ(map->stop().error().code, Errc::not_permitted);
  EXPECT_EQ(MemoryMap::destroy(map).error().code, Errc::not_permitted);
  ASSERT_NE(map, nullptr);
  EXPECT_TRUE(map->started());
  ASSERT_TRUE(buffer->drop_reference());
  EXPECT_TRUE(MemoryMap::destroy(map));
  EXPECT_EQ(map, nullptr);
  EXPECT_EQ(MemoryMap::destroy(map).error().code, Errc::invalid_value);
}

TEST_F(MemoryMapTest, DoesNotTouchARangeThatIsGoneAlready) {
  void* page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  ASSERT_TRUE(map->set_range(page, 4096));
  ASSERT_TRUE(map->start());
  ASSERT_EQ(::munmap(page, 4096), 0);
  EXPECT_TRUE(MemoryMap::destroy(map));
}

TEST_F(MemoryMapTest, HandsTheRangeBackOnceWhenItWasStarted) {
  std::vector<std::pair<void*, std::size_t>> freed;
  const auto note = [&](void* at, std::size_t size) { freed.emplace_back(at, size); };
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()));
  ASSERT_TRUE(map->on_free(note));
  ASSERT_TRUE(map->start());
  ASSERT_TRUE(map->stop());
  EXPECT_TRUE(freed.empty());
  ASSERT_TRUE(MemoryMap::destroy(map));
  ASSERT_EQ(freed.size(), 1u);
  EXPECT_EQ(freed[0].first, bytes.data());
  EXPECT_EQ(freed[0].second, bytes.size());

  map = MemoryMap::create().value();
  ASSERT_TRUE(map->set_range(bytes.data(), bytes.size()));
  ASSERT_TRUE(map->on_free(note));
  ASSERT_TRUE(MemoryMap::destroy(map));
  EXPECT_EQ(freed.size(), 1u) << "it was never started";
}

TEST_F(MemoryMapTest, DoesNotHandBackWhatItAllocated) {
  int freed = 0;
  ASSERT_TRUE(map->allocate(4096));
  ASSERT_TRUE(map->on_free([&](void*, std::size_t) { ++freed; }));
  ASSERT_TRUE(map->start());
  ASSERT_TRUE(MemoryMap::destroy(map));
  EXPECT_EQ(freed, 0);
}

TEST_F(MemoryMapTest, WhatOthersMayNotWriteStaysSo) {
  ASSERT_TRUE(map->allocate(4096));
  ASSERT_TRUE(map->set_permissions(Access::kPciReadOnly));
  ASSERT_TRUE(map->start());
  (*map->range())[0] = std::byte{1};
  ASSERT_TRUE(map->stop());
  ASSERT_TRUE(map->start()) << "the same again";
  ASSERT_TRUE(map->stop());
  ASSERT_TRUE(map->set_permissions(Access::kPciReadWrite));
  EXPECT_EQ(map->start().error().code, Errc::not_permitted);
}

}  // namespace
}  // namespace comch
