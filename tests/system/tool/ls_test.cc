// comch ls and stat: what there is, without disturbing it.
#include <algorithm>
#include <csignal>
#include <fstream>

#include "tool_test.h"

namespace comch::test {
namespace {

using testing::HasSubstr;
using testing::Not;

struct LsTest : ToolTest {};

TEST_F(LsTest, ShowsTheBuiltInDevicesOfBothSides) {
  const Said said = sh("comch ls --devices");
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_THAT(said.out, testing::ContainsRegex("comch0 +0000:03:00.0 +dpu +pf +server"));
  EXPECT_THAT(said.out, testing::ContainsRegex("representor +0000:b1:00.0"));
  EXPECT_THAT(said.out, testing::ContainsRegex("comch0-host +0000:b1:00.0 +host +pf +client"));
}

TEST_F(LsTest, ShowsARunningServerAndItsProcess) {
  const Program server = listen("echo");
  const Said said = sh("comch ls --servers --json | jq -c \".servers[]|[.name,.state,.pid]\"");
  EXPECT_EQ(said.out, "[\"echo\",\"running\"," + std::to_string(server.pid()) + "]\n") << said;
}

TEST_F(LsTest, LookingIsNoConnection) {
  const Program server = listen("echo");
  ASSERT_EQ(sh("comch ls").code, 0);
  ASSERT_EQ(sh("comch send echo seen").code, 0);
  EXPECT_TRUE(server.has_reported("conn0 connected"));
  EXPECT_THAT(server.err(), Not(HasSubstr("conn1")));
}

TEST_F(LsTest, NameOfAKilledServerIsStaleAndFreeAgain) {
  Program server = listen("echo");
  server.signal(SIGKILL);
  ASSERT_EQ(server.end().code, 128 + SIGKILL);
  EXPECT_THAT(sh("comch ls --servers").out, testing::ContainsRegex("echo .* stale"));
  const Program next = listen("echo");
  EXPECT_THAT(sh("comch ls --servers").out, testing::ContainsRegex("echo .* running"));
}

TEST_F(LsTest, NameIsGoneAfterAnOrderlyEnd) {
  Program server = listen("echo");
  server.signal(SIGINT);
  EXPECT_EQ(server.end().code, 0);
  EXPECT_EQ(runtime_.entries(), std::vector<std::string>{});
}

TEST_F(LsTest, NameOfAnotherNeitherMovesTheCursorNorIsASecondRow) {
  const Program server = listen("$'ev\\e[31mil\\nfake 0000:b1:00.0 running 1 x\\\\'");
  const std::string rows = sh("comch ls --servers").out;
  EXPECT_THAT(rows, HasSubstr("\nev\\x1b[31mil\\x0afake 0000:b1:00.0 running 1 x\\\\ "));
  EXPECT_EQ(std::ranges::count(rows, '\n'), 2);
}

TEST_F(LsTest, WrongDeviceFileIsAFailureThatNamesIt) {
  const TempDir dir;
  std::ofstream(dir / "devices.toml") << "nonsense = [";
  const Said said = sh("COMCH_DEVICES=" + (dir / "devices.toml").string() + " comch ls");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("comch: cannot list the devices"));
  EXPECT_THAT(said.err, HasSubstr("COMCH_DEVICES"));
}

// What bash offers behind `comch send `, a word a line.
struct CompletionTest : ToolTest {
  static Said offered(const std::string& begun = "") {
    return sh(". $COMCH_SOURCE/packaging/completion/comch.bash; COMP_WORDS=(comch send \"" + begun +
              "\"); COMP_CWORD=2; _comch; printf \"%s\\n\" \"${COMPREPLY[@]}\"");
  }
};

TEST_F(CompletionTest, OffersTheNamesOfRunningServersAsTheShellReadsThem) {
  const Program one = listen("echo");
  const Program other = listen("\"two words\"");
  EXPECT_THAT(offered().out, HasSubstr("\necho\ntwo\\ words\n"));
  EXPECT_EQ(offered("tw").out, "two\\ words\n");
  EXPECT_EQ(offered("--ra").out, "--raw\n");
}

TEST_F(CompletionTest, NameIsNeverACommand) {
  const Program dollar = listen("'$(echo>&2 obeyed)'");
  const Program back = listen("'`echo>&2 obeyed`'");
  const Said said = offered();
  EXPECT_EQ(said.err, "");
  EXPECT_THAT(said.out, HasSubstr("\\$\\(echo\\>\\&2\\ obeyed\\)\n"));
}

struct StatTest : ToolTest {};

TEST_F(StatTest, ShowsTheLimitsOfADevice) {
  const Said said = sh("comch stat --device 03:00.0");
  EXPECT_EQ(said.code, 0) << said;
  EXPECT_THAT(said.out, testing::ContainsRegex("max_message_size: +65535"));
  EXPECT_THAT(said.out, Not(HasSubstr("comch0-host")));
}

TEST_F(StatTest, TellsWhoAServerIs) {
  const Program server = listen("echo");
  const Said said = sh("comch stat echo --json | jq -c \"[.alive,.peer_pid]\"");
  EXPECT_EQ(said.out, "[true," + std::to_string(server.pid()) + "]\n") << said;
}

TEST_F(StatTest, ServerThatIsNotThereIsAFailure) {
  const Said said = sh("comch stat nobody");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("cannot connect to \"nobody\""));
  EXPECT_THAT(said.err, HasSubstr("`comch ls` shows"));
}

TEST_F(StatTest, StoppedServerIsAFailureWithinTheTimeout) {
  const Program server = listen("echo");
  server.signal(SIGSTOP);
  const Said said = sh("comch stat echo --timeout 0.2");
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.err, HasSubstr("cannot connect to \"echo\": time_out"));
}

}  // namespace
}  // namespace comch::test
