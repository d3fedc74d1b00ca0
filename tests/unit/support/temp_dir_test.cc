// What TempDir and RuntimeDirectory promise.
#include "support/temp_dir.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace comch::test {
namespace {

TEST(TempDirTest, IsEmptyOfItsOwnAndGoneWithAllItHeld) {
  std::filesystem::path path;
  {
    const TempDir dir;
    const TempDir other;
    path = dir.path();
    EXPECT_NE(path, other.path());
    EXPECT_TRUE(dir.entries().empty());
    std::filesystem::create_directory(dir / "b");
    std::ofstream(dir / "b" / "file") << "text";
    std::ofstream(dir / "a") << "text";
    EXPECT_EQ(dir.entries(), (std::vector<std::string>{"a", "b"}));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RuntimeDirectoryTest, IsWhereComchMeetsUntilItEnds) {
  const RuntimeDirectory outer;
  {
    const RuntimeDirectory inner;
    EXPECT_STREQ(std::getenv("COMCH_RUNTIME_DIR"), inner.path().c_str());
  }
  EXPECT_STREQ(std::getenv("COMCH_RUNTIME_DIR"), outer.path().c_str());
}

}  // namespace
}  // namespace comch::test
