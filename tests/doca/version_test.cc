// doca_version: the words and how versions compare.
#include <doca_version.h>
#include <gtest/gtest.h>

namespace comch::test {
namespace {

TEST(VersionTest, TheLibraryIsOfTheHeadersVersion) {
  EXPECT_STREQ(doca_version(), "3.0.0058");
  EXPECT_STREQ(doca_version_runtime(), doca_version());
}

TEST(VersionTest, VersionsCompareWithTheCurrentOne) {
  static_assert(DOCA_VERSION_EQ_CURRENT(3, 0, 58));
  static_assert(!DOCA_VERSION_EQ_CURRENT(3, 0, 57));
  static_assert(DOCA_VERSION_LTE_CURRENT(3, 0, 58));
  static_assert(DOCA_VERSION_LTE_CURRENT(2, 99, 99));
  static_assert(!DOCA_VERSION_LTE_CURRENT(3, 0, 59));
  static_assert(!DOCA_VERSION_LTE_CURRENT(3, 1, 0));
  EXPECT_EQ(DOCA_VERSION_EXACT, DOCA_VERSION_CALC(3, 0, 58));
}

}  // namespace
}  // namespace comch::test
