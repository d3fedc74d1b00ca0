// Export descriptors of doca_mmap that are refused: of another version of comch, and of a process
// that this one may not look into. What exports and imports do is in mmap_test.cc.
#include <doca_mmap.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "doca/described.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

struct MmapExportTest : DescribedTest {
  MmapExportTest() {
    constexpr std::size_t kSize = 4096;
    const void* bytes = nullptr;
    std::size_t length = 0;
    EXPECT_EQ(ftruncate(fd, kSize), 0);
    EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    EXPECT_EQ(doca_mmap_create(&map), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_dmabuf_memrange(map, fd, nullptr, 0, kSize), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_add_dev(map, device), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_start(map), DOCA_SUCCESS);
    EXPECT_EQ(doca_mmap_export_pci(map, device, &bytes, &length), DOCA_SUCCESS);
    const auto* const first = static_cast<const std::uint8_t*>(bytes);
    descriptor.assign(first, first + length);
  }
  ~MmapExportTest() override {
    EXPECT_EQ(doca_mmap_destroy(map), DOCA_SUCCESS);
    EXPECT_EQ(doca_dev_close(device), DOCA_SUCCESS);
    close(fd);
  }
  doca_error_t import() const {
    doca_mmap* made = nullptr;
    const doca_error_t answer =
        doca_mmap_create_from_export(nullptr, descriptor.data(), descriptor.size(), device, &made);
    EXPECT_EQ(made != nullptr, answer == DOCA_SUCCESS);
    if (made != nullptr) {
      EXPECT_EQ(doca_mmap_destroy(made), DOCA_SUCCESS);
    }
    return answer;
  }

  const int fd = memfd_create("comch-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  doca_dev* const device = open("03:00.0");
  doca_mmap* map = nullptr;
  std::vector<std::uint8_t> descriptor;
};

// The version stands behind the magic number (FORMAT.md).
TEST_F(MmapExportTest, OfAnotherVersionIsNotSupported) {
  EXPECT_EQ(import(), DOCA_SUCCESS);
  ++descriptor.at(4);
  EXPECT_EQ(import(), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(MmapExportTest, OfAProcessThatMayNotBeLookedIntoIsNotPermitted) {
  if (geteuid() != 0) GTEST_SKIP() << "only root has processes of two users";
  constexpr uid_t kNobody = 65534;
  ChildProcess child = ChildProcess::run([&] {
    if (setresuid(kNobody, kNobody, kNobody) != 0) return EXIT_FAILURE;
    return static_cast<int>(import());
  });
  EXPECT_EQ(child.wait(), Exit::with(DOCA_ERROR_NOT_PERMITTED));
}

}  // namespace
}  // namespace comch::test
