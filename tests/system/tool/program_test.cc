// comch as a program: its command line, its exit codes; and the examples.
#include <csignal>

#include "tool_test.h"

namespace comch::test {
namespace {

using testing::HasSubstr;

struct CommandLineTest : ToolTest {};

TEST_F(CommandLineTest, WhatMakesNoSenseIsExitCodeTwoAndOneLine) {
  const struct {
    const char* line;
    const char* helper;  // Whose help has more.
  } cases[] = {
      {"comch", "comch"},
      {"comch fly", "comch"},
      {"comch send", "comch send"},
      {"comch ls --fly", "comch ls"},
      {"comch recv a --count none", "comch recv"},
      {"comch listen a --to nobody", "comch listen"},
      {"comch --log-level loud ls", "comch ls"},
      {"comch send a b --raw", "comch send"},
      {"comch listen a --raw --tag", "comch listen"},
  };
  for (const auto& [line, helper] : cases) {
    const Said said = sh(line);
    EXPECT_EQ(said.code, 2) << line;
    EXPECT_THAT(said.err,
                testing::MatchesRegex(std::string("comch: [^\n]+; try `") + helper + " --help`\n"))
        << line;
  }
}

TEST_F(CommandLineTest, WhatMakesNoSenseIsNamedAndSoIsWhatWould) {
  const struct {
    const char* line;
    const char* said;
  } cases[] = {
      {"comch fly", "there is no subcommand fly"},
      {"comch --fly ls", "--fly"},
      {"comch recv a --count 0", "--count: \"0\" is no whole number above 0"},
      {"comch connect a --count -1", "\"-1\" is no whole number above 0"},
      {"comch send a b --timeout soon", "--timeout: \"soon\" is no number of seconds"},
      {"comch --max-message-size 0 send a b", "\"0\" is no whole number above 0"},
      {"comch listen a --to some", "--to: \"some\" is none of all|first"},
  };
  for (const auto& [line, words] : cases) EXPECT_THAT(sh(line).err, HasSubstr(words)) << line;
}

TEST_F(CommandLineTest, ThatNobodyReadsWhatIsWrongIsNoOtherEnd) {
  for (const char* const nowhere : {"2>/dev/full", "2>&-"}) {
    EXPECT_EQ(sh(std::string("comch fly ") + nowhere).code, 2) << nowhere;
    EXPECT_EQ(sh(std::string("comch send nobody hi ") + nowhere).code, 1) << nowhere;
    EXPECT_EQ(sh(std::string("comch listen box --timeout 0.1 ") + nowhere).code, 0) << nowhere;
  }
}

TEST_F(CommandLineTest, OutputThatCannotBeWrittenIsAFailure) {
  const Program server = listen("echo");
  for (const char* const nowhere : {">/dev/full", ">&-"}) {
    for (const char* const line : {"ls", "ls --json", "stat", "stat echo", "--help", "--version"}) {
      const Said said = sh(std::string("comch ") + line + " " + nowhere);
      EXPECT_EQ(said.code, 1) << line << nowhere;
      EXPECT_THAT(said.err, HasSubstr("cannot write to standard output")) << line << nowhere;
    }
  }
  EXPECT_EQ(sh("stdbuf -o0 comch stat >/dev/full").code, 1);
  EXPECT_THAT(sh("comch --version >/dev/full").err, HasSubstr("No space left on device"));
}

TEST_F(CommandLineTest, LogLevelOfTheEnvironmentThatIsNoneIsTold) {
  const Said said = sh("COMCH_LOG=loud comch ls");
  EXPECT_EQ(said.code, 0);
  EXPECT_THAT(said.err, HasSubstr("COMCH_LOG is no log level: \"loud\"; there are off, error"));
}

TEST_F(CommandLineTest, InputThatIsClosedCannotBeRead) {
  const Program server = listen("echo --echo");
  EXPECT_EQ(sh("comch send echo <&-").code, 1);
  EXPECT_EQ(sh("comch send echo --raw <&-").code, 1);
  EXPECT_EQ(sh("comch connect echo --count 1 >&- <<< hello").code, 1);
}

TEST_F(CommandLineTest, SizeAboveTheLimitIsAFailureThatSaysWhereTheLimitIs) {
  const Said said = sh("comch listen box --max-message-size 70000");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("comch stat"));
}

TEST_F(CommandLineTest, NameThatCannotBeIsAFailureThatSaysWhichCan) {
  EXPECT_THAT(sh("comch listen a/b").err,
              HasSubstr("a server name is not . or .., and holds no / and no NUL"));
}

TEST_F(CommandLineTest, HelpAndVersionAreNoFailure) {
  EXPECT_THAT(sh("comch --version").out, testing::MatchesRegex("comch [0-9.]+\n"));
  const Said help = sh("comch --help");
  EXPECT_EQ(help.code, 0);
  for (const char* word : {"ls", "stat", "send", "recv", "connect", "listen", "bench"}) {
    EXPECT_THAT(help.out, HasSubstr(word));
    EXPECT_EQ(sh(std::string("comch ") + word + " --help").code, 0) << word;
  }
}

TEST_F(CommandLineTest, HelpOfASubcommandIsOfItAlone) {
  EXPECT_THAT(sh("comch --help").out, HasSubstr("Examples:"));
  const std::string of_bench = sh("comch bench --help").out;
  EXPECT_THAT(of_bench, testing::Not(HasSubstr("comch listen")));
  EXPECT_THAT(of_bench, HasSubstr("`comch --help` has the common options"));
}

TEST_F(CommandLineTest, DirectoryThatMayNotBeWrittenIsToldOnce) {
  const Said said = sh("COMCH_RUNTIME_DIR=/proc/1 comch listen box");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, testing::MatchesRegex("comch: cannot listen as \"box\": the directory that "
                                              "COMCH_RUNTIME_DIR names cannot be made or written "
                                              "\\([^)]+\\)\n"));
}

TEST_F(CommandLineTest, CommonOptionsMayStandBeforeOrAfter) {
  EXPECT_EQ(sh("comch --json ls").out, sh("comch ls --json").out);
}

TEST_F(CommandLineTest, UnknownDeviceIsAFailureThatNamesIt) {
  const Said said = sh("comch listen box --device nowhere");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("comch: cannot open the device nowhere"));
  EXPECT_EQ(sh("comch ls --device nowhere"),
            (Said{.code = 1, .err = "comch: there is no device nowhere\n"}));
}

TEST_F(CommandLineTest, ServerOnTheHostSideIsAFailureThatNamesTheSide) {
  const Said said = sh("comch listen box --device comch0-host");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("comch0-host is no device of the dpu side"));
}

struct PingTest : ToolTest {};

TEST_F(PingTest, ClientCountsWhatTheServerSendsBack) {
  Program server("ping_server --name ping");
  ASSERT_TRUE(server.has_said("answering as \"ping\""));
  const Said said = sh("ping_client --name ping --count 3");
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_THAT(said.out, HasSubstr("3 pings came back"));
  EXPECT_TRUE(server.has_said("has left\n"));
  server.signal(SIGINT);
  EXPECT_EQ(server.end().code, 0);
}

TEST_F(PingTest, ServerSendsBackToAnyClient) {
  Program server("ping_server --name ping");
  ASSERT_TRUE(server.has_said("answering as \"ping\""));
  EXPECT_EQ(sh("seq 3000 | comch connect ping --count 3000"), sh("seq 3000"));
}

TEST_F(PingTest, ClientWithoutServerFails) {
  const Said said = sh("ping_client --name nobody");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("ping_client: not_found"));
}

}  // namespace
}  // namespace comch::test
