// Memory maps, buffers and where they come from: every number at its limits.
#include <doca_buf_pool.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doca/bad_input/setters.h"
#include "doca/mapped.h"

namespace comch::test {
namespace {

// Maps that are made anew for each number, since they have their memory once.
struct MapNumbersTest : testing::Test {
  ~MapNumbersTest() override { EXPECT_EQ(doca_dpa_destroy(dpa), kYes); }
  MapNumbersTest() { EXPECT_EQ(doca_dpa_create(device, &dpa), kYes); }

  template <class Use>
  static doca_error_t with_map(const Use& use) {
    doca_mmap* map = nullptr;
    EXPECT_EQ(doca_mmap_create(&map), kYes);
    const doca_error_t answer = use(map);
    EXPECT_EQ(doca_mmap_destroy(map), kYes);
    return answer;
  }
  int make_memfd() const {
    const int fd = memfd_create("comch-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    EXPECT_EQ(ftruncate(fd, kSize), 0);
    EXPECT_EQ(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    return fd;
  }

  static constexpr std::size_t kSize = 8192;
  OpenDevice device{kDpuPci};
  doca_dpa* dpa = nullptr;
  std::array<std::byte, kSize> memory{};
};

// The longest range is the one that ends with the address space.
TEST_F(MapNumbersTest, Ranges) {
  const auto address = reinterpret_cast<std::uint64_t>(memory.data());
  const Bounds lengths{.zero = kNo, .most = UINT64_MAX - address};
  try_number("doca_mmap_set_memrange", "len", lengths, [&](auto n) {
    return with_map([&](auto* map) { return doca_mmap_set_memrange(map, memory.data(), n); });
  });
  try_number("doca_mmap_set_dpa_memrange", "len", lengths, [&](auto n) {
    return with_map([&](auto* map) { return doca_mmap_set_dpa_memrange(map, dpa, address, n); });
  });
  try_number(
      "doca_mmap_set_dpa_memrange", "dpa_addr", {.zero = kNo, .most = UINT64_MAX - 8}, [&](auto n) {
        return with_map([&](auto* map) { return doca_mmap_set_dpa_memrange(map, dpa, n, 8); });
      });
}

TEST_F(MapNumbersTest, PartsOfAMemfd) {
  const int fd = make_memfd();
  const auto set = [&](int descriptor, std::size_t offset, std::size_t length) {
    return with_map([&](auto* map) {
      return doca_mmap_set_dmabuf_memrange(map, descriptor, nullptr, offset, length);
    });
  };
  try_number("doca_mmap_set_dmabuf_memrange", "dmabuf_offset", {.most = kSize - 4096},
             [&](auto n) { return set(fd, n, 4096); });
  try_number("doca_mmap_set_dmabuf_memrange", "len", {.zero = kNo, .most = kSize},
             [&](auto n) { return set(fd, 0, n); });
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(null, 0);
  ASSERT_EQ(dup2(null, 0), 0) << "what is no memory";
  ASSERT_EQ(dup2(fd, 900), 900);
  try_number("doca_mmap_set_dmabuf_memrange", "dmabuf_fd", {.zero = kNo, .most = 900},
             [&](auto n) { return set(static_cast<int>(n), 0, 4096); });
  for (const int descriptor : {fd, null, 900}) close(descriptor);
}

TEST_F(MapNumbersTest, DescriptorsOfExports) {
  const OpenDevice other(kHostPci);
  const int fd = make_memfd();
  doca_mmap* map = nullptr;
  ASSERT_EQ(doca_mmap_create(&map), kYes);
  ASSERT_EQ(doca_mmap_set_dmabuf_memrange(map, fd, nullptr, 0, kSize), kYes);
  ASSERT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE), kYes);
  ASSERT_EQ(doca_mmap_add_dev(map, device), kYes);
  ASSERT_EQ(doca_mmap_start(map), kYes);
  const void* exported = nullptr;
  std::size_t length = 0;
  ASSERT_EQ(doca_mmap_export_pci(map, device, &exported, &length), kYes);
  try_number("doca_mmap_create_from_export", "export_desc_len", {.zero = kNo, .most = length},
             [&](auto n) {
               doca_mmap* made = nullptr;
               const doca_error_t answer =
                   doca_mmap_create_from_export(nullptr, exported, n, other, &made);
               if (made != nullptr) {
                 EXPECT_EQ(doca_mmap_destroy(made), kYes);
               }
               return answer;
             });
  EXPECT_EQ(doca_mmap_destroy(map), kYes);
  close(fd);
}

TEST_F(MapNumbersTest, Settings) {
  const auto u32 = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
  doca_mmap* map = nullptr;
  ASSERT_EQ(doca_mmap_create(&map), kYes);
  try_number("doca_mmap_set_max_num_devices", "max_num_devices", {.zero = kNo},
             [&](auto n) { return doca_mmap_set_max_num_devices(map, u32(n)); });
  try_number("doca_mmap_set_permissions", "access_mask", {.most = 127},
             [&](auto n) { return doca_mmap_set_permissions(map, u32(n)); });
  try_number(
      "doca_mmap_set_user_data", "user_data", {},
      [&](auto n) { return doca_mmap_set_user_data(map, {.u64 = n}); },
      word_of(map, doca_mmap_get_user_data));
  EXPECT_EQ(doca_mmap_destroy(map), kYes);
}

struct BufferNumbersTest : MappedTest {
  // Gives back what was made; `buf` by reference, for it is made while the arguments are.
  static doca_error_t given_back(doca_error_t made, doca_buf* const& buf) {
    EXPECT_EQ(buf != nullptr, made == kYes);
    if (buf != nullptr) give_back(buf);
    return made;
  }
  void* at(std::size_t offset) { return memory.data() + offset; }
};

TEST_F(BufferNumbersTest, PartsOfAMap) {
  // Of what lies behind the first 1,000 bytes; a buffer has room for something.
  const Bounds rest{.zero = kNo, .most = memory.size() - 1000};
  try_number("doca_buf_inventory_buf_get_by_addr", "len", rest, [&](auto n) {
    doca_buf* buf = nullptr;
    return given_back(doca_buf_inventory_buf_get_by_addr(inventory, map, at(1000), n, &buf), buf);
  });
  try_number("doca_buf_inventory_buf_get_by_data", "data_len", rest, [&](auto n) {
    doca_buf* buf = nullptr;
    return given_back(doca_buf_inventory_buf_get_by_data(inventory, map, at(1000), n, &buf), buf);
  });
  const auto by_args = [&](std::size_t length, std::size_t data_length) {
    doca_buf* buf = nullptr;
    return given_back(doca_buf_inventory_buf_get_by_args(inventory, map, at(1000), length, at(1000),
                                                         data_length, &buf),
                      buf);
  };
  try_number("doca_buf_inventory_buf_get_by_args", "len", rest,
             [&](auto n) { return by_args(n, 0); });
  try_number("doca_buf_inventory_buf_get_by_args", "data_len", {.most = 64},
             [&](auto n) { return by_args(64, n); });
}

TEST_F(BufferNumbersTest, Data) {
  doca_buf* const buf = borrow();
  const auto length = [&] {
    std::size_t has = 0;
    EXPECT_EQ(doca_buf_get_data_len(buf, &has), kYes);
    return std::uint64_t{has};
  };
  try_number(
      "doca_buf_set_data", "data_len", {.most = memory.size() - 1000},
      [&](auto n) { return doca_buf_set_data(buf, at(1000), n); }, length);
  try_number(
      "doca_buf_set_data_len", "data_len", {.most = memory.size() - 1000},
      [&](auto n) { return doca_buf_set_data_len(buf, n); }, length);
  give_back(buf);
}

constexpr std::uint64_t kMostBuffers = std::uint64_t{1} << 24U;

TEST_F(BufferNumbersTest, Inventories) {
  try_number("doca_buf_inventory_create", "num_elements", {.zero = kNo, .most = kMostBuffers},
             [](auto n) {
               doca_buf_inventory* made = nullptr;
               const doca_error_t answer = doca_buf_inventory_create(n, &made);
               if (made != nullptr) {
                 EXPECT_EQ(doca_buf_inventory_destroy(made), kYes);
               }
               return answer;
             });
  // What is there already counts.
  try_number("doca_buf_inventory_expand", "num_elements", {.zero = kNo, .most = kMostBuffers - 2},
             [](auto n) {
               doca_buf_inventory* made = nullptr;
               EXPECT_EQ(doca_buf_inventory_create(2, &made), kYes);
               const doca_error_t answer =
                   doca_buf_inventory_expand(made, static_cast<std::uint32_t>(n));
               EXPECT_EQ(doca_buf_inventory_destroy(made), kYes);
               return answer;
             });
  ASSERT_EQ(doca_buf_inventory_stop(inventory), kYes);
  try_number(
      "doca_buf_inventory_set_user_data", "user_data", {},
      [&](auto n) { return doca_buf_inventory_set_user_data(inventory, {.u64 = n}); },
      word_of(inventory, doca_buf_inventory_get_user_data));
}

// A pool that its map is too small for is made all the same, and refused when it starts.
TEST_F(BufferNumbersTest, Pools) {
  constexpr auto kTooSmall = DOCA_ERROR_INITIALIZATION;
  const auto start = [&](std::size_t elements, std::size_t size, std::size_t alignment) {
    doca_buf_pool* pool = nullptr;
    doca_error_t answer = doca_buf_pool_create(elements, size, map, &pool);
    if (pool == nullptr) return answer;
    answer = doca_buf_pool_set_element_alignment(pool, alignment);
    if (answer == kYes) answer = doca_buf_pool_start(pool);
    EXPECT_EQ(doca_buf_pool_destroy(pool), kYes);
    return answer;
  };
  try_number("doca_buf_pool_create", "num_elements",
             {.zero = kNo, .most = kMostBuffers, .at_most = kTooSmall},
             [&](auto n) { return start(n, 1, 1); });
  try_number("doca_buf_pool_create", "element_size",
             {.zero = kNo, .most = memory.size() / 2, .above = kTooSmall},
             [&](auto n) { return start(2, n, 1); });
  constexpr std::uint64_t kLargestPower = std::uint64_t{1} << 63U;
  try_number("doca_buf_pool_set_element_alignment", "element_alignment",
             {.zero = kNo, .most = kLargestPower, .at_most = kTooSmall},
             [&](auto n) { return start(2, 1, n); });
  EXPECT_EQ(start(memory.size(), 1, 1), kYes);
  doca_buf_pool* pool = nullptr;
  ASSERT_EQ(doca_buf_pool_create(1, 1, map, &pool), kYes);
  try_number(
      "doca_buf_pool_set_user_data", "user_data", {},
      [&](auto n) { return doca_buf_pool_set_user_data(pool, {.u64 = n}); },
      word_of(pool, doca_buf_pool_get_user_data));
  EXPECT_EQ(doca_buf_pool_destroy(pool), kYes);
}

}  // namespace
}  // namespace comch::test
