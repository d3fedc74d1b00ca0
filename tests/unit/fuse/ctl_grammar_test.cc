// Tests of fuse/ctl_grammar.h: the language of the ctl files.
#include "ctl_grammar.h"

#include <gtest/gtest.h>

namespace comch::fuse {
namespace {

using Orders = std::vector<Order>;

TEST(CtlGrammarTest, OneOrderPerLine) {
  const auto orders = parse_orders("stop\ndisconnect conn3 force\n");
  ASSERT_TRUE(orders);
  EXPECT_EQ(*orders, (Orders{{"stop", {}}, {"disconnect", {"conn3", "force"}}}));
}

TEST(CtlGrammarTest, LastLineNeedsNoNewline) {
  EXPECT_EQ(parse_orders("start").value(), (Orders{{"start", {}}}));
}

TEST(CtlGrammarTest, EmptyLinesAndSpacesAroundWordsSayNothing) {
  EXPECT_EQ(parse_orders("\n  \t\n stop  force \n\n").value(), (Orders{{"stop", {"force"}}}));
  EXPECT_TRUE(parse_orders("").value().empty());
}

TEST(CtlGrammarTest, QuotesHoldSpacesAndDoubledQuotesStandForOne) {
  EXPECT_EQ(parse_orders("set name 'it''s here'").value(),
            (Orders{{"set", {"name", "it's here"}}}));
}

TEST(CtlGrammarTest, QuotedPieceCanBeEmptyOrPartOfAWord) {
  EXPECT_EQ(parse_orders("set a''b ''").value(), (Orders{{"set", {"ab", ""}}}));
  EXPECT_EQ(parse_orders("set x'y z'w").value(), (Orders{{"set", {"xy zw"}}}));
}

TEST(CtlGrammarTest, NothingRunsWhenAQuoteIsNeverClosed) {
  EXPECT_FALSE(parse_orders("stop\nset name 'oops\n"));
  EXPECT_FALSE(parse_orders("set name 'it''"));
}

TEST(CtlGrammarTest, AWriteHasAtMost64Orders) {
  std::string text;
  for (int n = 0; n < 64; ++n) text += "start\n\n";
  EXPECT_EQ(parse_orders(text).value().size(), 64U);
  EXPECT_FALSE(parse_orders(text + "stop")) << "nothing of it runs";
}

TEST(CtlGrammarTest, NulBytesAreRefused) {
  EXPECT_FALSE(parse_orders(std::string_view("stop\0", 5)));
}

TEST(CtlGrammarTest, OrderThatIsNotUnderstoodIsToldHowItsVerbIsUsed) {
  constexpr std::string_view kUsage = "start\nstop [force]\nset NAME VALUE\n";
  EXPECT_EQ(objection_to({"stop", {"now"}}, kUsage), "it is written `stop [force]`");
  EXPECT_EQ(objection_to({"set", {}}, kUsage), "it is written `set NAME VALUE`");
  for (const char* verb : {"st", "stopp", "", "NAME"}) {
    EXPECT_EQ(objection_to({verb, {}}, kUsage), "no such order; read ctl for those there are");
  }
}

}  // namespace
}  // namespace comch::fuse
