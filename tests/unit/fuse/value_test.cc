// Tests of fuse/value.h: the text of attribute files.
#include "value.h"

#include <gtest/gtest.h>

namespace comch::fuse {
namespace {

TEST(ValueTest, OneNewlineAtTheEndIsOptional) {
  EXPECT_EQ(trimmed("64\n"), "64");
  EXPECT_EQ(trimmed("64"), "64");
  EXPECT_EQ(trimmed("64\n\n"), "64\n");
  EXPECT_EQ(trimmed(""), "");
}

TEST(ValueTest, ANameWithANewlineIsStillOneLine) {
  EXPECT_EQ(on_one_line("mine\n1.0 yours\n"), "mine\\n1.0 yours\\n");
  EXPECT_EQ(on_one_line("a\\b"), "a\\b") << "all else stays";
}

TEST(ValueTest, NumbersAreDecimalAndNothingElse) {
  EXPECT_EQ(parse_number("0", 10), 0U);
  EXPECT_EQ(parse_number("10", 10), 10U);
  EXPECT_EQ(parse_number("18446744073709551615", ~0ULL), ~0ULL);
  for (const char* text :
       {"", "11", "-1", "+1", " 1", "1 ", "0x1", "1.0", "one", "18446744073709551616"}) {
    EXPECT_FALSE(parse_number(text, 10)) << text;
  }
}

TEST(ValueTest, NumbersTooLargeForAnythingAreStillNumbers) {
  for (const char* text : {"0", "42", "99999999999999999999"})
    EXPECT_TRUE(is_decimal(text)) << text;
  for (const char* text : {"", "-1", "1 ", "0x1"}) EXPECT_FALSE(is_decimal(text)) << text;
}

TEST(ValueTest, ModesAreOctalAndPermissionBitsOnly) {
  EXPECT_EQ(parse_mode("0750"), 0750U);
  EXPECT_EQ(parse_mode("777"), 0777U);
  for (const char* text : {"", "8", "1777", "rwx", "-1"}) EXPECT_FALSE(parse_mode(text)) << text;
}

TEST(ValueTest, IdsStandBetweenSpacesOrCommas) {
  EXPECT_EQ(parse_ids("1000, 1001 0"), (std::vector<std::uint32_t>{1000, 1001, 0}));
  EXPECT_EQ(parse_ids(""), std::vector<std::uint32_t>{});
  EXPECT_FALSE(parse_ids("1000 bob"));
  EXPECT_FALSE(parse_ids("4294967295"));  // "No id", for every system call.
  EXPECT_EQ(join_ids({3, 1}), "3 1");
}

TEST(ValueTest, StarLetsEveryoneInAndAListTakesItBack) {
  const AccessList nobody;
  const auto all = with_access(nobody, AccessPart::kUids, "*");
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->everyone);
  EXPECT_EQ(show_access(*all, AccessPart::kGids), "*");
  const auto some = with_access(*all, AccessPart::kGids, "27");
  ASSERT_TRUE(some);
  EXPECT_FALSE(some->everyone);
  EXPECT_EQ(show_access(*some, AccessPart::kGids), "27");
  EXPECT_EQ(show_access(*some, AccessPart::kUids), "");
  EXPECT_FALSE(with_access(*some, AccessPart::kUids, "root"));
}

TEST(ValueTest, BytesAreTwoHexadecimalDigitsEach) {
  const auto bytes = parse_hex("00fF7e");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(*bytes, (std::vector{std::byte{0}, std::byte{255}, std::byte{0x7e}}));
  EXPECT_EQ(show_hex(*bytes), "00ff7e");
  EXPECT_TRUE(parse_hex("")->empty());
  EXPECT_EQ(show_hex({}), "");
  for (const char* bad : {"0", "000", "0x", "g0", "0g", " 0", "-1", "0 "})
    EXPECT_FALSE(parse_hex(bad)) << bad;
}

}  // namespace
}  // namespace comch::fuse
