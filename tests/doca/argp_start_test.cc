// doca_argp_start: words of the command line, and what is wrong with them.
#include "doca/parsed.h"

namespace comch::test {
namespace {

struct ArgpStartTest : ParsedTest {
  ArgpStartTest() {
    param("t", "text", DOCA_ARGP_TYPE_STRING);
    param("n", "number", DOCA_ARGP_TYPE_INT);
    param("f", "flag", DOCA_ARGP_TYPE_BOOLEAN);
    param("g", "gag", DOCA_ARGP_TYPE_BOOLEAN);
  }
  // What `words` are refused with.
  std::string refused(const std::vector<std::string>& words) {
    EXPECT_EQ(start(words), kNo);
    EXPECT_TRUE(calls.empty());
    return said;
  }
};

TEST_F(ArgpStartTest, NothingIsNeeded) {
  EXPECT_EQ(start({}), DOCA_SUCCESS);
  EXPECT_TRUE(calls.empty());
}

TEST_F(ArgpStartTest, AValueIsTheNextWord) {
  EXPECT_EQ(start({"-t", "a b", "--number", "12", "-f"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"a b", "12", "true"}));
}

TEST_F(ArgpStartTest, AValueFollowsTheNameOrAnEqualsSign) {
  EXPECT_EQ(start({"-ta=b", "--number=-3"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"a=b", "-3"}));
}

TEST_F(ArgpStartTest, AnEqualsSignAfterAShortNameIsNotInItsValue) {
  EXPECT_EQ(start({"-t=b", "--number="}), kNo);
  EXPECT_EQ(said, "tool: --number takes a whole number (see tool --help)\n");
}

TEST_F(ArgpStartTest, FlagsGoTogetherBeforeAValue) {
  EXPECT_EQ(start({"-fgn0x10"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"true", "true", "16"}));
}

TEST_F(ArgpStartTest, AValueMayLookLikeAnOption) {
  EXPECT_EQ(start({"-t", "--flag"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"--flag"}));
}

TEST_F(ArgpStartTest, AShortNameMayBeLong) {
  param("tt", nullptr, DOCA_ARGP_TYPE_STRING);
  EXPECT_EQ(start({"-tt", "a"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"a"}));
}

TEST_F(ArgpStartTest, NumbersReachFromEndToEnd) {
  doca_argp_param_set_multiplicity(param("m", "many", DOCA_ARGP_TYPE_INT));
  EXPECT_EQ(start({"-m", "2147483647", "-m", "-2147483648", "-m", "0"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"2147483647", "-2147483648", "0"}));
}

TEST_F(ArgpStartTest, NumbersBeyondAreRefused) {
  EXPECT_EQ(refused({"-f", "-n", "2147483648"}),
            "tool: --number takes a whole number (see tool --help)\n");
}

struct ArgpNumberTest : ArgpStartTest, testing::WithParamInterface<const char*> {};

TEST_P(ArgpNumberTest, IsRefused) { EXPECT_NE(refused({"-n", GetParam()}), ""); }

INSTANTIATE_TEST_SUITE_P(NoNumber, ArgpNumberTest,
                         testing::Values("", "-", "--1", "1x", "x", "1.5", "0x", "0x-1", " 1",
                                         "-2147483649"));

TEST_F(ArgpStartTest, AnUnknownOptionIsNamed) {
  EXPECT_EQ(refused({"-fx"}), "tool: there is no option -x (see tool --help)\n");
}

TEST_F(ArgpStartTest, AnUnknownLongOptionIsNamedWithoutItsValue) {
  EXPECT_EQ(refused({"--tex=a"}), "tool: there is no option --tex (see tool --help)\n");
}

TEST_F(ArgpStartTest, AMissingValueIsSaid) {
  EXPECT_EQ(refused({"-f", "--text"}), "tool: --text needs a value (see tool --help)\n");
}

TEST_F(ArgpStartTest, AFlagTakesNoValue) {
  EXPECT_EQ(refused({"--flag=true"}), "tool: --flag takes no value (see tool --help)\n");
}

TEST_F(ArgpStartTest, AnOptionIsGivenOnce) {
  EXPECT_EQ(refused({"-t", "a", "--text", "b"}), "tool: --text is given twice (see tool --help)\n");
}

TEST_F(ArgpStartTest, AWordThatBelongsToNothingIsRefused) {
  EXPECT_EQ(refused({"-f", "word"}), "tool: 'word' is no option (see tool --help)\n");
}

TEST_F(ArgpStartTest, DashesAloneAreWords) {
  EXPECT_EQ(refused({"--"}), "tool: '--' is no option (see tool --help)\n");
}

TEST_F(ArgpStartTest, AJsonObjectIsNoOptionOfTheCommandLine) {
  param(nullptr, "object", DOCA_ARGP_TYPE_JSON_OBJ);
  EXPECT_EQ(refused({"--object", "{}"}),
            "tool: --object is an option of JSON files only (see tool --help)\n");
}

TEST_F(ArgpStartTest, WhatIsMandatoryIsMissed) {
  doca_argp_param_set_mandatory(param("p", nullptr, DOCA_ARGP_TYPE_STRING));
  EXPECT_EQ(refused({"-f"}), "tool: -p is missing (see tool --help)\n");
}

TEST_F(ArgpStartTest, OneThatMustBeAloneIsEnoughAlone) {
  doca_argp_param_set_mandatory(param("p", nullptr, DOCA_ARGP_TYPE_STRING));
  doca_argp_param_set_singular(param("s", nullptr, DOCA_ARGP_TYPE_BOOLEAN));
  EXPECT_EQ(start({"-s"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"true"}));
}

TEST_F(ArgpStartTest, OneThatMustBeAloneIsRefusedWithOthers) {
  doca_argp_param_set_singular(param("s", nullptr, DOCA_ARGP_TYPE_BOOLEAN));
  EXPECT_EQ(refused({"-s", "-f"}),
            "tool: an option was given that must be given alone (see tool --help)\n");
}

TEST_F(ArgpStartTest, WhatACallbackAnswersIsTheAnswerAndStopsTheRest) {
  answer = DOCA_ERROR_NOT_FOUND;
  EXPECT_EQ(start({"-t", "a", "-f"}), DOCA_ERROR_NOT_FOUND);
  EXPECT_EQ(calls, (Calls{"a"}));
  EXPECT_EQ(said, "tool: the program refused --text: There is no such thing\n");
}

TEST_F(ArgpStartTest, ValuesLiveAsLongAsTheParser) {
  static const char* kept = nullptr;
  doca_argp_param* param = make("k", "keep", DOCA_ARGP_TYPE_STRING);
  doca_argp_param_set_callback(param, [](void* value, void*) {
    kept = static_cast<const char*>(value);
    return DOCA_SUCCESS;
  });
  ASSERT_EQ(doca_argp_register_param(param), DOCA_SUCCESS);
  ASSERT_EQ(start({"-k", "value", "-t", "another"}), DOCA_SUCCESS);
  EXPECT_STREQ(kept, "value");
}

}  // namespace
}  // namespace comch::test
