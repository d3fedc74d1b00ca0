// The contract of Writer and Reader.
#include "wire/bytes.h"

#include <gtest/gtest.h>

#include <array>

namespace comch::wire {
namespace {

TEST(BytesTest, NumbersAreLittleEndianWithoutPadding) {
  std::array<std::byte, 15> bytes{};
  Writer out(bytes);
  out.number(std::uint8_t{1});
  out.number(std::uint16_t{0x0302});
  out.number(std::uint32_t{0x07060504});
  out.number(std::uint64_t{0x0f0e0d0c0b0a0908});
  EXPECT_EQ(out.written(), 15U);
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_EQ(std::to_integer<int>(bytes[n]), n + 1);
  Reader in(bytes);
  EXPECT_EQ(in.number<std::uint8_t>(), 1U);
  EXPECT_EQ(in.number<std::uint16_t>(), 0x0302U);
  EXPECT_EQ(in.number<std::uint32_t>(), 0x07060504U);
  EXPECT_FALSE(in.done());
  EXPECT_EQ(in.number<std::uint64_t>(), 0x0f0e0d0c0b0a0908U);
  EXPECT_TRUE(in.done());
}

TEST(BytesTest, WhatDoesNotFitIsNotWrittenAndNothingAfterIt) {
  std::array<std::byte, 4> bytes{};
  Writer out(bytes);
  out.number(std::uint16_t{1});
  out.text("abc");
  out.number(std::uint8_t{1});
  EXPECT_EQ(out.written(), 0U);
}

TEST(BytesTest, ATextOf256BytesHasNoLength) {
  std::array<std::byte, 512> bytes{};
  Writer out(bytes);
  out.text(std::string(256, 'x'));
  EXPECT_EQ(out.written(), 0U);
}

TEST(BytesTest, ReadingPastTheEndAnswersZeroAndIsNeverDone) {
  const std::array<std::byte, 1> bytes{std::byte{0xff}};
  Reader in(bytes);
  EXPECT_EQ(in.number<std::uint32_t>(), 0U);
  EXPECT_EQ(in.number<std::uint8_t>(), 0U) << "nothing is read after a failure";
  EXPECT_FALSE(in.done());
}

TEST(BytesTest, ATextIsRefusedWhenCutTooLongOrWithNul) {
  const auto text = [](std::string_view raw, std::size_t limit) {
    Reader in(std::as_bytes(std::span(raw)));
    const std::string value = in.text(limit);
    return in.done() ? value : std::string("refused");
  };
  EXPECT_EQ(text(std::string_view("\3abc", 4), 3), "abc");
  EXPECT_EQ(text(std::string_view("\0", 1), 3), "");
  EXPECT_EQ(text(std::string_view("\3abc", 4), 2), "refused");
  EXPECT_EQ(text(std::string_view("\4abc", 4), 9), "refused");
  EXPECT_EQ(text(std::string_view("\3a\0c", 4), 9), "refused");
}

}  // namespace
}  // namespace comch::wire
