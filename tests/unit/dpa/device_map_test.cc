// DeviceMap and Copy: what an accelerator may touch of a memory map.
#include "dpa/device_map.h"

#include <algorithm>

#include "base/copy.h"
#include "unit/dpa/memory.h"

namespace comch::test {
namespace {

using dpa::Copy;
using dpa::DeviceMap;

struct DeviceMapTest : testing::Test {
  // Why the copy is refused; nothing when it is not.
  static std::optional<Errc> refusal(const dpa::MapAddress& to, const dpa::MapAddress& from,
                                     std::size_t size) {
    const Result<Copy> copy = Copy::check(to, from, size);
    if (copy) return std::nullopt;
    return copy.error().code;
  }
  RuntimeDirectory runtime;
  DeviceMemoryMap here{64};
  DeviceMemoryMap there{64};
};

TEST_F(DeviceMapTest, IsOfAStartedMapThatHasTheDevice) {
  EXPECT_TRUE(DeviceMap::of(*here.map, *host()));
  auto stopped = MemoryMap::create().value();
  EXPECT_EQ(DeviceMap::of(*stopped, *host()).error().code, Errc::not_found);
  stopped->add_device(host()).value();
  EXPECT_EQ(DeviceMap::of(*stopped, *host()).error().code, Errc::not_permitted);
}

TEST_F(DeviceMapTest, FindsARangeByItsAddress) {
  const auto range = here.device_map().at(here.map->origin() + 8, 16, true).value();
  EXPECT_EQ(range.data(), here.range().data() + 8);
  EXPECT_EQ(range.size(), 16U);
}

TEST_F(DeviceMapTest, RefusesARangeThatLeavesTheMap) {
  const DeviceMap map = here.device_map();
  const std::uint64_t begin = here.map->origin();
  EXPECT_TRUE(map.at(begin, 64, true));
  EXPECT_TRUE(map.at(begin + 64, 0, true));
  EXPECT_EQ(map.at(begin, 65, false).error().code, Errc::invalid_value);
  EXPECT_EQ(map.at(begin + 64, 1, false).error().code, Errc::invalid_value);
  EXPECT_EQ(map.at(begin - 1, 2, false).error().code, Errc::invalid_value);
  EXPECT_EQ(map.at(begin + 1, ~std::size_t{0}, false).error().code, Errc::invalid_value);
  EXPECT_EQ(map.at(~std::uint64_t{0}, 2, false).error().code, Errc::invalid_value);
}

TEST_F(DeviceMapTest, RefusesToWriteWhereItMayOnlyRead) {
  for (const Access access : {Access::kLocalReadOnly, Access::kPciReadOnly}) {
    const DeviceMemoryMap read_only(64, access);
    const std::uint64_t begin = read_only.map->origin();
    EXPECT_TRUE(read_only.device_map().at(begin, 1, false));
    EXPECT_EQ(read_only.device_map().at(begin, 1, true).error().code, Errc::not_permitted);
  }
}

TEST_F(DeviceMapTest, DoesToAnImportedMapWhatItsExporterAllows) {
  const DeviceMemoryMap exported(4096, Access::kPciReadOnly);
  auto imported =
      MemoryMap::create_from_export(exported.map->export_descriptor(*host()).value(), host())
          .value();
  const DeviceMap map = DeviceMap::of(*imported, *host()).value();
  EXPECT_TRUE(map.at(imported->origin(), 4096, false));
  EXPECT_EQ(map.at(imported->origin(), 1, true).error().code, Errc::not_permitted);
  EXPECT_TRUE(MemoryMap::destroy(imported));
}

TEST_F(DeviceMapTest, RefusesAMapThatWasStopped) {
  const DeviceMap map = here.device_map();
  here.map->stop().value();
  EXPECT_EQ(map.at(here.map->origin(), 1, false).error().code, Errc::not_permitted);
  here.map->start().value();
}

TEST_F(DeviceMapTest, CopiesWhatItWasAskedTo) {
  here.write("abcdef");
  Copy::check(there.at(2), here.at(1), 3).value().run();
  EXPECT_EQ(there.text(6), std::string("\0\0bcd\0", 6));
  Copy::check(there.at(0), here.at(0), 0).value().run();
  EXPECT_EQ(there.text(2), std::string(2, '\0'));
}

TEST_F(DeviceMapTest, CopiesWhatIsTooLongForAnyCache) {
  constexpr std::size_t kSize = kMostCached + 5;
  const DeviceMemoryMap from{kSize + 3};
  const DeviceMemoryMap to{kSize + 3};
  for (std::size_t n = 0; n < from.range().size(); ++n) from.range()[n] = std::byte(n % 251);
  for (const std::size_t size : {std::size_t{kLongCopy} + 1, kSize}) {
    Copy::check(to.at(2), from.at(1), size).value().run();
    EXPECT_TRUE(std::ranges::equal(to.range().subspan(2, size), from.range().subspan(1, size)));
    EXPECT_EQ(to.range()[size + 2], std::byte{0});
  }
}

TEST_F(DeviceMapTest, CopiesBetweenPlacesOfOneMapThatDoNotOverlap) {
  here.write("abcd");
  Copy::check(here.at(4), here.at(0), 4).value().run();
  EXPECT_EQ(here.text(8), "abcdabcd");
}

TEST_F(DeviceMapTest, RefusesRangesThatOverlap) {
  EXPECT_EQ(refusal(here.at(0), here.at(0), 1), Errc::invalid_value);
  EXPECT_EQ(refusal(here.at(0), here.at(3), 4), Errc::invalid_value);
  EXPECT_EQ(refusal(here.at(3), here.at(0), 4), Errc::invalid_value);
  EXPECT_EQ(refusal(here.at(4), here.at(0), 4), std::nullopt);
  EXPECT_EQ(refusal(here.at(0), here.at(0), 0), std::nullopt);
}

TEST_F(DeviceMapTest, RefusesACopyOfWhichEitherEndIsRefused) {
  const DeviceMemoryMap read_only(64, Access::kLocalReadOnly);
  EXPECT_EQ(refusal(read_only.at(0), here.at(0), 1), Errc::not_permitted);
  EXPECT_EQ(refusal(here.at(0), read_only.at(0), 1), std::nullopt);
  EXPECT_EQ(refusal(here.at(0), there.at(64), 1), Errc::invalid_value);
  EXPECT_EQ(refusal(here.at(64), there.at(0), 1), Errc::invalid_value);
}

}  // namespace
}  // namespace comch::test
