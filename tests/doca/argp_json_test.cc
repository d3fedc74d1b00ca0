// ArgpFile: options from JSON files.
#include <fstream>

#include "doca/parsed.h"
#include "support/temp_dir.h"

namespace comch::test {
namespace {

struct ArgpJsonTest : ParsedTest {
  ArgpJsonTest() {
    param("t", "text", DOCA_ARGP_TYPE_STRING);
    param("n", "number", DOCA_ARGP_TYPE_INT);
    param("f", "flag", DOCA_ARGP_TYPE_BOOLEAN);
    param(nullptr, "object", DOCA_ARGP_TYPE_JSON_OBJ);
    doca_argp_param_set_multiplicity(param("m", "many", DOCA_ARGP_TYPE_STRING));
    doca_argp_param_set_cli_only(param("c", "cli", DOCA_ARGP_TYPE_STRING));
  }

  doca_error_t start_with(const std::string& json, std::vector<std::string> words = {}) {
    const std::string path = directory / "options.json";
    std::ofstream(path) << json;
    words.insert(words.begin(), {"-j", path});
    return start(words);
  }
  doca_error_t start_flags(const std::string& flags, const std::vector<std::string>& words = {}) {
    return start_with("{\"doca_program_flags\": {" + flags + "}}", words);
  }

  TempDir directory;
};

TEST_F(ArgpJsonTest, OptionsComeByTheirLongNamesInTheOrderOfTheFile) {
  EXPECT_EQ(start_flags(R"("text": "a", "object": {"k": [1, 2]}, "flag": false, "number": -3)"),
            DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"a", "{\"k\":[1,2]}", "false", "-3"}));
}

TEST_F(ArgpJsonTest, TheCommandLineWins) {
  EXPECT_EQ(start_flags(R"("text": "a", "number": 1)", {"--text", "b"}), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"1", "b"}));
}

TEST_F(ArgpJsonTest, OptionsThatMayBeGivenManyTimesHaveArrays) {
  EXPECT_EQ(start_flags(R"("many": ["a", "b"])"), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"a", "b"}));
}

TEST_F(ArgpJsonTest, LevelsOfLogsAreGeneralFlags) {
  EXPECT_EQ(start_with(R"({"doca_general_flags": {"log-level": 60, "sdk-log-level": 20}})"),
            DOCA_SUCCESS);
  EXPECT_EQ(doca_log_level_get_global_lower_limit(), 60u);
  EXPECT_EQ(doca_log_level_get_global_sdk_limit(), 20u);
  doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_INFO);
  doca_log_level_set_global_sdk_limit(DOCA_LOG_LEVEL_WARNING);
}

TEST_F(ArgpJsonTest, WhatIsMandatoryMayComeFromTheFile) {
  doca_argp_param_set_mandatory(param("p", "pci", DOCA_ARGP_TYPE_STRING));
  EXPECT_EQ(start_flags(R"("pci": "03:00.0")"), DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"03:00.0"}));
}

TEST_F(ArgpJsonTest, AFileThatIsNotThereFailedToBeRead) {
  EXPECT_EQ(start({"-j", directory / "none"}), DOCA_ERROR_IO_FAILED);
  EXPECT_NE(said.find("cannot be read"), std::string::npos);
}

TEST_F(ArgpJsonTest, AFileThatOpensAndCannotBeReadFailedToBeRead) {
  EXPECT_EQ(start({"-j", directory / "."}), DOCA_ERROR_IO_FAILED);
  EXPECT_NE(said.find("cannot be read"), std::string::npos);
}

struct ArgpJsonWrongTest : ArgpJsonTest, testing::WithParamInterface<const char*> {};

TEST_P(ArgpJsonWrongTest, IsNoFileOfOptions) {
  EXPECT_EQ(start_with(GetParam()), DOCA_ERROR_IO_FAILED);
  EXPECT_TRUE(calls.empty());
}

INSTANTIATE_TEST_SUITE_P(Json, ArgpJsonWrongTest,
                         testing::Values("", "{", "[]", "3", R"({"doca_program_flags": 3})",
                                         R"({"doca_general_flags": []})"));

struct ArgpFlagWrongTest : ArgpJsonTest, testing::WithParamInterface<const char*> {};

TEST_P(ArgpFlagWrongTest, IsRefused) {
  EXPECT_EQ(start_flags(GetParam()), kNo);
  EXPECT_TRUE(calls.empty());
  EXPECT_NE(said, "");
}

INSTANTIATE_TEST_SUITE_P(Flag, ArgpFlagWrongTest,
                         testing::Values(R"("unknown": "a")", R"("t": "a")", R"("text": 3)",
                                         R"("number": "3")", R"("number": 1.5)", R"("flag": 1)",
                                         R"("number": 2147483648)", R"("object": "{}")",
                                         R"("text": null)", R"("text": ["a"])", R"("cli": "a")",
                                         R"("log-level": 60)", R"("help": true)"));

TEST_F(ArgpJsonTest, AProgramsOptionIsNoGeneralFlag) {
  EXPECT_EQ(start_with(R"({"doca_general_flags": {"text": "a"}})"), kNo);
}

TEST_F(ArgpJsonTest, FlagsForDpdkAreOfDpdksProgramsAndNotSupported) {
  doca_argp_set_dpdk_program([](int, char**) { return DOCA_SUCCESS; });
  EXPECT_EQ(start({"--", "-j",
                   [&] {
                     const std::string path = directory / "dpdk.json";
                     std::ofstream(path) << R"({"doca_dpdk_flags": {}})";
                     return path;
                   }()}),
            DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(ArgpJsonTest, FlagsForDpdkAreNothingToOthers) {
  EXPECT_EQ(start_with(R"({"doca_dpdk_flags": {}, "doca_program_flags": {"flag": true}})"),
            DOCA_SUCCESS);
  EXPECT_EQ(calls, (Calls{"true"}));
}

}  // namespace
}  // namespace comch::test
