// Consumers as files: how they are made, started and read, and how they end.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "attempt.h"
#include "fast_fixture.h"
#include "library_peer.h"
#include "shell.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using ConsumerTest = FastTest;

struct ManualConsumerTest : TreeTest {
  std::vector<std::string> arguments() const override { return {"-o", "noautostart"}; }
};

TEST_F(ConsumerTest, HasSettingsStateErrorStatsAndStreams) {
  EXPECT_EQ(list(consumer_),
            (std::vector<std::string>{"buf_size", "ctl", "depth", "enable", "error", "get", "id",
                                      "imm_data_len", "recv", "recv.framed", "state", "stats",
                                      "stats.json"}));
  EXPECT_EQ(value(consumer_ / "state"), "idle");
  EXPECT_EQ(value(consumer_ / "id"), "");
  EXPECT_EQ(value(consumer_ / "error"), "");
}

TEST_F(ConsumerTest, BothEndsOfAConnectionCanHaveThem) {
  EXPECT_EQ(make_directory(client_end_ / "consumers/c0"), 0);
  EXPECT_EQ(make_directory(server_end_ / "producers/p0"), 0);
  EXPECT_EQ(write_to(client_end_ / "consumers/c0/enable", "1"), 0);
  ASSERT_EQ(aim(server_end_ / "producers/p0", client_end_ / "consumers/c0"), 0);
  EXPECT_EQ(send(server_end_ / "producers/p0", "to the client"), 0);
  EXPECT_EQ(get(client_end_ / "consumers/c0"), got("to the client"));
}

TEST_F(ConsumerTest, RunningOneIsInTheOtherSidesRemoteUntilItIsGone) {
  EXPECT_TRUE(list(client_end_ / "remote").empty());
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  EXPECT_EQ(value(consumer_ / "state"), "running");
  const std::string id = value(consumer_ / "id");
  ASSERT_TRUE(fs::exists(client_end_ / "remote" / id)) << "enable returns when it is there";
  EXPECT_EQ(value(client_end_ / "remote" / id / "id"), id);
  EXPECT_EQ(remove_directory(consumer_), 0);
  EXPECT_TRUE(eventually([&] { return !fs::exists(client_end_ / "remote" / id); }));
  EXPECT_TRUE(list(client_end_ / "remote").empty());
}

TEST_F(ConsumerTest, StartsWhenItsFirstStreamIsOpened) {
  const File recv(consumer_ / "recv", O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(recv.error(), 0);
  EXPECT_TRUE(eventually([&] { return value(consumer_ / "state") == "running"; }));
  EXPECT_EQ(recv.read(), failed(EAGAIN));
  ASSERT_EQ(aim(producer_, consumer_), 0);
  EXPECT_EQ(send(producer_, "hello"), 0);
  EXPECT_EQ(recv.wait_and_read(), got("hello"));
}

TEST_F(ManualConsumerTest, DoesNotStartByItself) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(write_to(at("servers/echo/enable"), "1"), 0);
  ASSERT_EQ(make_directory(at("clients/me")), 0);
  ASSERT_EQ(write_to(at("clients/me/server"), "echo"), 0);
  ASSERT_EQ(write_to(at("clients/me/enable"), "1"), 0);
  const fs::path consumer = at("clients/me/conn/consumers/c0");
  ASSERT_EQ(make_directory(consumer), 0);
  EXPECT_EQ(File(consumer / "recv").read(), failed(ENXIO));
  EXPECT_EQ(value(consumer / "state"), "idle");
  EXPECT_EQ(write_to(consumer / "enable", "1"), 0);
  EXPECT_EQ(value(consumer / "state"), "running");
}

TEST_F(ConsumerTest, SettingsMakeTheBuffersThatArePosted) {
  connect_ends({.buf_size = "100", .depth = "3", .imm_data_len = "0"});
  EXPECT_EQ(count(consumer_, "posted"), 3U);
  for (const char* message : {"a", "b", "c"}) EXPECT_EQ(send(producer_, message), 0);
  EXPECT_EQ(write_to(producer_ / "send", "d", O_NONBLOCK), EAGAIN);
  EXPECT_EQ(count(consumer_, "waiting"), 3U);
  EXPECT_EQ(get(consumer_), got("a"));
  EXPECT_EQ(send(producer_, std::string(100, 'd')), 0);
  EXPECT_EQ(write_to(producer_ / "send", std::string(101, 'x'), O_NONBLOCK), EAGAIN);
  EXPECT_EQ(get(consumer_), got("b"));
  EXPECT_EQ(write_to(producer_ / "send", std::string(101, 'x'), O_NONBLOCK), EMSGSIZE);
}

