// PeerFiles: which files are taken, and under which numbers they are known.
#include "transport/shm/peer_files.h"

#include <gtest/gtest.h>

#include "os/memfd.h"

namespace comch::transport::shm {
namespace {

struct PeerFilesTest : testing::Test {
  static os::PeerFile file() {
    return {os::make_sealed_memfd("comch-test", kBytes).value(), std::nullopt};
  }
  Status add(std::uint32_t number) { return files.add({number}, file(), allowances); }

  static constexpr std::size_t kBytes = 64;
  Allowances allowances;
  PeerFiles files;
};

TEST_F(PeerFilesTest, AFileIsFoundByItsNumberUntilItEnds) {
  ASSERT_TRUE(add(3));
  ASSERT_TRUE(add(4));
  EXPECT_NE(files.find(3), files.find(4));
  EXPECT_EQ(files.find(5), nullptr);
  EXPECT_TRUE(files.end(3));
  EXPECT_FALSE(files.end(3));
  EXPECT_EQ(files.find(3), nullptr);
  EXPECT_NE(files.find(4), nullptr);
}

TEST_F(PeerFilesTest, NumbersAscendAndNoneComesAgain) {
  ASSERT_TRUE(add(3));
  ASSERT_TRUE(files.end(3));
  for (const std::uint32_t number : {0U, 2U, 3U}) {
    EXPECT_EQ(add(number).error().code, Errc::connection_reset) << number;
  }
  EXPECT_TRUE(add(~0U));
  EXPECT_EQ(add(~0U).error().code, Errc::connection_reset);
  EXPECT_EQ(add(0).error().code, Errc::connection_reset);
}

TEST_F(PeerFilesTest, RefusesANumberWithoutAFile) {
  EXPECT_EQ(files.add({1}, {}, allowances).error().code, Errc::connection_reset);
}

TEST_F(PeerFilesTest, RefusesMoreThanAnyCorrectPeerShows) {
  for (std::uint32_t n = 0; n < PeerFiles::kMost; ++n) ASSERT_TRUE(add(n)) << n;
  EXPECT_EQ(add(PeerFiles::kMost).error().code, Errc::connection_reset);
}

TEST_F(PeerFilesTest, OneBeyondThePeersShareOfDescriptorsIsKnownAndCannotBeRead) {
  const auto all = allowances.descriptors.take(Allowance::descriptors().of_a_peer);
  ASSERT_TRUE(all);
  ASSERT_TRUE(add(1));
  ASSERT_NE(files.find(1), nullptr);
  EXPECT_FALSE(*files.find(1));
  std::array<std::byte, kBytes> room{};
  EXPECT_FALSE(files.find(1)->read(room, 0));
}

}  // namespace
}  // namespace comch::transport::shm
