// Frame: the header in front of every packet, and each header that must be refused.
#include "wire/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace comch::wire {
namespace {

using Bytes = std::vector<std::byte>;

Bytes framed(Kind kind, std::size_t body) {
  Bytes bytes(kMaxPacket);
  bytes.resize(write_frame(kind, bytes, [&](Writer& out) {
    for (std::size_t n = 0; n < body; ++n) out.number(static_cast<std::uint8_t>(n));
  }));
  return bytes;
}

Errc refused(const Bytes& bytes) {
  const Result<Frame> frame = read_frame(bytes);
  return frame ? Errc::skipped : frame.error().code;
}

TEST(FrameTest, IsReadBackWithItsKindAndItsBody) {
  for (auto kind = std::to_underlying(Kind::kHello); kind <= std::to_underlying(Kind::kFile);
       ++kind) {
    const Bytes bytes = framed(static_cast<Kind>(kind), 5);
    ASSERT_EQ(bytes.size(), kHeaderSize + 5);
    const Result<Frame> frame = read_frame(bytes);
    ASSERT_TRUE(frame);
    EXPECT_EQ(std::to_underlying(frame->kind), kind);
    ASSERT_EQ(frame->body.size(), 5U);
    EXPECT_EQ(frame->body.data(), bytes.data() + kHeaderSize);
    EXPECT_EQ(frame->body[4], std::byte{4});
  }
}

TEST(FrameTest, IsWrittenInTheDocumentedBytes) {
  const Bytes expected{std::byte{'C'}, std::byte{'M'}, std::byte{'C'}, std::byte{'H'}, std::byte{1},
                       std::byte{0},   std::byte{9},   std::byte{0},   std::byte{13},  std::byte{0},
                       std::byte{0},   std::byte{0},   std::byte{0}};
  EXPECT_EQ(framed(Kind::kLane, 1), expected);
}

TEST(FrameTest, MayHaveNoBodyAndOneThatFillsTheLargestPacket) {
  ASSERT_TRUE(read_frame(framed(Kind::kDoorbell, 0)));
  EXPECT_TRUE(read_frame(framed(Kind::kDoorbell, 0))->body.empty());
  const Bytes largest = framed(Kind::kMap, kMaxPacket - kHeaderSize);
  ASSERT_EQ(largest.size(), kMaxPacket);
  EXPECT_EQ(read_frame(largest)->body.size(), kMaxPacket - kHeaderSize);
}

TEST(FrameTest, IsNotWrittenWhereItDoesNotFit) {
  EXPECT_TRUE(framed(Kind::kMap, kMaxPacket - kHeaderSize + 1).empty());
  for (std::size_t size = 0; size < kHeaderSize + 5; ++size) {
    Bytes small(size + 1, std::byte{0x5a});
    const auto five = [](Writer& out) {
      for (std::uint8_t n = 0; n < 5; ++n) out.number(n);
    };
    EXPECT_EQ(write_frame(Kind::kMap, std::span(small).first(size), five), 0U) << size;
    EXPECT_EQ(small.back(), std::byte{0x5a}) << size;
  }
}

TEST(FrameTest, APacketShorterThanAHeaderOrLongerThanAnyIsRefused) {
  const Bytes whole = framed(Kind::kDoorbell, 0);
  for (std::size_t size = 0; size < kHeaderSize; ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(refused(cut), Errc::connection_reset) << size;
  }
  Bytes longer = framed(Kind::kMap, kMaxPacket - kHeaderSize);
  longer.push_back(std::byte{0});
  longer[kSizeField] = static_cast<std::byte>(longer.size() & 0xffU);
  longer[kSizeField + 1] = static_cast<std::byte>(longer.size() >> 8U);
  EXPECT_EQ(refused(longer), Errc::connection_reset);
}

TEST(FrameTest, ASizeThatIsNotThePacketsIsRefused) {
  for (const int size : {0, 1, 12, 14, 255}) {
    Bytes bytes = framed(Kind::kMap, 1);
    bytes[kSizeField] = static_cast<std::byte>(size);
    EXPECT_EQ(refused(bytes), Errc::connection_reset) << size;
  }
  for (std::size_t n = 1; n < 4; ++n) {
    Bytes bytes = framed(Kind::kMap, 1);
    bytes[kSizeField + n] = std::byte{1};
    EXPECT_EQ(refused(bytes), Errc::connection_reset) << n;
  }
}

TEST(FrameTest, EachByteOfTheMagicCounts) {
  for (std::size_t n = 0; n < 4; ++n) {
    Bytes bytes = framed(Kind::kMap, 1);
    bytes[n] ^= std::byte{0x20};
    EXPECT_EQ(refused(bytes), Errc::connection_reset) << n;
  }
}

TEST(FrameTest, AnUnknownKindIsRefused) {
  for (const std::uint16_t kind :
       {std::uint16_t{0}, std::uint16_t{14}, std::uint16_t{0x0101}, std::uint16_t{0xffff}}) {
    EXPECT_EQ(refused(framed(static_cast<Kind>(kind), 1)), Errc::connection_reset) << kind;
  }
}

// A sound header of another version is told apart from nonsense, so that it can be answered.
TEST(FrameTest, AnotherVersionIsToldApartFromNonsense) {
  for (const std::size_t at : {std::size_t{4}, std::size_t{5}}) {
    Bytes bytes = framed(Kind::kMap, 1);
    bytes[at] ^= std::byte{2};
    EXPECT_EQ(refused(bytes), Errc::unsupported_version);
    bytes[6] = std::byte{99};
    EXPECT_EQ(refused(bytes), Errc::unsupported_version) << "its kinds are its own";
    bytes[kSizeField] = std::byte{1};
    EXPECT_EQ(refused(bytes), Errc::connection_reset) << "but the size is not";
  }
}

}  // namespace
}  // namespace comch::wire