TEST_F(ConsumerTest, SettingsAreForIdleConsumersOnly) {
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  EXPECT_EQ(write_to(consumer_ / "buf_size", "5"), EBUSY);
  EXPECT_EQ(value(consumer_ / "error"),
            "EBUSY: buf_size: it can be changed only while idle; write 0 to `enable` first");
  EXPECT_EQ(write_to(consumer_ / "depth", "5"), EBUSY);
  EXPECT_EQ(write_to(consumer_ / "enable", "0"), 0);
  EXPECT_EQ(write_to(consumer_ / "buf_size", "5"), 0);
  EXPECT_EQ(write_to(consumer_ / "enable", "1"), 0);
  ASSERT_EQ(aim(producer_, consumer_), 0);
  EXPECT_EQ(send(producer_, "12345"), 0);
  EXPECT_EQ(send(producer_, "123456"), EMSGSIZE);
}

struct BadSetting {
  const char* file;
  const char* text;
};
void PrintTo(const BadSetting& bad, std::ostream* out) { *out << bad.file << '=' << bad.text; }

struct BadConsumerSettingTest : FastTest, testing::WithParamInterface<BadSetting> {};

TEST_P(BadConsumerSettingTest, IsRefusedAndChangesNothing) {
  const fs::path file = consumer_ / GetParam().file;
  const std::string before = value(file);
  EXPECT_EQ(write_to(file, GetParam().text), EINVAL);
  EXPECT_TRUE(value(consumer_ / "error").starts_with("EINVAL: ")) << value(consumer_ / "error");
  EXPECT_EQ(value(file), before);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadConsumerSettingTest,
    testing::Values(BadSetting{"buf_size", "0"}, BadSetting{"buf_size", "-1"},
                    BadSetting{"buf_size", "big"}, BadSetting{"buf_size", "99999999999999999999"},
                    BadSetting{"buf_size", "4294967296"}, BadSetting{"depth", "0"},
                    BadSetting{"depth", "8193"}, BadSetting{"depth", "5000"},
                    BadSetting{"depth", "1 2"}, BadSetting{"imm_data_len", "257"},
                    BadSetting{"imm_data_len", "x"}, BadSetting{"enable", "2"}));

TEST_F(ConsumerTest, RecvGivesOneMessagePerReadAndTheRestFirst) {
  connect_ends();
  for (const char* message : {"first", "", "second"}) ASSERT_EQ(put(producer_, message), 0);
  const File recv(consumer_ / "recv");
  EXPECT_EQ(recv.read(3), got("fir"));
  EXPECT_EQ(recv.read(), got("st"));
  EXPECT_EQ(recv.read(), got("second"));
  EXPECT_EQ(count(consumer_, "empty_skipped"), 1U);
}

TEST_F(ConsumerTest, GetGivesOneMessageAndThenTheEnd) {
  connect_ends();
  for (const char* message : {"first", "", "third"}) ASSERT_EQ(put(producer_, message), 0);
  const File one(consumer_ / "get");
  EXPECT_EQ(one.read(2), got("fi"));
  EXPECT_EQ(one.read(), got("rst"));
  EXPECT_EQ(one.read(), end_of_file());
  EXPECT_EQ(get(consumer_), end_of_file());
  EXPECT_EQ(get(consumer_), got("third"));
}

TEST_F(ConsumerTest, FramesCarryLengthProducerAndImmediateData) {
  connect_ends();
  ASSERT_EQ(send(producer_, "plain"), 0);
  ASSERT_EQ(write_to(producer_ / "imm", "00ff2a"), 0);
  ASSERT_EQ(send(producer_, "with"), 0);
  ASSERT_EQ(put(producer_, ""), 0);
  const std::string id = value(producer_ / "id");
  const File framed(consumer_ / "recv.framed");
  EXPECT_EQ(framed.read(),
            got("5 " + id + " -\nplain4 " + id + " 00ff2a\nwith0 " + id + " 00ff2a\n"));
}

