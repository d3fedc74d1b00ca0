// Memory maps, inventories and pools: settings in every state.
#include <doca_buf_pool.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>

#include "doca/bad_input/setters.h"
#include "doca/mapped.h"

namespace comch::test {
namespace {

constexpr auto kNever = DOCA_ERROR_NOT_PERMITTED;

void on_free_wanted(void*, std::size_t, void* count) { ++*static_cast<int*>(count); }
void on_free_unwanted(void*, std::size_t, void*) { ADD_FAILURE() << "it was refused"; }

struct MapStatesTest : testing::Test {
  MapStatesTest() {
    EXPECT_EQ(ftruncate(fd, kSize), 0);
    EXPECT_EQ(doca_dpa_create(device, &dpa), kYes);
    make();
  }
  ~MapStatesTest() override {
    EXPECT_EQ(doca_mmap_destroy(map), kYes);
    EXPECT_EQ(doca_dpa_destroy(dpa), kYes);
    close(fd);
  }
  void make() {
    if (map != nullptr) {
      EXPECT_EQ(doca_mmap_destroy(map), kYes);
    }
    ASSERT_EQ(doca_mmap_create(&map), kYes);
  }
  void start() const { ASSERT_EQ(doca_mmap_start(map), kYes); }
  void stop() const { ASSERT_EQ(doca_mmap_stop(map), kYes); }

  // What may be set again and again while the map is stopped.
  std::vector<Setter> settings();
  // Each gives the map its memory, which it has once.
  std::vector<Setter> ranges();
  std::uint64_t size() const {
    void* at = nullptr;
    std::size_t size = 0;
    doca_mmap_get_memrange(map, &at, &size);
    return size / 1024;
  }

