// doca_argp_cmd: commands, their own options, and those they inherit.
#include "doca/parsed.h"

namespace comch::test {
namespace {

struct ArgpCmdTest : ParsedTest {
  // program [-a] [-q] get [-n number] {deep [-d], flat}
  ArgpCmdTest() {
    doca_argp_param_set_inherited(param("a", "all", DOCA_ARGP_TYPE_BOOLEAN));
    param("q", "quiet", DOCA_ARGP_TYPE_BOOLEAN);
    get = make_cmd("get");
    deep = make_cmd("deep");
    doca_argp_cmd_set_callback(deep, [](void* config) { return note(config, "deep"); });
    EXPECT_EQ(doca_argp_cmd_register_param(get, make("n", "number", DOCA_ARGP_TYPE_INT)),
              DOCA_SUCCESS);
    must = make("d", "depth", DOCA_ARGP_TYPE_INT);
    doca_argp_param_set_mandatory(must);
    EXPECT_EQ(doca_argp_cmd_register_param(deep, must), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_cmd_register_cmd(get, deep), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_cmd_register_cmd(get, make_cmd("flat")), DOCA_SUCCESS);
    EXPECT_EQ(doca_argp_register_cmd(get), DOCA_SUCCESS);
  }

  doca_argp_cmd* get = nullptr;
  doca_argp_cmd* deep = nullptr;
  doca_argp_param* must = nullptr;
};

TEST_F(ArgpCmdTest, CallbacksComeInTheOrderOfTheWords) {
  EXPECT_EQ(start({"-q", "get", "-n", "3", "deep", "-d", "4"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"true", "3", "deep", "4"}));
}

TEST_F(ArgpCmdTest, WithoutACommandTheProgramIsItsOwn) {
  EXPECT_EQ(start({"-q"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"true"}));
}

TEST_F(ArgpCmdTest, InheritedOptionsAreKnownBelowOthersAreNot) {
  EXPECT_EQ(start({"get", "flat", "-a"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"true"}));
}

TEST_F(ArgpCmdTest, AnOptionOfTheLevelAboveIsUnknownBelow) {
  EXPECT_EQ(start({"get", "flat", "-q"}), kNo);
  EXPECT_EQ(said, "tool: there is no option -q (see tool --help)\n");
}

TEST_F(ArgpCmdTest, WhatIsMandatoryBelowIsMissedOnlyThere) {
  EXPECT_EQ(start({"get", "deep"}), kNo);
  EXPECT_EQ(said, "tool: --depth is missing (see tool --help)\n");
  EXPECT_TRUE(calls.empty());
}

TEST_F(ArgpCmdTest, ACommandThatDoesNothingItselfNeedsAnother) {
  EXPECT_EQ(start({"get"}), kNo);
  EXPECT_EQ(said, "tool: 'get' needs a command (see tool --help)\n");
}

TEST_F(ArgpCmdTest, AWordThatIsNoCommandIsRefused) {
  EXPECT_EQ(start({"put"}), kNo);
  EXPECT_EQ(said, "tool: 'put' is no command (see tool --help)\n");
}

TEST_F(ArgpCmdTest, WhatTheCommandsCallbackAnswersIsTheAnswer) {
  answer = DOCA_ERROR_FULL;
  EXPECT_EQ(start({"get", "deep", "-d", "1"}), DOCA_ERROR_FULL);
  EXPECT_EQ(calls, (Calls{"deep"}));
  EXPECT_EQ(said, "tool: the program refused deep: There is no more room\n");
}

TEST_F(ArgpCmdTest, ItHasANameOfItsOwn) {
  doca_argp_cmd* cmd = make_cmd(nullptr);
  EXPECT_EQ(doca_argp_register_cmd(cmd), kNo);
  doca_argp_cmd_set_name(cmd, "-get");
  EXPECT_EQ(doca_argp_register_cmd(cmd), kNo);
  doca_argp_cmd_set_name(cmd, "get");
  EXPECT_EQ(doca_argp_register_cmd(cmd), kNo);
  doca_argp_cmd_set_name(cmd, "put");
  EXPECT_EQ(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
  EXPECT_EQ(doca_argp_register_cmd(cmd), DOCA_ERROR_INITIALIZATION);
}

TEST_F(ArgpCmdTest, ItIsNeverBelowItself) {
  doca_argp_cmd* upper = make_cmd("upper");
  doca_argp_cmd* lower = make_cmd("lower");
  EXPECT_EQ(doca_argp_cmd_register_cmd(upper, upper), kNo);
  ASSERT_EQ(doca_argp_cmd_register_cmd(upper, lower), DOCA_SUCCESS);
  EXPECT_EQ(doca_argp_cmd_register_cmd(lower, upper), kNo);
}

TEST_F(ArgpCmdTest, OnceRegisteredItIsTheParsers) {
  EXPECT_EQ(doca_argp_cmd_destroy(get), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_argp_cmd_register_param(get, must), DOCA_ERROR_INITIALIZATION);
  EXPECT_EQ(doca_argp_cmd_destroy(make_cmd("put")), DOCA_SUCCESS);
}

TEST_F(ArgpCmdTest, ItIsBelowOneOther) {
  EXPECT_EQ(doca_argp_cmd_register_cmd(get, deep), DOCA_ERROR_INITIALIZATION);
  EXPECT_EQ(doca_argp_cmd_register_cmd(make_cmd("other"), deep), DOCA_ERROR_INITIALIZATION);
}

TEST_F(ArgpCmdTest, NullIsRefusedOrPassedOver) {
  EXPECT_EQ(doca_argp_cmd_create(nullptr), kNo);
  EXPECT_EQ(doca_argp_cmd_destroy(nullptr), kNo);
  EXPECT_EQ(doca_argp_cmd_register_param(nullptr, must), kNo);
  EXPECT_EQ(doca_argp_cmd_register_param(get, nullptr), kNo);
  EXPECT_EQ(doca_argp_cmd_register_cmd(nullptr, deep), kNo);
  EXPECT_EQ(doca_argp_cmd_register_cmd(get, nullptr), kNo);
  doca_argp_cmd_set_name(nullptr, "get");
  doca_argp_cmd_set_description(nullptr, "get");
  doca_argp_cmd_set_callback(nullptr, nullptr);
  doca_argp_cmd_set_hidden(nullptr);
}

}  // namespace
}  // namespace comch::test