TEST_F(ConsumerTest, FrameThatDoesNotFitIsReadInPieces) {
  connect_ends();
  ASSERT_EQ(send(producer_, "0123456789"), 0);
  const std::string frame = "10 " + value(producer_ / "id") + " -\n0123456789";
  const File framed(consumer_ / "recv.framed");
  EXPECT_EQ(framed.read(4), got(frame.substr(0, 4)));
  EXPECT_EQ(framed.read(5), got(frame.substr(4, 5)));
  EXPECT_EQ(framed.read(), got(frame.substr(9)));
}

TEST_F(ConsumerTest, WaitingReadersAreServedInTheirOrder) {
  connect_ends();
  const Attempt first([&] { return get(consumer_); });
  ASSERT_TRUE(first.is_held(SYS_read));
  const Attempt second([&] { return File(consumer_ / "recv").read(); });
  ASSERT_TRUE(second.is_held(SYS_read));
  ASSERT_EQ(send(producer_, "one"), 0);
  ASSERT_EQ(send(producer_, "two"), 0);
  EXPECT_EQ(first.result(), got("one"));
  EXPECT_EQ(second.result(), got("two"));
}

TEST_F(ConsumerTest, SignalEndsAWaitAndLosesNothing) {
  connect_ends();
  Attempt reader([&] {
    interrupt_on(SIGUSR1);
    return get(consumer_);
  });
  ASSERT_TRUE(reader.is_held(SYS_read));
  reader.kill(SIGUSR1);
  EXPECT_EQ(reader.result(), failed(EINTR));
  ASSERT_EQ(send(producer_, "still there"), 0);
  EXPECT_EQ(get(consumer_), got("still there"));
}

TEST_F(ConsumerTest, PollTellsOfMessagesAndTheEnd) {
  connect_ends();
  const File recv(consumer_ / "recv", O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(recv.poll_now(POLLIN), 0);
  ASSERT_EQ(send(producer_, "hello"), 0);
  EXPECT_EQ(recv.poll(POLLIN) & POLLIN, POLLIN);
  EXPECT_EQ(recv.read(), got("hello"));
  EXPECT_EQ(recv.poll_now(POLLIN), 0);
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(recv.poll(POLLIN) & (POLLIN | POLLHUP), POLLIN | POLLHUP);
  EXPECT_EQ(recv.read(), end_of_file());
}

TEST_F(ConsumerTest, CountsCanBeReset) {
  connect_ends();
  ASSERT_EQ(send(producer_, "hello"), 0);
  ASSERT_EQ(get(consumer_), got("hello"));
  EXPECT_EQ(count(consumer_, "rx_msgs"), 1U);
  EXPECT_EQ(count(consumer_, "rx_bytes"), 5U);
  ASSERT_EQ(write_to(consumer_ / "ctl", "reset-stats"), 0);
  EXPECT_EQ(count(consumer_, "rx_msgs"), 0U);
  EXPECT_EQ(count(consumer_, "rx_bytes"), 0U);
}

TEST_F(ConsumerTest, CloneMakesOneThatDiesWithTheDescriptor) {
  const fs::path consumers = server_end_ / "consumers";
  EXPECT_EQ(shell(consumers, "exec 3<>clone; read -r name <&3; echo start >&3; cat $name/state"),
            said("running\n"));
  EXPECT_TRUE(eventually([&] { return !fs::exists(consumers / "anon0"); }));
}

TEST_F(ConsumerTest, EventsOfTheServerTellOfIt) {
  const File events(server_ / "events");
  ASSERT_EQ(make_directory(server_end_ / "consumers/c1"), 0);
  EXPECT_NE(events.wait_and_read().bytes.find("created servers/echo/conn0/consumers/c1"),
            std::string::npos);
  ASSERT_EQ(write_to(server_end_ / "consumers/c1/enable", "1"), 0);
  EXPECT_NE(
      events.wait_and_read().bytes.find("state servers/echo/conn0/consumers/c1 idle starting"),
      std::string::npos);
}

TEST_F(ConsumerTest, IsInTheStatusOfTheMount) {
  connect_ends();
  const std::string status = text_of(at("status.json")).bytes;
  EXPECT_NE(status.find("\"c0\""), std::string::npos) << status;
  EXPECT_NE(status.find("\"p0\""), std::string::npos) << status;
}

}  // namespace
}  // namespace comch::test
