// MapLife: what is kept with it ends with it, and is made once.
#include "transport/map_life.h"

#include <gtest/gtest.h>

#include <array>

namespace comch::transport {
namespace {

TEST(MapLifeTest, EachHasANumberOfItsOwnThatIsNotZero) {
  std::array<std::byte, 8> bytes{};
  const MapLife first(bytes);
  const MapLife second(bytes);
  EXPECT_NE(first.id(), 0U);
  EXPECT_NE(first.id(), second.id());
  EXPECT_EQ(first.bytes().data(), bytes.data());
}

TEST(MapLifeTest, KeepsTheFirstUnderAKeyUntilItEnds) {
  std::array<std::byte, 8> bytes{};
  const int key = 0;
  auto one = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = one;
  {
    MapLife life(bytes);
    EXPECT_EQ(life.find(&key), nullptr);
    EXPECT_EQ(life.keep(&key, std::move(one)), watched.lock());
    EXPECT_EQ(life.keep(&key, std::make_shared<int>(2)), watched.lock());
    EXPECT_EQ(life.find(&key), watched.lock());
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace comch::transport
