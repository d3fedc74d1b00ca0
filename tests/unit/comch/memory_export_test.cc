// MemoryExport: a map of one process, mapped by another, and descriptors that lie.
#include "comch/memory_export.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <random>
#include <vector>

#include "comch/buffer.h"
#include "comch/memory_map.h"
#include "os/fd.h"
#include "support/child_process.h"
#include "support/deadline.h"
#include "support/process_counters.h"
#include "unit/comch/described_devices.h"
#include "unit/os/rigged_syscalls.h"

namespace comch {
namespace {

constexpr std::size_t kSize = 65536;
using Bytes = std::vector<std::byte>;

struct MemoryExportTest : testing::Test {
  std::unique_ptr<MemoryMap> exporter(Access permissions) {
    auto map = MemoryMap::create().value();
    EXPECT_TRUE(map->allocate(kSize));
    EXPECT_TRUE(map->set_permissions(permissions));
    EXPECT_TRUE(map->add_device(dpu));
    EXPECT_TRUE(map->start());
    return map;
  }
  Bytes exported(MemoryMap& map) const {
    const std::span<const std::byte> bytes = map.export_descriptor(*dpu).value();
    return {bytes.begin(), bytes.end()};
  }
  Result<std::unique_ptr<MemoryMap>> import(std::span<const std::byte> bytes) const {
    return MemoryMap::create_from_export(bytes, host, {.value = 7});
  }
  // The code with which a descriptor is refused; `unknown` when it is not.
  Errc refusal(std::span<const std::byte> bytes) const {
    const auto map = import(bytes);
    return map ? Errc::unknown : map.error().code;
  }

