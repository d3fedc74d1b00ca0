// The ctl files: verbs, their grammar, and what reading one says.
#include <fcntl.h>
#include <unistd.h>

#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using CtlTest = PairTest;

bool contains(const Got& got, std::string_view word) {
  return got.bytes.find(word) != std::string::npos;
}

TEST_F(CtlTest, FreshOpenReadsAUsageTextThatNamesTheVerbs) {
  const Got usage = File(server_ / "ctl").read();
  for (const char* verb : {"start", "stop", "disconnect", "set", "reset-stats", "drain", "cancel"})
    EXPECT_TRUE(contains(usage, verb)) << verb << " is not in " << usage;
  for (const fs::path& ctl : {at("ctl"), client_ / "ctl", server_end_ / "ctl"})
    EXPECT_NE(File(ctl).read().bytes, "") << ctl;
}

TEST_F(CtlTest, CatOfAUsageTextEnds) {
  EXPECT_NE(text_of(server_ / "ctl").bytes, "");
  EXPECT_EQ(text_of(server_ / "ctl").error, 0);
}

TEST_F(CtlTest, StopAndStartAreThoseOfEnable) {
  ASSERT_EQ(write_to(server_ / "ctl", "stop\n"), 0);
  EXPECT_TRUE(eventually([&] { return value(server_ / "state") == "idle"; }));
  ASSERT_EQ(write_to(server_ / "ctl", "start"), 0);
  EXPECT_EQ(value(server_ / "state"), "running");
}

TEST_F(CtlTest, UnknownVerbIsEINVAL) {
  for (const fs::path& ctl : {at("ctl"), server_ / "ctl", client_ / "ctl", server_end_ / "ctl"})
    EXPECT_EQ(write_to(ctl, "frobnicate"), EINVAL) << ctl;
}

TEST_F(CtlTest, OrderThatIsNotUnderstoodIsToldHowItIsWritten) {
  const auto said_of = [this](const std::string& order) {
    const File ctl(server_ / "ctl", O_RDWR);
    EXPECT_EQ(ctl.write(order), EINVAL) << order;
    return ctl.read();
  };
  EXPECT_EQ(said_of("stop now"), got("EINVAL: stop: it is written `stop [force]`\n"));
  EXPECT_EQ(said_of("disconnect"),
            got("EINVAL: disconnect: it is written `disconnect CONNECTION [force]`\n"));
  EXPECT_EQ(said_of("fly"), got("EINVAL: fly: no such order; read ctl for those there are\n"));
  const Got setting = said_of("set height 3");
  EXPECT_TRUE(contains(setting, "no such setting; there are ")) << setting;
  EXPECT_TRUE(contains(setting, "max_msg_size")) << setting;
  EXPECT_EQ(File(at("ctl"), O_RDWR).write("log loudly"), EINVAL);
  EXPECT_NE(value(at("error")).find("log off|error"), std::string::npos) << value(at("error"));
}

TEST_F(CtlTest, QuoteThatNeverEndsIsEINVALAndNothingOfTheTextRuns) {
  EXPECT_EQ(write_to(server_ / "ctl", "stop\nset name 'open\n"), EINVAL);
  EXPECT_EQ(value(server_ / "state"), "running");
}

TEST_F(CtlTest, QuotesHoldSpacesAndDoubledQuotes) {
  ASSERT_EQ(write_to(server_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(server_ / "ctl", "set name 'it''s a name'\n"), 0);
  EXPECT_EQ(value(server_ / "name"), "it's a name");
}

TEST_F(CtlTest, LinesRunInOrderUntilTheFirstFailure) {
  EXPECT_EQ(
      write_to(server_ / "ctl", "stop\nset max_msg_size 100\nset max_msg_size nonsense\nstart\n"),
      EINVAL);
  EXPECT_EQ(value(server_ / "state"), "idle") << "start came behind the failure";
  EXPECT_EQ(value(server_ / "max_msg_size"), "100");
  EXPECT_EQ(write_to(server_ / "ctl", "start\nset max_msg_size 7\n"), EBUSY)
      << "the first failure decides the errno";
}

TEST_F(CtlTest, ReadingGivesTheResultOfThisOpensLastWrite) {
  const File mine(server_ / "ctl", O_RDWR), other(server_ / "ctl", O_RDWR);
  const Got usage = other.read();
  ASSERT_EQ(mine.write("frobnicate"), EINVAL);
  const Got refused = mine.read();
  EXPECT_TRUE(contains(refused, "frobnicate") || contains(refused, "EINVAL")) << refused;
  ASSERT_EQ(mine.write("reset-stats"), 0);
  const Got done = mine.read();
  EXPECT_NE(done, refused);
  EXPECT_EQ(File(server_ / "ctl").read(), usage) << "another open has had no write";
}

TEST_F(CtlTest, DisconnectEndsAConnection) {
  ASSERT_EQ(write_to(server_end_ / "ctl", "disconnect"), 0);
  EXPECT_TRUE(eventually([&] { return value(client_ / "state") == "idle"; }));
  EXPECT_TRUE(eventually([&] { return connections(server_).empty(); }));
}

TEST_F(CtlTest, ServerDisconnectsAConnectionByItsName) {
  ASSERT_EQ(connect("you", "echo"), 0);
  ASSERT_EQ(write_to(server_ / "ctl", "disconnect conn0"), 0);
  EXPECT_TRUE(eventually([&] { return value(client_ / "state") == "idle"; }));
  EXPECT_EQ(value(at("clients/you/state")), "running");
  EXPECT_NE(write_to(server_ / "ctl", "disconnect conn99"), 0);
}

TEST_F(CtlTest, ResetStatsBeginsTheCountsAnew) {
  ASSERT_EQ(send(client_end_, "hello"), 0);
  ASSERT_EQ(get(server_end_), got("hello"));
  ASSERT_EQ(value(server_end_ / "stats/rx_msgs"), "1");
  ASSERT_EQ(write_to(server_end_ / "ctl", "reset-stats"), 0);
  EXPECT_EQ(value(server_end_ / "stats/rx_msgs"), "0");
  EXPECT_EQ(value(server_end_ / "stats/rx_bytes"), "0");
}

TEST_F(CtlTest, DrainOfAnEmptyQueueIsDoneAtOnce) {
  EXPECT_EQ(write_to(client_end_ / "ctl", "drain"), 0) << "nothing is on its way";
}

TEST_F(CtlTest, ForcedStopDeliversNothingMore) {
  const File recv(client_end_ / "recv");
  ASSERT_EQ(write_to(server_ / "ctl", "stop force"), 0);
  EXPECT_TRUE(eventually([&] { return value(server_ / "state") == "idle"; }));
  EXPECT_EQ(recv.wait_and_read(), failed(ECONNRESET)) << "to the peer it is a loss";
}

TEST_F(CtlTest, LogOfTheMountSetsHowMuchIsLogged) {
  EXPECT_TRUE(contains(File(at("ctl")).read(), "log"));
  EXPECT_EQ(write_to(at("ctl"), "log loudly"), EINVAL);
  ASSERT_EQ(write_to(at("ctl"), "log info\n"), 0);
  EXPECT_EQ(write_to(server_ / "enable", "perhaps"), EINVAL);
  EXPECT_TRUE(eventually([&] { return tree().log().find("EINVAL") != std::string::npos; }));
}

}  // namespace
}  // namespace comch::test
