// doca_mmap: configuration, life, devices, exports.
#include <doca_mmap.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "doca/answers.h"
#include "doca/described.h"
#include "doca/mapped.h"
#include "doca/memory.h"

namespace comch::test {
namespace {

struct MmapTest : DescribedTest {
  MmapTest() : dpu(open("03:00.0")), host(open("b1:00.0")) {
    EXPECT_EQ(doca_mmap_create(&map), DOCA_SUCCESS);
  }
  ~MmapTest() override {
    EXPECT_EQ(doca_mmap_destroy(map), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(dpu), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(host), DOCA_SUCCESS);
  }

  void start() {
    ASSERT_EQ(doca_mmap_set_memrange(map, memory.data(), memory.size()), DOCA_SUCCESS);
    ASSERT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  }
  // Its map is what a program could not make from malloc: one that can be exported.
  doca_error_t export_pci() const {
    const void* bytes = nullptr;
    size_t size = 0;
    return doca_mmap_export_pci(map, dpu, &bytes, &size);
  }
  doca_error_t export_rdma() const {
    const void* bytes = nullptr;
    size_t size = 0;
    return doca_mmap_export_rdma(map, dpu, &bytes, &size);
  }

  std::array<char, 4096> memory{};
  doca_dev* const dpu;
  doca_dev* const host;
  doca_mmap* map = nullptr;
};

doca_dpa* any_dpa() {
  static int object;
  return reinterpret_cast<doca_dpa*>(&object);  // Never looked into.
}

TEST_F(MmapTest, TheRangeIsSetOnce) {
  void* at = nullptr;
  size_t size = 0;
  EXPECT_EQ(doca_mmap_get_memrange(map, &at, &size), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_memrange(map, memory.data(), 0), kNo);
  EXPECT_EQ(doca_mmap_set_memrange(map, memory.data(), SIZE_MAX), kNo);
  ASSERT_EQ(doca_mmap_set_memrange(map, memory.data(), 100), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_set_memrange(map, memory.data(), 100), DOCA_ERROR_NOT_PERMITTED);
  ASSERT_EQ(doca_mmap_get_memrange(map, &at, &size), DOCA_SUCCESS);
  EXPECT_EQ(at, memory.data());
  EXPECT_EQ(size, 100u);
}

TEST_F(MmapTest, MemoryOfTheAcceleratorIsARangeToo) {
  const auto address = reinterpret_cast<uint64_t>(memory.data());
  EXPECT_EQ(doca_mmap_set_dpa_memrange(map, any_dpa(), address, 0), kNo);
  EXPECT_EQ(doca_mmap_set_dpa_memrange(map, any_dpa(), 0, 64), kNo);
  EXPECT_EQ(doca_mmap_set_dpa_memrange(map, nullptr, address, 64), kNo);
  EXPECT_EQ(doca_mmap_set_dpa_memrange(nullptr, any_dpa(), address, 64), kNo);
  EXPECT_EQ(doca_mmap_set_dpa_memrange(map, any_dpa(), address, 64), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_set_dpa_memrange(map, any_dpa(), address, 64), DOCA_ERROR_NOT_PERMITTED);
}

TEST_F(MmapTest, WhatIsNoDmaBufIsRefused) {
  const int fd = memfd_create("comch-test", MFD_CLOEXEC);
  ASSERT_GE(fd, 0);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(map, fd, nullptr, 0, 64), kNo);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(map, -1, nullptr, 0, 64), kNo);
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(nullptr, fd, nullptr, 0, 64), kNo);
  start();
  EXPECT_EQ(doca_mmap_set_dmabuf_memrange(map, fd, nullptr, 0, 64), DOCA_ERROR_BAD_STATE);
  close(fd);
}

