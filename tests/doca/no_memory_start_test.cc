// NO_MEMORY of the functions of the C API that add to something, or begin it.
#include <doca_argp.h>
#include <doca_mmap.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <string>

#include "doca/fast_parties.h"
#include "doca/no_memory.h"

namespace comch::test {
namespace {

struct NoMemoryStartTest : FastTest {};

TEST_F(NoMemoryStartTest, AMapGetsADeviceAndIsTakenFromAnExport) {
  constexpr std::size_t kSize = 4096;
  const int file = memfd_create("comch-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(file, kSize), 0);
  ASSERT_EQ(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  doca_mmap* map = nullptr;
  ASSERT_EQ(doca_mmap_create(&map), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_set_dmabuf_memrange(map, file, nullptr, 0, kSize), DOCA_SUCCESS);
  ASSERT_EQ(
      doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE | DOCA_ACCESS_FLAG_RDMA_READ),
      DOCA_SUCCESS);
  sweep(
      "doca_mmap_add_dev", [&] { return doca_mmap_add_dev(map, client.device); },
      [&] { EXPECT_EQ(doca_mmap_rm_dev(map, client.device), DOCA_SUCCESS); });
  ASSERT_EQ(doca_mmap_add_dev(map, client.device), DOCA_SUCCESS);
  ASSERT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
  const void* described = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(doca_mmap_export_pci(map, client.device, &described, &size), DOCA_SUCCESS);
  sweep<doca_mmap>(
      "doca_mmap_create_from_export",
      [&](auto** made) {
        return doca_mmap_create_from_export(nullptr, described, size, server.device, made);
      },
      doca_mmap_destroy);
  EXPECT_EQ(doca_mmap_destroy(map), DOCA_SUCCESS);
  close(file);
}

TEST_F(NoMemoryStartTest, AContextIsConnectedToAnEngine) {
  doca_comch_client* joining = nullptr;
  ASSERT_EQ(doca_comch_client_create(client.device, "another", &joining), DOCA_SUCCESS);
  doca_pe* engine = nullptr;
  ASSERT_EQ(doca_pe_create(&engine), DOCA_SUCCESS);
  sweep(
      "doca_pe_connect_ctx",
      [&] { return doca_pe_connect_ctx(engine, doca_comch_client_as_ctx(joining)); }, [] {});
  EXPECT_EQ(doca_comch_client_destroy(joining), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_destroy(engine), DOCA_SUCCESS);
}

// A parser starts once; what there was no memory for is another program's beginning.
TEST_F(NoMemoryStartTest, ACommandLineIsParsed) {
  std::string program = "tool";
  std::string option = "--log-level";
  std::string level = "40";
  std::array<char*, 4> arguments{program.data(), option.data(), level.data(), nullptr};
  doca_error_t answer = DOCA_ERROR_NO_MEMORY;
  std::uint64_t failed = 0;
  for (; answer == DOCA_ERROR_NO_MEMORY; ++failed) {
    ASSERT_EQ(doca_argp_init("tool", nullptr), DOCA_SUCCESS);
    fail_allocation(failed + 1);
    answer = doca_argp_start(3, arguments.data());
    fail_allocation(0);
    EXPECT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
  }
  EXPECT_EQ(answer, DOCA_SUCCESS);
  EXPECT_GT(failed, 1U) << "it allocates nothing";
}

TEST_F(NoMemoryStartTest, ARefusalIsAnsweredWithoutMemoryForItsLine) {
  std::uint64_t failed = 0;
  for (bool is_through = false; !is_through; ++failed) {
    fail_allocation(failed + 1);
    EXPECT_EQ(doca_pe_create(nullptr), DOCA_ERROR_INVALID_VALUE);
    is_through = fail_allocation(0);
  }
  EXPECT_GT(failed, 1U) << "it allocates nothing";
}

}  // namespace
}  // namespace comch::test