  static constexpr std::size_t kSize = 4096;
  OpenDevice device{kDpuPci};
  OpenDevice other{kHostPci};
  const int fd = memfd_create("comch-test", MFD_CLOEXEC);
  doca_dpa* dpa = nullptr;
  doca_mmap* map = nullptr;
  int freed = 0;
  std::array<std::byte, kSize> memory{};
};

std::vector<Setter> MapStatesTest::settings() {
  return {
      {"doca_mmap_set_user_data",
       [this](auto n) { return doca_mmap_set_user_data(map, {.u64 = n}); },
       word_of(map, doca_mmap_get_user_data)},
      {"doca_mmap_set_permissions",
       [this](auto) { return doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE); }},
      {"doca_mmap_set_free_cb",
       [this](auto n) {
         return doca_mmap_set_free_cb(map, n == 1 ? on_free_wanted : on_free_unwanted, &freed);
       }},
      {"doca_mmap_enable_thread_safety",
       [this](auto) { return doca_mmap_enable_thread_safety(map); },
       {},
       kNever},
      {"doca_mmap_add_dev", [this](auto) { return doca_mmap_add_dev(map, other); }, {}, kNever},
      {"doca_mmap_rm_dev", [this](auto) { return doca_mmap_rm_dev(map, other); }, {}, kNever}};
}

std::vector<Setter> MapStatesTest::ranges() {
  const auto size_of = [this] { return size(); };
  return {
      {"doca_mmap_set_memrange",
       [this](auto n) { return doca_mmap_set_memrange(map, memory.data(), n * 1024); }, size_of},
      {"doca_mmap_set_dmabuf_memrange",
       [this](auto n) { return doca_mmap_set_dmabuf_memrange(map, fd, nullptr, 0, n * 1024); },
       size_of},
      {"doca_mmap_set_dpa_memrange",
       [this](auto n) {
         const auto address = reinterpret_cast<std::uint64_t>(memory.data());
         return doca_mmap_set_dpa_memrange(map, dpa, address, n * 1024);
       },
       size_of}};
}

TEST_F(MapStatesTest, AMapIsConfiguredWhileStopped) {
  ASSERT_EQ(doca_mmap_set_memrange(map, memory.data(), kSize), kYes);
  try_setters(settings(), {open("made", [] {}), shut("started", [&] { start(); }),
                           open("stopped", [&] { stop(); })});
  start();
  make();
  EXPECT_EQ(freed, 1);
}

TEST_F(MapStatesTest, AMapHasItsMemoryOnce) {
  for (Setter& range : ranges()) {
    Setter again = range;
    again.open = kNever;
    try_setters({range}, {shut("started",
                               [&] {
                                 make();
                                 ASSERT_EQ(doca_mmap_set_memrange(map, memory.data(), kSize), kYes);
                                 start();
                               }),
                          open("made anew", [&] { make(); })});
    try_setters({again}, {shut("started", [&] { start(); }), open("stopped", [&] { stop(); })});
  }
}

TEST_F(MapStatesTest, TheNumberOfDevicesIsSetBeforeTheFirstStart) {
  const auto most = [this] {
    std::uint32_t devices = 0;
    EXPECT_EQ(doca_mmap_get_max_num_devices(map, &devices), kYes);
    return std::uint64_t{devices};
  };
  ASSERT_EQ(doca_mmap_set_memrange(map, memory.data(), kSize), kYes);
  try_setters({{"doca_mmap_set_max_num_devices",
                [this](auto n) {
                  return doca_mmap_set_max_num_devices(map, static_cast<std::uint32_t>(n));
                },
                most, kNever}},
              {open("made", [] {}), shut("started", [&] { start(); }),
               shut("stopped", [&] { stop(); }), open("made anew", [&] { make(); })});
}

TEST_F(MapStatesTest, AMapOfAnExportIsAsItCame) {
  const int sealed = memfd_create("comch-test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(sealed, kSize), 0);
  ASSERT_EQ(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  ASSERT_EQ(doca_mmap_set_dmabuf_memrange(map, sealed, nullptr, 0, kSize), kYes);
  ASSERT_EQ(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE), kYes);
  ASSERT_EQ(doca_mmap_add_dev(map, device), kYes);
  start();
  const void* exported = nullptr;
  std::size_t length = 0;
  ASSERT_EQ(doca_mmap_export_pci(map, device, &exported, &length), kYes);
  doca_mmap* const source = map;
  ASSERT_EQ(doca_mmap_create_from_export(nullptr, exported, length, other, &map), kYes);
  for (const auto& all : {settings(), ranges()}) {
    for (const Setter& setter : all) EXPECT_EQ(setter.set(1), kNever) << setter.function;
  }
  EXPECT_EQ(doca_mmap_set_max_num_devices(map, 2), kNever);
  EXPECT_EQ(doca_mmap_destroy(map), kYes);
  map = source;
  close(sealed);
}

using StockStatesTest = MappedTest;

TEST_F(StockStatesTest, AnInventoryIsConfiguredWhileStopped) {
  try_setters({{"doca_buf_inventory_set_user_data",
                [this](auto n) { return doca_buf_inventory_set_user_data(inventory, {.u64 = n}); },
                word_of(inventory, doca_buf_inventory_get_user_data)},
               {"doca_buf_inventory_expand",
                [this](auto) { return doca_buf_inventory_expand(inventory, 1); },
                {},
                kYes}},
              {shut("started", [] {}),
               open("stopped", [this] { ASSERT_EQ(doca_buf_inventory_stop(inventory), kYes); })});
  std::uint32_t elements = 0;
  EXPECT_EQ(doca_buf_inventory_get_num_elements(inventory, &elements), kYes);
  EXPECT_EQ(elements, 4U);
}

TEST_F(StockStatesTest, APoolIsConfiguredWhileStopped) {
  doca_buf_pool* pool = nullptr;
  ASSERT_EQ(doca_buf_pool_create(4, 64, map, &pool), kYes);
  try_setters(
      {{"doca_buf_pool_set_user_data",
        [&](auto n) { return doca_buf_pool_set_user_data(pool, {.u64 = n}); },
        word_of(pool, doca_buf_pool_get_user_data)},
       sized("doca_buf_pool_set_element_alignment", pool, doca_buf_pool_set_element_alignment,
             doca_buf_pool_get_element_alignment, std::size_t{8})},
      {open("made", [] {}), shut("started", [&] { ASSERT_EQ(doca_buf_pool_start(pool), kYes); }),
       open("stopped", [&] { ASSERT_EQ(doca_buf_pool_stop(pool), kYes); })});
  EXPECT_EQ(doca_buf_pool_start(pool), kYes);
  EXPECT_EQ(doca_buf_pool_destroy(pool), kYes);
}

}  // namespace
}  // namespace comch::test
