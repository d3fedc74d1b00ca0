// MsgQs as files: how they start, stop and end, and with them their consumers and producers.
#include <signal.h>

#include "attempt.h"
#include "msgq_fixture.h"
#include "shell.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using MsgqLifeTest = MsgqTest;

struct ManualMsgqLifeTest : MsgqTest {
  std::vector<std::string> arguments() const override { return {"-o", "noautostart"}; }
};

TEST_F(MsgqLifeTest, DoesNotStartWithoutAKernel) {
  EXPECT_EQ(set("enable", "1"), EINVAL);
  EXPECT_EQ(get_value("error"), "EINVAL: `kernel` is not set; write it first");
  EXPECT_EQ(get_value("state"), "idle");
}

TEST_F(MsgqLifeTest, StartsWhenItsKernelIsWritten) {
  ASSERT_EQ(set("kernel", "echo"), 0);
  EXPECT_EQ(get_value("state"), "running");
  EXPECT_EQ(get_value("kernel"), "echo");
  EXPECT_EQ(get_value("enable"), "1");
  EXPECT_EQ(set("enable", "1"), 0);
}

TEST_F(ManualMsgqLifeTest, DoesNotStartByItself) {
  ASSERT_EQ(set("kernel", "echo"), 0);
  EXPECT_EQ(get_value("state"), "idle");
  ASSERT_EQ(make_directory(consumer_), 0);
  EXPECT_EQ(write_to(consumer_ / "enable", "1"), ENXIO);
  EXPECT_EQ(value(consumer_ / "error"), "ENXIO: not_connected, the MsgQ does not run");
  ASSERT_EQ(set("enable", "1"), 0);
  EXPECT_EQ(File(consumer_ / "recv").read(), failed(ENXIO));
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  EXPECT_EQ(value(consumer_ / "state"), "running");
}

TEST_F(MsgqLifeTest, CannotGoWhileItsEndsRun) {
  run_echo();
  for (int attempt = 0; attempt < 2; ++attempt) {
    EXPECT_EQ(remove_directory(queue_), EBUSY);
    EXPECT_EQ(get_value("error"),
              "EBUSY: in_use, consumers or producers of it run; stop them first");
    EXPECT_EQ(set("enable", "0"), EBUSY);
    EXPECT_EQ(get_value("state"), "running");
  }
  ASSERT_EQ(send(producer_, "unharmed"), 0);
  EXPECT_EQ(get(consumer_), got("unharmed"));
  ASSERT_EQ(remove_directory(consumer_), 0);
  ASSERT_EQ(remove_directory(producer_), 0);
  EXPECT_EQ(remove_directory(queue_), 0);
  EXPECT_FALSE(fs::exists(queue_));
  EXPECT_EQ(make_directory(queue_), 0) << "its name is free at once";
}

TEST_F(MsgqLifeTest, CanBeStoppedByForceAndStartedAgain) {
  run_echo();
  ASSERT_EQ(send(producer_, "before"), 0);
  ASSERT_TRUE(eventually([&] { return count(consumer_, "waiting") == 1; }));
  ASSERT_EQ(write_to(queue_ / "ctl", "stop force"), 0);
  EXPECT_EQ(get_value("state"), "idle");
  EXPECT_EQ(value(consumer_ / "state"), "idle");
  EXPECT_EQ(write_to(producer_ / "send", "x"), ENXIO);
  EXPECT_EQ(get(consumer_), got("before")) << "what has come can be read";
  ASSERT_EQ(set("depth", "3"), 0);
  ASSERT_EQ(set("enable", "1"), 0);
  ASSERT_EQ(send(producer_, "after"), 0) << "a new run starts its ends as the first did";
  EXPECT_EQ(get(consumer_), got("after"));
}

TEST_F(MsgqLifeTest, WaitersHearOfTheEnd) {
  run_echo();
  const Attempt reader([&] { return get(consumer_); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(write_to(queue_ / "ctl", "stop force"), 0);
  EXPECT_EQ(reader.result(), failed(ENXIO));
  ASSERT_EQ(set("enable", "1"), 0);
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  const Attempt another([&] { return get(consumer_); });
  ASSERT_TRUE(another.is_held(SYS_read));
  ASSERT_EQ(remove_directory(consumer_), 0);
  EXPECT_EQ(another.result(), failed(ENODEV));
}

TEST_F(MsgqLifeTest, CloneMakesOneThatDiesWithTheDescriptor) {
  EXPECT_EQ(shell(at("msgq"),
                  "exec 3<>clone; read -r name <&3; echo echo > $name/kernel;"
                  "cat $name/state"),
            said("running\n"));
  EXPECT_TRUE(eventually([&] { return !fs::exists(at("msgq/anon0")); }));
}

TEST_F(MsgqLifeTest, MessagesTheKernelCouldNotGetRidOfAreCountedAtTheEnd) {
  ASSERT_EQ(set("kernel", "echo"), 0);
  ASSERT_EQ(make_directory(producer_), 0);
  for (const char* text : {"1", "2", "3"}) ASSERT_EQ(send(producer_, text), 0);
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(set("enable", "0"), 0);
  EXPECT_EQ(count(queue_, "messages_dropped"), 3U);
}

TEST_F(MsgqLifeTest, UnmountWhileMessagesFlowEndsInTime) {
  run_echo();
  for (int n = 0; n < 10; ++n) ASSERT_EQ(send(producer_, "hello"), 0);
  const Attempt reader([&] {
    const File recv(consumer_ / "recv");
    Got last;
    do last = recv.read();
    while (last.error == 0);
    return last;
  });
  ASSERT_TRUE(reader.is_held(SYS_read));
  tree().daemon().kill(SIGTERM);
  EXPECT_NE(reader.result(), failed(ETIMEDOUT));
}

TEST_F(MsgqLifeTest, ThereMayBeOnlySoManyEnds) {
  ASSERT_EQ(set("max_producers", "2"), 0);
  run_echo();
  ASSERT_EQ(make_directory(queue_ / "consumers/c1"), 0);
  EXPECT_EQ(write_to(queue_ / "consumers/c1/enable", "1"), EAGAIN);
  ASSERT_EQ(write_to(producer_ / "enable", "1"), 0);
  ASSERT_EQ(make_directory(queue_ / "producers/p1"), 0);
  ASSERT_EQ(write_to(queue_ / "producers/p1/enable", "1"), 0);
  ASSERT_EQ(make_directory(queue_ / "producers/p2"), 0);
  EXPECT_EQ(write_to(queue_ / "producers/p2/enable", "1"), EAGAIN);
  ASSERT_EQ(remove_directory(producer_), 0);
  EXPECT_TRUE(eventually([&] { return write_to(queue_ / "producers/p2/enable", "1") == 0; }));
}

}  // namespace
}  // namespace comch::test
