// doca_argp: the parser's life, its callbacks, help and versions.
#include <doca_argp.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "doca/parsed.h"

namespace comch::test {
namespace {

struct ArgpTest : ParsedTest {};

// Starts a program that exits: what it prints goes to where a death test looks, and what else
// would be done at the end of this process is left to the one that began it.
void start_to_exit(const std::vector<std::string>& words) {
  dup2(STDERR_FILENO, STDOUT_FILENO);
  on_exit(
      [](int code, void*) {
        std::fflush(nullptr);
        _exit(code);
      },
      nullptr);
  ParsedTest::start(words);
}

TEST_F(ArgpTest, ThereIsOneParser) {
  EXPECT_EQ(doca_argp_init("other", nullptr), kNotNow);
  EXPECT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
  EXPECT_EQ(doca_argp_destroy(), kNotNow);
  EXPECT_EQ(doca_argp_init(nullptr, nullptr), DOCA_SUCCESS);
}

TEST_F(ArgpTest, WithoutAParserEverythingIsOutOfPlace) {
  doca_argp_param* param = make("p", "pci", DOCA_ARGP_TYPE_STRING);
  doca_argp_cmd* cmd = make_cmd("get");
  ASSERT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
  EXPECT_EQ(doca_argp_param_create(&param), kNotNow);
  EXPECT_EQ(doca_argp_cmd_create(&cmd), kNotNow);
  EXPECT_EQ(doca_argp_register_param(param), kNotNow);
  EXPECT_EQ(doca_argp_register_cmd(cmd), kNotNow);
  EXPECT_EQ(doca_argp_register_version_callback(on_text), kNotNow);
  EXPECT_EQ(doca_argp_register_validation_callback([](void*) { return DOCA_SUCCESS; }), kNotNow);
  EXPECT_EQ(doca_argp_register_logger_callback(hear), kNotNow);
  EXPECT_EQ(doca_argp_disable_logger_callback(), kNotNow);
  EXPECT_EQ(start({}), kNotNow);
  doca_argp_set_dpdk_program(nullptr);
  doca_argp_usage();
}

TEST_F(ArgpTest, OnceItHasStartedNothingIsConfigured) {
  doca_argp_param* param = make("p", "pci", DOCA_ARGP_TYPE_STRING);
  doca_argp_cmd* cmd = make_cmd("get");
  ASSERT_EQ(start({}), DOCA_SUCCESS);
  EXPECT_EQ(start({}), kNotNow);
  EXPECT_EQ(doca_argp_register_param(param), kNotNow);
  EXPECT_EQ(doca_argp_register_cmd(cmd), kNotNow);
  EXPECT_EQ(doca_argp_cmd_register_param(cmd, param), kNotNow);
  EXPECT_EQ(doca_argp_cmd_register_cmd(cmd, cmd), kNotNow);
  EXPECT_EQ(doca_argp_param_create(&param), kNotNow);
  EXPECT_EQ(doca_argp_cmd_create(&cmd), kNotNow);
  EXPECT_EQ(doca_argp_disable_logger_callback(), kNotNow);
}

TEST_F(ArgpTest, NullIsRefused) {
  EXPECT_EQ(doca_argp_register_param(nullptr), kNo);
  EXPECT_EQ(doca_argp_register_cmd(nullptr), kNo);
  EXPECT_EQ(doca_argp_register_version_callback(nullptr), kNo);
  EXPECT_EQ(doca_argp_register_validation_callback(nullptr), kNo);
  EXPECT_EQ(doca_argp_register_logger_callback(nullptr), kNo);
  EXPECT_EQ(doca_argp_get_log_level(nullptr), kNo);
  EXPECT_EQ(doca_argp_get_sdk_log_level(nullptr), kNo);
  EXPECT_EQ(doca_argp_start(1, nullptr), kNo);
  char* argv[] = {nullptr};
  EXPECT_EQ(doca_argp_start(-1, argv), kNo);
}

TEST_F(ArgpTest, HelpListsWhatIsNotHiddenAndExitsWell) {
  doca_argp_param* text = param("t", "text", DOCA_ARGP_TYPE_STRING);
  doca_argp_param_set_arguments(text, "<words>");
  doca_argp_param_set_description(text, "What to say");
  doca_argp_param_set_mandatory(text);
  doca_argp_param_set_hidden(param("s", "secret", DOCA_ARGP_TYPE_BOOLEAN));
  doca_argp_cmd* shown = make_cmd("get");
  doca_argp_cmd_set_description(shown, "Get it");
  doca_argp_cmd* hidden = make_cmd("mystery");
  doca_argp_cmd_set_hidden(hidden);
  ASSERT_EQ(doca_argp_register_cmd(shown), DOCA_SUCCESS);
  ASSERT_EQ(doca_argp_register_cmd(hidden), DOCA_SUCCESS);
  EXPECT_EXIT(start_to_exit({"-h"}), testing::ExitedWithCode(0),
              "^Usage: tool \\[options\\] <command> \\[options\\]\n\nCommands:\n  get  Get it\n\n"
              "Options:\n  -t, --text <words>  What to say \\(mandatory\\)\n\n"
              "Options of every program:\n  -h, --help");
}

TEST_F(ArgpTest, HelpOfACommandIsItsOwn) {
  doca_argp_param* all = param("a", "all", DOCA_ARGP_TYPE_BOOLEAN);
  doca_argp_param_set_inherited(all);
  param("o", "only-above", DOCA_ARGP_TYPE_BOOLEAN);
  doca_argp_cmd* cmd = make_cmd("get");
  doca_argp_cmd_set_description(cmd, "Get it");
  ASSERT_EQ(doca_argp_cmd_register_param(cmd, make("n", "", DOCA_ARGP_TYPE_INT)), DOCA_SUCCESS);
  ASSERT_EQ(doca_argp_register_cmd(cmd), DOCA_SUCCESS);
  EXPECT_EXIT(start_to_exit({"get", "--help"}), testing::ExitedWithCode(0),
              "^Usage: tool get \\[options\\]\n\nGet it\n\nOptions:\n  -n <value>  \n  -a, --all   "
              "\n\nOptions of every");
}

TEST_F(ArgpTest, UsagePrintsTheSameAndGoesOn) {
  testing::internal::CaptureStdout();
  doca_argp_usage();
  EXPECT_TRUE(testing::internal::GetCapturedStdout().starts_with("Usage: tool [options]\n"));
}

TEST_F(ArgpTest, VersionsArePrintedAndTheProgramExitsWell) {
  EXPECT_EXIT(start_to_exit({"--version"}), testing::ExitedWithCode(0),
              "3\\.0\\.0058\n.*3\\.0\\.0058\n");
}

TEST_F(ArgpTest, TheProgramMaySayItsVersionItself) {
  ASSERT_EQ(doca_argp_register_version_callback([](void* nothing, void* config) {
              std::fprintf(stderr, "%s",
                           nothing == nullptr && config == here ? "version 7" : "wrong");
              return DOCA_SUCCESS;
            }),
            DOCA_SUCCESS);
  EXPECT_EXIT(start_to_exit({"-v"}), testing::ExitedWithCode(0), "^version 7$");
}

TEST_F(ArgpTest, AVersionThatIsNotKnownIsAnError) {
  answer = DOCA_ERROR_NOT_FOUND;
  ASSERT_EQ(doca_argp_register_version_callback([](void*, void*) { return here->answer; }),
            DOCA_SUCCESS);
  EXPECT_EQ(start({"-v"}), DOCA_ERROR_NOT_FOUND);
}

TEST_F(ArgpTest, WithoutANameTheProgramIsThatOfItsFirstWord) {
  ASSERT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
  ASSERT_EQ(doca_argp_init(nullptr, this), DOCA_SUCCESS);
  ASSERT_EQ(doca_argp_register_logger_callback(hear), DOCA_SUCCESS);
  EXPECT_EQ(start({"--oops"}), kNo);
  EXPECT_EQ(said, "program: there is no option --oops (see program --help)\n");
}

TEST_F(ArgpTest, WithoutALoggerMistakesGoToStandardError) {
  ASSERT_EQ(doca_argp_destroy(), DOCA_SUCCESS);
  ASSERT_EQ(doca_argp_init("tool", this), DOCA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(start({"--oops"}), kNo);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tool: there is no option --oops (see tool --help)\n");
}

TEST_F(ArgpTest, ADisabledLoggerSaysNothing) {
  EXPECT_EQ(doca_argp_register_logger_callback(hear), DOCA_ERROR_ALREADY_EXIST);
  ASSERT_EQ(doca_argp_disable_logger_callback(), DOCA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(start({"--oops"}), kNo);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(said, "");
}

TEST_F(ArgpTest, AValidationSeesAllAndDecides) {
  param("t", "text", DOCA_ARGP_TYPE_STRING);
  ASSERT_EQ(doca_argp_register_validation_callback([](void* config) {
              note(config, "validated");
              return DOCA_ERROR_BAD_CONFIG;
            }),
            DOCA_SUCCESS);
  EXPECT_EQ(start({"-t", "a"}), DOCA_ERROR_BAD_CONFIG);
  EXPECT_EQ(calls, (Calls{"a", "validated"}));
}

TEST_F(ArgpTest, DpdkGetsTheWordsBeforeTheDashes) {
  param("t", "text", DOCA_ARGP_TYPE_STRING);
  doca_argp_set_dpdk_program([](int argc, char** argv) {
    for (int i = 1; i < argc; ++i) here->calls.emplace_back(argv[i]);
    return here->answer;
  });
  EXPECT_EQ(start({"-a", "0000:03:00.0", "--", "-t", "hello"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"-a", "0000:03:00.0", "hello"}));
}

TEST_F(ArgpTest, WhatDpdkRefusesStopsTheStart) {
  doca_argp_set_dpdk_program([](int, char**) { return DOCA_ERROR_DRIVER; });
  EXPECT_EQ(start({"-a", "--"}), DOCA_ERROR_DRIVER);
}

TEST_F(ArgpTest, LevelsOfLogsAreOptionsOfEveryProgram) {
  int level = 0;
  int sdk = 0;
  EXPECT_EQ(start({"-l", "60", "--sdk-log-level", "30"}), DOCA_SUCCESS);
  EXPECT_EQ(doca_argp_get_log_level(&level), DOCA_SUCCESS);
  EXPECT_EQ(doca_argp_get_sdk_log_level(&sdk), DOCA_SUCCESS);
  EXPECT_EQ(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO), DOCA_SUCCESS);
  EXPECT_EQ(doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING), DOCA_SUCCESS);
  EXPECT_EQ(level, 60);
  EXPECT_EQ(sdk, 30);
}

TEST_F(ArgpTest, ALevelThatIsNoneIsRefused) {
  EXPECT_EQ(start({"-l", "55"}), kNo);
  EXPECT_EQ(said, "tool: --log-level is one of 10, 20 ... 70 (see tool --help)\n");
}

}  // namespace
}  // namespace comch::test
