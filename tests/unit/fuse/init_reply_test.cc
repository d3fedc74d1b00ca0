// Tests of fuse/init_reply.h: the bytes of an INIT reply.
#include "init_reply.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace comch::fuse {
namespace {

constexpr std::uint32_t kOffered = 1U << 10;

struct InitReplyTest : testing::Test {
  template <class T>
  T field(std::size_t at) const {
    T value{};
    std::memcpy(&value, &body[at], sizeof value);
    return value;
  }

  std::array<std::byte, 64> body{};
};

TEST_F(InitReplyTest, NamesTheLongestTimeAndSaysThatItDoes) {
  ASSERT_TRUE(override_request_timeout(body, kOffered));
  EXPECT_EQ(field<std::uint16_t>(40), 65535);
  EXPECT_EQ(field<std::uint32_t>(12), 1U << 30);
  EXPECT_EQ(field<std::uint32_t>(32), 1U << 10);
}

TEST_F(InitReplyTest, KeepsTheFlagsThatAreThere) {
  body[12] = std::byte{0x21};
  body[32] = std::byte{0x02};
  ASSERT_TRUE(override_request_timeout(body, kOffered));
  EXPECT_EQ(field<std::uint32_t>(12), (1U << 30) | 0x21U);
  EXPECT_EQ(field<std::uint32_t>(32), (1U << 10) | 0x02U);
}

TEST_F(InitReplyTest, KernelThatDoesNotOfferItIsLeftAlone) {
  EXPECT_FALSE(override_request_timeout(body, ~kOffered));
  EXPECT_EQ(body, (std::array<std::byte, 64>{}));
}

TEST_F(InitReplyTest, ReplyOfAnOldProtocolIsTooShortForIt) {
  EXPECT_FALSE(override_request_timeout(std::span(body).first(24), kOffered));
}

}  // namespace
}  // namespace comch::fuse
