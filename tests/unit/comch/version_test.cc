// The version of the library.
#include <gtest/gtest.h>

#include <regex>

#include "comch/comch.h"

namespace comch {
namespace {

TEST(VersionTest, TheVersionHasThreeNumbers) {
  EXPECT_TRUE(std::regex_match(version(), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+"))) << version();
}

}  // namespace
}  // namespace comch
