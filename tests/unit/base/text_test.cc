// Text: what a stranger chose, on one line of a log and in one word of a shell.
#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/child_process.h"

namespace comch {
namespace {

using namespace std::string_view_literals;

TEST(PrintableTest, LeavesPlainTextAlone) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("echo 'server' \"7\" ~"), "echo 'server' \"7\" ~");
}

TEST(PrintableTest, EscapesWhatCouldForgeALineOrMoveACursor) {
  EXPECT_EQ(printable("a\nb\tc\\d\x1b[2J\x7f\0é"sv), "a\\nb\\tc\\\\d\\x1b[2J\\x7f\\x00\\xc3\\xa9");
}

TEST(PrintableTest, OnOneLineLeavesAllButControlCharactersAlone) {
  EXPECT_EQ(on_one_line("a\nb\tc\\d\x1b[2J\x7f\0é"sv), "a\\nb\\tc\\d\\x1b[2J\\x7f\\x00é");
  EXPECT_EQ(on_one_line(printable("a\nb")), printable("a\nb"));
}

TEST(PrintableTest, EveryByteBecomesVisibleAscii) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string shown = printable(std::string(1, static_cast<char>(byte)));
    ASSERT_FALSE(shown.empty());
    for (const char c : shown) ASSERT_TRUE(c >= 0x20 && c < 0x7f) << byte;
  }
}

TEST(PrintableTest, CutsWhatIsTooLongAndSaysSo) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcdef...");
  EXPECT_LE(printable(std::string(1u << 20u, '\n')).size(), 256 * 2 + 3u);
}

TEST(ShellQuotedTest, LeavesASafeWordAlone) {
  EXPECT_EQ(shell_quoted("/run/comch/a-b_c.d:e=f,g@h%i+j"), "/run/comch/a-b_c.d:e=f,g@h%i+j");
}

TEST(ShellQuotedTest, QuotesEverythingElse) {
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("a\0b"sv), "a");
}

TEST(ShellQuotedTest, AShellReadsBackEveryByte) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  const auto echoed = test::run_program({"sh", "-c", "printf %s " + shell_quoted(all)});
  ASSERT_TRUE(echoed);
  EXPECT_EQ(echoed->output, all);
}

}  // namespace
}  // namespace comch