  std::shared_ptr<Device> dpu = device_at("0000:03:00.0");
  std::shared_ptr<Device> host = device_at("0000:b1:00.0");
};

// --- Between processes -------------------------------------------------------------------

TEST_F(MemoryExportTest, AnotherProcessReadsAndWritesTheSameMemory) {
  const auto map = exporter(Access::kPciReadWrite);
  (*map->range())[kSize - 1] = std::byte{42};
  const Bytes descriptor = exported(*map);
  auto child = test::ChildProcess::run([&] {
    const auto theirs = import(descriptor).value();
    EXPECT_EQ(theirs->range()->size(), kSize);
    EXPECT_NE(theirs->range()->data(), map->range()->data());
    EXPECT_EQ(theirs->range()->back(), std::byte{42});
    theirs->range()->front() = std::byte{43};
    return 5;
  });
  EXPECT_EQ(child.wait(), test::Exit::with(5));
  EXPECT_EQ(map->range()->front(), std::byte{43});
}

TEST_F(MemoryExportTest, MemoryThatAChildExportsOutlivesIt) {
  struct Letter {
    std::array<std::byte, MemoryExport::kSize> descriptor;
  };
  std::array<int, 2> pipe = {};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const os::Fd reader(pipe[0]);
  const os::Fd writer(pipe[1]);
  const test::Gate imported;
  auto child = test::ChildProcess::run([&] {
    const auto map = exporter(Access::kPciReadWrite);
    std::memcpy(map->range()->data(), "from the child", 15);
    const Bytes descriptor = exported(*map);
    if (::write(writer.get(), descriptor.data(), descriptor.size()) < 0) return 1;
    return imported.wait() ? 0 : 2;
  });
  Letter letter{};
  ASSERT_EQ(::read(reader.get(), &letter, sizeof letter), static_cast<ssize_t>(sizeof letter));
  const auto map = import(letter.descriptor);
  ASSERT_TRUE(map) << describe(map.error());
  imported.open();
  ASSERT_EQ(child.wait(), test::Exit::with(0));
  EXPECT_STREQ(reinterpret_cast<const char*>((*map)->range()->data()), "from the child");
  EXPECT_EQ(refusal(letter.descriptor), Errc::invalid_value) << "its exporter is gone";
}

TEST_F(MemoryExportTest, TheKernelKeepsAnImporterFromWritingWhatItMayOnlyRead) {
  const auto map = exporter(Access::kPciReadOnly | Access::kLocalReadWrite);
  map->range()->front() = std::byte{8};
  const Bytes descriptor = exported(*map);
  auto child = test::ChildProcess::run([&] {
    const auto theirs = import(descriptor).value();
    EXPECT_EQ(theirs->range()->front(), std::byte{8});
    EXPECT_EQ(::mprotect(theirs->range()->data(), kSize, PROT_READ | PROT_WRITE), -1);
    return 5;
  });
  EXPECT_EQ(child.wait(), test::Exit::with(5));
}

// --- In one process ----------------------------------------------------------------------

TEST_F(MemoryExportTest, AnImportedMapIsStartedAndNothingOfItCanBeSet) {
  const auto map = exporter(Access::kPciReadWrite);
  const auto theirs = import(exported(*map)).value();
  EXPECT_TRUE(theirs->started());
  EXPECT_TRUE(theirs->from_export());
  EXPECT_FALSE(map->from_export());
  EXPECT_EQ(theirs->permissions(), Access::kPciReadWrite);
  EXPECT_EQ(theirs->user_data().value, 7u);
  EXPECT_TRUE(theirs->has_device(*host));
  EXPECT_EQ(theirs->origin(), reinterpret_cast<std::uintptr_t>(map->range()->data()));
  std::array<std::byte, 8> bytes{};
  for (const Status& s :
       {theirs->set_range(bytes.data(), 8), theirs->allocate(8), theirs->import_memfd(0, 0, 8),
        theirs->import_dmabuf(0, 0, 8), theirs->set_permissions(Access{}),
        theirs->set_user_data({}), theirs->on_free({}), theirs->set_max_devices(3),
        theirs->add_device(dpu), theirs->remove_device(*host), theirs->start(), theirs->stop()}) {
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().code, Errc::not_permitted);
  }
  EXPECT_EQ(theirs->export_descriptor(*host).error().code, Errc::not_permitted);
}

TEST_F(MemoryExportTest, BuffersPointIntoAnImportedMap) {
  const auto map = exporter(Access::kPciReadWrite);
  auto theirs = import(exported(*map)).value();
  auto inventory = BufferInventory::create(1).value();
  ASSERT_TRUE(inventory->start());
  Buffer* buffer = inventory->get_by_data(*theirs, theirs->range()->first(4)).value();
  buffer->contents()[0] = std::byte{3};
  EXPECT_EQ(map->range()->front(), std::byte{3});
  EXPECT_EQ(MemoryMap::destroy(theirs).error().code, Errc::not_permitted);
  EXPECT_TRUE(buffer->drop_reference());
  EXPECT_TRUE(MemoryMap::destroy(theirs));
}

TEST_F(MemoryExportTest, OfAnImportedMemfdSharesOnlyTheRange) {
  const os::Fd fd(::memfd_create("comch-theirs", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(fd.get(), kSize), 0);
  ASSERT_EQ(::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  auto map = MemoryMap::create().value();
  ASSERT_TRUE(map->import_memfd(fd.get(), 8192, 100));
  ASSERT_TRUE(map->set_permissions(Access::kPciReadWrite));
  ASSERT_TRUE(map->add_device(dpu));
  ASSERT_TRUE(map->start());
  const auto theirs = import(exported(*map)).value();
  EXPECT_EQ(theirs->range()->size(), 100u);
  theirs->range()->front() = std::byte{'x'};
  char read = 0;
  ASSERT_EQ(::pread(fd.get(), &read, 1, 8192), 1);
  EXPECT_EQ(read, 'x');
}

TEST_F(MemoryExportTest, IsTheSameAsLongAsTheMapIsStarted) {
  const auto map = exporter(Access::kPciReadWrite);
  EXPECT_FALSE(map->exported());
  const Bytes first = exported(*map);
  EXPECT_TRUE(map->exported());
  EXPECT_EQ(exported(*map), first);
  ASSERT_TRUE(map->stop());
  EXPECT_FALSE(map->exported());
  EXPECT_EQ(refusal(first), Errc::invalid_value);
  ASSERT_TRUE(map->start());
  EXPECT_NE(exported(*map), first);
  EXPECT_EQ(refusal(first), Errc::invalid_value) << "a descriptor does not come back to life";
  EXPECT_TRUE(import(exported(*map)));
}

TEST_F(MemoryExportTest, NeedsAStartedMapARemotePermissionAndOneOfItsDevices) {
  auto map = exporter(Access::kLocalReadWrite);
  EXPECT_EQ(map->export_descriptor(*dpu).error().code, Errc::not_permitted);
  ASSERT_TRUE(map->stop());
  EXPECT_EQ(map->export_descriptor(*dpu).error().code, Errc::not_permitted);
  map = exporter(Access::kPciReadWrite);
  EXPECT_EQ(map->export_descriptor(*host).error().code, Errc::not_found);
  EXPECT_EQ(MemoryMap::create_from_export(exported(*map), nullptr).error().code,
            Errc::invalid_value);
}

TEST_F(MemoryExportTest, MemoryThatIsNoSealedMemfdIsNotSupported) {
  std::array<std::byte, 64> bytes{};
  const os::Fd unsealed(::memfd_create("comch-theirs", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), kSize), 0);
  for (const bool user : {true, false}) {
    auto map = MemoryMap::create().value();
    ASSERT_TRUE(user ? map->set_range(bytes.data(), bytes.size())
                     : map->import_memfd(unsealed.get(), 0, kSize));
    ASSERT_TRUE(map->set_permissions(Access::kPciReadWrite));
    ASSERT_TRUE(map->add_device(dpu));
    ASSERT_TRUE(map->start());
    const auto refused = map->export_descriptor(*dpu);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::not_supported);
    EXPECT_STRNE(refused.error().what, "");
  }
}

// --- The bytes, and lies in them ---------------------------------------------------------

TEST_F(MemoryExportTest, DecodesWhatItEncodes) {
  MemoryExport what{.pid = 1,
                    .token_fd = 2,
                    .memory_fd = 3,
                    .permissions = Access::kPciReadOnly,
                    .file = {.device = 4, .inode = 5},
                    .offset = 6,
                    .size = 7,
                    .address = 8};
  what.cookie.fill(std::byte{9});
  const MemoryExport::Bytes bytes = what.encode();
  const MemoryExport again = MemoryExport::decode(bytes).value();
  EXPECT_EQ(again.encode(), bytes);
  EXPECT_EQ(again.pid, 1);
  EXPECT_EQ(again.token_fd, 2);
  EXPECT_EQ(again.memory_fd, 3);
  EXPECT_EQ(again.file, what.file);
  EXPECT_EQ(again.offset, 6u);
  EXPECT_EQ(again.size, 7u);
  EXPECT_EQ(again.address, 8u);
  EXPECT_EQ(again.cookie, what.cookie);
  // As memory_export.h draws it.
  EXPECT_EQ(std::memcmp(bytes.data(), "CMMX\1\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\20\0\0\0\4", 25), 0);
  EXPECT_EQ(bytes[32], std::byte{5});
  EXPECT_EQ(bytes[64], std::byte{9});
  EXPECT_EQ(bytes[80], std::byte{0});
}

TEST_F(MemoryExportTest, AnotherLengthIsNoDescriptor) {
  const auto map = exporter(Access::kPciReadWrite);
  Bytes bytes = exported(*map);
  ASSERT_EQ(bytes.size(), MemoryExport::kSize);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Errc code = refusal(std::span(bytes).first(size));
    EXPECT_TRUE(code == Errc::invalid_value || code == Errc::not_supported) << size;
  }
  bytes.push_back(std::byte{0});
  EXPECT_EQ(refusal(bytes), Errc::invalid_value);
}