TEST_F(MmapTest, ASealedMemfdCanBeExportedAndImported) {
  const int fd = memfd_create("comch-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(fd, 8192), 0);
  ASSERT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  ASSERT_EQ(doca_mmap_set_dmabuf_memrange(map, fd, nullptr, 4096, 4096), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_add_dev(map, dpu), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  const void* exported = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(doca_mmap_export_pci(map, dpu, &exported, &size), DOCA_SUCCESS);
  doca_mmap* other = nullptr;
  ASSERT_EQ(doca_mmap_create_from_export(nullptr, exported, size, host, &other), DOCA_SUCCESS);
  void* address = nullptr;
  ASSERT_EQ(doca_mmap_get_memrange(other, &address, &size), DOCA_SUCCESS);
  EXPECT_EQ(size, 4096u);
  uint8_t is = 0;
  EXPECT_EQ(doca_mmap_get_from_export(other, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 1);
  EXPECT_EQ(doca_mmap_destroy(other), DOCA_SUCCESS);
  close(fd);
}

TEST_F(MmapTest, ItStartsWithMemoryAndOnce) {
  EXPECT_EQ(doca_mmap_start(map), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_stop(map), DOCA_ERROR_NOT_PERMITTED);
  start();
  EXPECT_EQ(doca_mmap_start(map), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_stop(map), DOCA_SUCCESS);
}

TEST_F(MmapTest, NothingIsSetWhileItIsStarted) {
  start();
  const auto ignore = [](void*, size_t, void*) {};
  EXPECT_EQ(doca_mmap_set_memrange(map, memory.data(), 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_dpa_memrange(map, any_dpa(), 1, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_permissions(map, 0), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_user_data(map, {.u64 = 1}), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_free_cb(map, ignore, nullptr), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_mmap_set_max_num_devices(map, 4), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_add_dev(map, dpu), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_rm_dev(map, dpu), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_enable_thread_safety(map), DOCA_ERROR_NOT_PERMITTED);
}

TEST_F(MmapTest, PermissionsAreKnownBits) {
  EXPECT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_set_permissions(map, 127), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_set_permissions(map, 128), kNo);
  EXPECT_EQ(doca_mmap_set_permissions(map, UINT32_MAX), kNo);
}

TEST_F(MmapTest, DevicesAreToldApartByTheirAddress) {
  doca_dev* again = open("03:00.0");
  EXPECT_EQ(doca_mmap_rm_dev(map, dpu), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(doca_mmap_add_dev(map, dpu), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_add_dev(map, again), DOCA_ERROR_ALREADY_EXIST);
  EXPECT_EQ(doca_mmap_add_dev(map, host), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_rm_dev(map, again), DOCA_SUCCESS);
  EXPECT_EQ(doca_dev_close(again), DOCA_SUCCESS);
}

TEST_F(MmapTest, ItHasAsManyDevicesAsItMay) {
  uint32_t most = 0;
  EXPECT_EQ(doca_mmap_get_max_num_devices(map, &most), DOCA_SUCCESS);
  EXPECT_EQ(most, 64u);
  EXPECT_EQ(doca_mmap_set_max_num_devices(map, 0), kNo);
  EXPECT_EQ(doca_mmap_set_max_num_devices(map, 1), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_add_dev(map, dpu), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_add_dev(map, host), DOCA_ERROR_NO_MEMORY);
  EXPECT_EQ(doca_mmap_set_max_num_devices(map, 2), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_add_dev(map, host), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_set_max_num_devices(map, 1), kNo);
  EXPECT_EQ(doca_mmap_get_max_num_devices(map, &most), DOCA_SUCCESS);
  EXPECT_EQ(most, 2u);
}

TEST_F(MmapTest, UserDataIsHandedBack) {
  doca_data data{.u64 = 99};
  EXPECT_EQ(doca_mmap_get_user_data(map, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 0u);
  EXPECT_EQ(doca_mmap_set_user_data(map, {.u64 = 7}), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_get_user_data(map, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 7u);
}

TEST_F(MmapTest, TheMemoryIsGivenBackByDestroy) {
  struct Freed {
    void* address = nullptr;
    size_t size = 0;
  } freed;
  const auto note = [](void* address, size_t size, void* cookie) {
    *static_cast<Freed*>(cookie) = {address, size};
  };
  doca_mmap* other = nullptr;
  ASSERT_EQ(doca_mmap_create(&other), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_memrange(other, memory.data(), 64), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_free_cb(other, note, &freed), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(other), DOCA_SUCCESS);
  EXPECT_EQ(freed.address, nullptr);
  ASSERT_EQ(doca_mmap_destroy(other), DOCA_SUCCESS);
  EXPECT_EQ(freed.address, memory.data());
  EXPECT_EQ(freed.size, 64u);
}

TEST_F(MmapTest, OnlyWhatOthersMayReachIsExported) {
  ASSERT_EQ(doca_mmap_add_dev(map, dpu), DOCA_SUCCESS);
  EXPECT_EQ(export_pci(), DOCA_ERROR_NOT_PERMITTED);  // Not started.
  start();
  EXPECT_EQ(export_pci(), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(export_rdma(), DOCA_ERROR_NOT_PERMITTED);
  ASSERT_EQ(doca_mmap_stop(map), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_ONLY), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  EXPECT_EQ(export_pci(), DOCA_ERROR_NOT_SUPPORTED);  // Memory of the program's own.
  EXPECT_EQ(export_rdma(), DOCA_ERROR_NOT_PERMITTED);
  const void* bytes = nullptr;
  size_t size = 0;
  EXPECT_EQ(doca_mmap_export_pci(map, host, &bytes, &size), DOCA_ERROR_NOT_FOUND);
  ASSERT_EQ(doca_mmap_stop(map), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_RDMA_READ), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  EXPECT_EQ(export_rdma(), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_mmap_export_rdma(map, host, &bytes, &size), DOCA_ERROR_NOT_FOUND);
}

TEST_F(MmapTest, WhatIsNoDescriptorMakesNoMap) {
  doca_mmap* other = nullptr;
  const char nonsense[96] = {};
  EXPECT_EQ(doca_mmap_create_from_export(nullptr, nonsense, sizeof nonsense, dpu, &other), kNo);
  EXPECT_EQ(doca_mmap_create_from_export(nullptr, nonsense, 0, dpu, &other), kNo);
  EXPECT_EQ(other, nullptr);
}

TEST_F(MmapTest, TheAcceleratorsNumberIsOfAStartedMapOfItsDevice) {
  doca_dpa_dev_mmap_t handle = 0;
  ASSERT_EQ(doca_mmap_add_dev(map, dpu), DOCA_SUCCESS);
  EXPECT_EQ(doca_mmap_dev_get_dpa_handle(map, dpu, &handle), DOCA_ERROR_NOT_PERMITTED);
  start();
  EXPECT_EQ(doca_mmap_dev_get_dpa_handle(map, host, &handle), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(doca_mmap_dev_get_dpa_handle(map, dpu, &handle), DOCA_SUCCESS);
  EXPECT_NE(handle, 0u);
}

TEST_F(MmapTest, EveryDeviceExportsAndImports) {
  uint8_t can = 0;
  EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(info("03:00.0"), &can), DOCA_SUCCESS);
  EXPECT_EQ(can, 1);
  can = 0;
  EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(info("b1:00.0"), &can), DOCA_SUCCESS);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(doca_mmap_enable_thread_safety(map), DOCA_SUCCESS);
}

TEST_F(MmapTest, ItSaysWhatItIs) {
  uint8_t is = 99;
  EXPECT_EQ(doca_mmap_get_exported(map, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 0);
  EXPECT_EQ(doca_mmap_get_from_export(map, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 0);
}

using MmapAndBufsTest = MappedTest;

TEST_F(MmapAndBufsTest, AMapWithBuffersStays) {
  uint32_t buffers = 99;
  doca_buf* buf = borrow();
  EXPECT_EQ(doca_mmap_get_num_bufs(map, &buffers), DOCA_SUCCESS);
  EXPECT_EQ(buffers, 1u);
  EXPECT_EQ(doca_mmap_stop(map), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_destroy(map), DOCA_ERROR_NOT_PERMITTED);
  give_back(buf);
  EXPECT_EQ(doca_mmap_get_num_bufs(map, &buffers), DOCA_SUCCESS);
  EXPECT_EQ(buffers, 0u);
}

TEST_F(MmapTest, NullIsRefused) {
  const void* bytes = nullptr;
  void* at = nullptr;
  size_t size = 0;
  uint32_t number = 0;
  uint8_t is = 0;
  doca_data data{};
  doca_mmap* other = nullptr;
  const auto ignore = [](void*, size_t, void*) {};
  EXPECT_EQ(doca_mmap_create(nullptr), kNo);
  EXPECT_EQ(doca_mmap_destroy(nullptr), kNo);
  EXPECT_EQ(doca_mmap_start(nullptr), kNo);
  EXPECT_EQ(doca_mmap_stop(nullptr), kNo);
  EXPECT_EQ(doca_mmap_add_dev(nullptr, dpu), kNo);
  EXPECT_EQ(doca_mmap_add_dev(map, nullptr), kNo);
  EXPECT_EQ(doca_mmap_rm_dev(nullptr, dpu), kNo);
  EXPECT_EQ(doca_mmap_rm_dev(map, nullptr), kNo);
  for (const auto export_to : {doca_mmap_export_pci, doca_mmap_export_rdma}) {
    EXPECT_EQ(export_to(nullptr, dpu, &bytes, &size), kNo);
    EXPECT_EQ(export_to(map, nullptr, &bytes, &size), kNo);
    EXPECT_EQ(export_to(map, dpu, nullptr, &size), kNo);
    EXPECT_EQ(export_to(map, dpu, &bytes, nullptr), kNo);
  }
  EXPECT_EQ(doca_mmap_dev_get_dpa_handle(nullptr, dpu, &number), kNo);
  EXPECT_EQ(doca_mmap_dev_get_dpa_handle(map, nullptr, &number), kNo);
  EXPECT_EQ(doca_mmap_dev_get_dpa_handle(map, dpu, nullptr), kNo);
  EXPECT_EQ(doca_mmap_create_from_export(&data, nullptr, 1, dpu, &other), kNo);
  EXPECT_EQ(doca_mmap_create_from_export(&data, memory.data(), 1, nullptr, &other), kNo);
  EXPECT_EQ(doca_mmap_create_from_export(&data, memory.data(), 1, dpu, nullptr), kNo);
  EXPECT_EQ(doca_mmap_set_memrange(nullptr, memory.data(), 1), kNo);
  EXPECT_EQ(doca_mmap_set_memrange(map, nullptr, 1), kNo);
  EXPECT_EQ(doca_mmap_get_memrange(nullptr, &at, &size), kNo);
  EXPECT_EQ(doca_mmap_get_memrange(map, nullptr, &size), kNo);
  EXPECT_EQ(doca_mmap_get_memrange(map, &at, nullptr), kNo);
  EXPECT_EQ(doca_mmap_set_free_cb(nullptr, ignore, nullptr), kNo);
  EXPECT_EQ(doca_mmap_set_free_cb(map, nullptr, nullptr), kNo);
  EXPECT_EQ(doca_mmap_get_user_data(nullptr, &data), kNo);
  EXPECT_EQ(doca_mmap_get_user_data(map, nullptr), kNo);
  EXPECT_EQ(doca_mmap_get_max_num_devices(nullptr, &number), kNo);
  EXPECT_EQ(doca_mmap_get_max_num_devices(map, nullptr), kNo);
  EXPECT_EQ(doca_mmap_get_num_bufs(nullptr, &number), kNo);
  EXPECT_EQ(doca_mmap_get_num_bufs(map, nullptr), kNo);
  EXPECT_EQ(doca_mmap_get_exported(nullptr, &is), kNo);
  EXPECT_EQ(doca_mmap_get_exported(map, nullptr), kNo);
  EXPECT_EQ(doca_mmap_get_from_export(nullptr, &is), kNo);
  EXPECT_EQ(doca_mmap_get_from_export(map, nullptr), kNo);
  EXPECT_EQ(doca_mmap_set_max_num_devices(nullptr, 1), kNo);
  EXPECT_EQ(doca_mmap_set_permissions(nullptr, 0), kNo);
  EXPECT_EQ(doca_mmap_set_user_data(nullptr, data), kNo);
  EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(nullptr, &is), kNo);
  EXPECT_EQ(doca_mmap_cap_is_export_pci_supported(info("03:00.0"), nullptr), kNo);
  EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(nullptr, &is), kNo);
  EXPECT_EQ(doca_mmap_cap_is_create_from_export_pci_supported(info("03:00.0"), nullptr), kNo);
  EXPECT_EQ(doca_mmap_enable_thread_safety(nullptr), kNo);
}

// Memory that can be exported comes from the engine: the C API has no call for it.
TEST_F(MmapTest, WhatIsExportedIsTheSameMemoryElsewhere) {
  MemoryMap& engine = doca::engine_of(*map);
  ASSERT_TRUE(engine.allocate(4096));
  ASSERT_EQ(
      doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ),
      DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_add_dev(map, dpu), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  const void* bytes = nullptr;
  size_t size = 0;
  ASSERT_EQ(doca_mmap_export_rdma(map, dpu, &bytes, &size), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_export_pci(map, dpu, &bytes, &size), DOCA_SUCCESS);
  uint8_t is = 0;
  EXPECT_EQ(doca_mmap_get_exported(map, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 1);

  doca_mmap* import = nullptr;
  doca_data data{.u64 = 7};
  ASSERT_EQ(doca_mmap_create_from_export(&data, bytes, size, host, &import), DOCA_SUCCESS);
  void* here = nullptr;
  void* there = nullptr;
  ASSERT_EQ(doca_mmap_get_memrange(map, &here, &size), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_get_memrange(import, &there, &size), DOCA_SUCCESS);
  EXPECT_NE(here, there);
  *static_cast<char*>(here) = 'x';
  EXPECT_EQ(*static_cast<char*>(there), 'x');
  EXPECT_EQ(doca_mmap_get_from_export(import, &is), DOCA_SUCCESS);
  EXPECT_EQ(is, 1);
  EXPECT_EQ(doca_mmap_get_user_data(import, &data), DOCA_SUCCESS);
  EXPECT_EQ(data.u64, 7u);
  EXPECT_EQ(doca_mmap_stop(import), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_export_pci(import, host, &bytes, &size), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_set_permissions(import, 0), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_mmap_destroy(import), DOCA_SUCCESS);
}

}  // namespace
}  // namespace comch::test