TEST_F(MemoryExportTest, AnotherVersionIsNotSupported) {
  const auto map = exporter(Access::kPciReadWrite);
  Bytes bytes = exported(*map);
  bytes[4] = std::byte{2};
  EXPECT_EQ(refusal(bytes), Errc::not_supported);
}

TEST_F(MemoryExportTest, NoBitOfADescriptorMayBeAnother) {
  const auto map = exporter(Access::kPciReadWrite);
  const Bytes good = exported(*map);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    Bytes bytes = good;
    bytes[bit / 8] ^= std::byte{1} << (bit % 8);
    const Errc code = refusal(bytes);
    // Another pid may be a process that we may not look into.
    EXPECT_TRUE(code == Errc::invalid_value || code == Errc::not_supported ||
                code == Errc::not_permitted)
        << "bit " << bit << ": " << name(code);
  }
  EXPECT_EQ(refusal(good), Errc::unknown);
}

TEST_F(MemoryExportTest, ATokenThatLiesAboutItsOwnProcessGainsNothing) {
  const auto map = exporter(Access::kPciReadWrite);
  const Bytes good = exported(*map);
  const MemoryExport honest = MemoryExport::decode(good).value();
  const os::Fd memory(::fcntl(honest.memory_fd, F_DUPFD_CLOEXEC, 3));
  const auto refused = [&](auto lie) {
    MemoryExport what{.permissions = honest.permissions, .size = kSize};
    lie(what);
    const ExportedMemory made = export_memory(memory, what).value();
    return refusal(made.descriptor) == Errc::invalid_value;
  };
  EXPECT_FALSE(refused([](MemoryExport&) {}));
  EXPECT_TRUE(refused([](MemoryExport& what) { what.size = kSize + 1; }));
  EXPECT_TRUE(refused([](MemoryExport& what) { what.offset = 4096; }));
  EXPECT_TRUE(refused([](MemoryExport& what) { what.offset = ~0ull - 4095; }));
  EXPECT_TRUE(refused([](MemoryExport& what) { what.address = ~0ull; }));
  EXPECT_TRUE(refused([](MemoryExport& what) { what.permissions = Access{}; }));
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what a liar writes.
  EXPECT_TRUE(refused([](MemoryExport& what) { what.permissions = Access{128 + 32}; }));
  // Memory that could be cut short under the importer.
  const os::Fd unsealed(::memfd_create("comch-theirs", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(unsealed.get(), kSize), 0);
  const ExportedMemory shrinks =
      export_memory(unsealed, {.permissions = honest.permissions, .size = kSize}).value();
  EXPECT_EQ(refusal(shrinks.descriptor), Errc::invalid_value);
}

TEST_F(MemoryExportTest, ANumberThatIsUsedAgainForOtherMemoryIsNoticed) {
  os::Fd memory(::memfd_create("comch-first", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  ASSERT_EQ(::ftruncate(memory.get(), kSize), 0);
  ASSERT_EQ(::fcntl(memory.get(), F_ADD_SEALS, seals), 0);
  const ExportedMemory made =
      export_memory(memory, {.permissions = Access::kPciReadWrite, .size = kSize}).value();
  ASSERT_EQ(refusal(made.descriptor), Errc::unknown);
  const os::Fd other(::memfd_create("comch-second", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(::ftruncate(other.get(), kSize), 0);
  ASSERT_EQ(::fcntl(other.get(), F_ADD_SEALS, seals), 0);
  ASSERT_EQ(::dup3(other.get(), memory.get(), O_CLOEXEC), memory.get());
  EXPECT_EQ(refusal(made.descriptor), Errc::invalid_value);
}

TEST_F(MemoryExportTest, RandomDescriptorsAreRefused) {
  const std::uint64_t seed = test::seed();
  std::cout << "seed " << seed << "\n";
  std::mt19937_64 random(seed);
  const auto map = exporter(Access::kPciReadWrite);
  const Bytes good = exported(*map);
  const test::Deadline end(test::budget(std::chrono::milliseconds(500)));
  for (int n = 0; n < 2000 || !end.passed(); ++n) {
    Bytes bytes = good;
    // Half of them all noise behind a good beginning, half with a few bytes changed.
    if (n % 2 == 0) {
      bytes.resize(random() % 128);
      for (std::size_t at = 6; at < bytes.size(); ++at) bytes[at] = std::byte(random());
    } else {
      for (std::uint64_t changes = 1 + random() % 8; changes > 0; --changes) {
        bytes[random() % bytes.size()] = std::byte(random());
      }
    }
    if (bytes == good) continue;
    ASSERT_NE(refusal(bytes), Errc::unknown) << "seed " << seed << ", try " << n;
  }
  EXPECT_EQ(refusal(good), Errc::unknown);
}

// --- Failing calls -----------------------------------------------------------------------

TEST_F(MemoryExportTest, WhateverCallFailsIsReportedAndLeaksNothing) {
  const auto run = [&]() -> Status {
    auto map = MemoryMap::create().value();
    if (Status s = map->allocate(kSize, {.populate = true}); !s) return s;
    if (Status s = map->set_permissions(Access::kPciReadWrite); !s) return s;
    if (Status s = map->add_device(dpu); !s) return s;
    if (Status s = map->start(); !s) return s;
    const auto bytes = map->export_descriptor(*dpu);
    if (!bytes) return std::unexpected(bytes.error());
    const auto theirs = import(*bytes);
    if (!theirs) return std::unexpected(theirs.error());
    return {};
  };
  ASSERT_TRUE(run());
  const auto descriptors = test::open_descriptors();
  const std::size_t maps = test::mappings("comch-map");
  for (const int sys : {EMFILE, ENOMEM, EINTR, EPERM, ENOSYS}) {
    for (const bool sticky : {false, true}) {
      std::uint64_t nth = 1;
      for (bool reached = true; reached && nth < 200; ++nth) {
        SCOPED_TRACE(testing::Message() << "call " << nth << " fails with " << strerrorname_np(sys)
                                        << (sticky ? " for ever" : " once"));
        Status status;
        {
          test::RiggedSyscalls rig({.nth = nth, .sys = sys, .sticky = sticky});
          status = run();
          reached = rig.reached();
        }
        if (!status) {
          EXPECT_TRUE(reached);
          EXPECT_STRNE(status.error().what, "");
        }
        ASSERT_EQ(test::open_descriptors(), descriptors);
        ASSERT_EQ(test::mappings("comch-map"), maps);
      }
      EXPECT_GT(nth, 15u) << "a run makes more calls than that";
      EXPECT_LT(nth, 200u);
    }
  }
  EXPECT_TRUE(run());
}

}  // namespace
}  // namespace comch
