// MsgQs as files, with the kernel that is built in: how they are made and used.
#include <poll.h>
#include <signal.h>

#include "attempt.h"
#include "msgq_fixture.h"
#include "shell.h"
#include "support/deadline.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

TEST_F(MsgqTest, HasSettingsStateErrorStatsAndBothEnds) {
  EXPECT_EQ(list(queue_),
            (std::vector<std::string>{"consumers", "ctl", "depth", "device", "direction", "enable",
                                      "error", "kernel", "max_consumers", "max_producers",
                                      "producers", "state", "stats", "stats.json"}));
  EXPECT_EQ(get_value("state"), "idle");
  EXPECT_EQ(get_value("direction"), "both");
  EXPECT_EQ(get_value("kernel"), "");
  EXPECT_EQ(get_value("device"), "comch0");
  ASSERT_EQ(make_directory(producer_), 0);
  ASSERT_EQ(make_directory(consumer_), 0);
  EXPECT_EQ(list(producer_),
            (std::vector<std::string>{"ctl", "enable", "error", "id", "put", "send", "send.framed",
                                      "state", "stats", "stats.json"}));
  EXPECT_EQ(list(consumer_),
            (std::vector<std::string>{"ctl", "enable", "error", "get", "id", "recv", "recv.framed",
                                      "state", "stats", "stats.json"}));
}

TEST_F(MsgqTest, EchoComesBack) {
  run_echo();
  ASSERT_EQ(send(producer_, "hello"), 0);
  EXPECT_EQ(get(consumer_), got("hello"));
  EXPECT_EQ(count(queue_, "tx_msgs"), 1U);
  // Counted when the kernel has returned, which the answer need not wait for.
  EXPECT_TRUE(eventually([&] { return count(queue_, "rx_msgs") == 1; }));
  EXPECT_EQ(count(producer_, "tx_msgs"), 1U);
  EXPECT_EQ(count(consumer_, "rx_msgs"), 1U);
}

TEST_F(MsgqTest, MessagesHaveUpTo32Bytes) {
  run_echo();
  const std::string longest(32, 'x');
  ASSERT_EQ(send(producer_, longest), 0);
  EXPECT_EQ(get(consumer_), got(longest));
  EXPECT_EQ(send(producer_, longest + "y"), EMSGSIZE);
  const std::string why = "EMSGSIZE: too_big, a MsgQ's message has at most 32 bytes";
  EXPECT_EQ(value(producer_ / "error"), why);
  EXPECT_EQ(put(producer_, longest), 0);
  EXPECT_EQ(get(consumer_), got(longest));
  EXPECT_EQ(write_to(producer_ / "put", longest + "y"), EMSGSIZE);
  EXPECT_EQ(value(producer_ / "error"), why);
  EXPECT_EQ(write_to(producer_ / "send.framed", "33\n" + longest + "y"), EMSGSIZE);
  EXPECT_EQ(value(producer_ / "error"), "EMSGSIZE: a MsgQ's message has at most 32 bytes");
  ASSERT_EQ(send(producer_, "only this"), 0);
  EXPECT_EQ(get(consumer_), got("only this"));
}

TEST_F(MsgqTest, FramesCarryManyMessagesEachWayEmptyOnesToo) {
  run_echo();
  ASSERT_EQ(write_to(producer_ / "send.framed", "3\none0\n5\nthree"), 0);
  EXPECT_TRUE(eventually([&] { return count(consumer_, "waiting") == 3; }));
  const std::string id = "1";  // Of the accelerator's only producer.
  EXPECT_EQ(File(consumer_ / "recv.framed").read(),
            got("3 " + id + " -\none0 " + id + " -\n5 " + id + " -\nthree"));
}

TEST_F(MsgqTest, MessagesKeepTheirOrderAndNoneIsLost) {
  run_echo();
  const File send_file(producer_ / "send", O_WRONLY);
  const File recv(consumer_ / "recv");
  constexpr int kMessages = 2000;
  const Attempt writer([&] {
    for (int n = 0; n < kMessages; ++n) {
      if (const int error = send_file.write(std::to_string(n)); error != 0) return failed(error);
    }
    return got("sent");
  });
  for (int n = 0; n < kMessages; ++n) ASSERT_EQ(recv.wait_and_read(), got(std::to_string(n)));
  EXPECT_EQ(writer.result(), got("sent"));
}

TEST_F(MsgqTest, SenderWaitsWhenNobodyReads) {
  ASSERT_EQ(set("depth", "2"), 0);
  run_echo();
  // Two with the consumer, two with the kernel.
  for (const char* text : {"1", "2", "3", "4"}) ASSERT_EQ(send(producer_, text), 0);
  EXPECT_TRUE(eventually([&] { return count(consumer_, "waiting") == 2; }));
  EXPECT_EQ(write_to(producer_ / "send", "5", O_NONBLOCK), EAGAIN);
  const Attempt writer([&] { return failed(send(producer_, "5")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  // The kernel's thread finds it out when it gets a processor.
  EXPECT_TRUE(eventually([&] { return count(queue_, "no_room") != 0; }));
  for (const char* text : {"1", "2", "3", "4", "5"}) EXPECT_EQ(get(consumer_), got(text));
  EXPECT_EQ(writer.result(), failed(0));
}

TEST_F(MsgqTest, MessagesWaitForAConsumerToBeMade) {
  ASSERT_EQ(set("kernel", "echo"), 0);
  ASSERT_EQ(make_directory(producer_), 0);
  ASSERT_EQ(send(producer_, "early"), 0);
  ASSERT_EQ(make_directory(consumer_), 0);
  EXPECT_EQ(get(consumer_), got("early"));
}

TEST_F(MsgqTest, AnotherConsumerTakesOverWhenOneEnds) {
  run_echo();
  ASSERT_EQ(remove_directory(consumer_), 0);
  ASSERT_EQ(send(producer_, "for whoever comes"), 0);
  ASSERT_EQ(make_directory(queue_ / "consumers/c1"), 0);
  EXPECT_EQ(get(queue_ / "consumers/c1"), got("for whoever comes"));
}

TEST_F(MsgqTest, OneDirectionHasOneKindOfEnd) {
  ASSERT_EQ(set("direction", "to-accelerator"), 0);
  EXPECT_EQ(make_directory(consumer_), EOPNOTSUPP);
  EXPECT_NE(get_value("error").find("go to the accelerator only"), std::string::npos);
  ASSERT_EQ(make_directory(producer_), 0);
  EXPECT_EQ(set("direction", "from-accelerator"), EBUSY);
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(set("direction", "from-accelerator"), 0);
  EXPECT_EQ(make_directory(producer_), EOPNOTSUPP);
  EXPECT_EQ(make_directory(consumer_), 0);
  EXPECT_EQ(set("direction", "sideways"), EINVAL);
  EXPECT_EQ(get_value("direction"), "from-accelerator");
}

TEST_F(MsgqTest, SettingsAreForIdleOnesOnly) {
  run_echo();
  for (const char* file : {"direction", "device", "depth", "max_consumers", "kernel"}) {
    EXPECT_EQ(set(file, get_value(file)), EBUSY) << file;
    EXPECT_EQ(get_value("error"),
              "EBUSY: " + std::string(file) +
                  ": it can be changed only while idle; write 0 to `enable` first");
  }
}

struct BadSetting {
  const char* file;
  const char* text;
};
void PrintTo(const BadSetting& bad, std::ostream* out) { *out << bad.file << '=' << bad.text; }

struct BadMsgqSettingTest : MsgqTest, testing::WithParamInterface<BadSetting> {};

TEST_P(BadMsgqSettingTest, IsRefusedAndChangesNothing) {
  const std::string before = get_value(GetParam().file);
  EXPECT_EQ(set(GetParam().file, GetParam().text), EINVAL);
  EXPECT_TRUE(get_value("error").starts_with("EINVAL: ")) << get_value("error");
  EXPECT_EQ(get_value(GetParam().file), before);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMsgqSettingTest,
    testing::Values(BadSetting{"depth", "0"}, BadSetting{"depth", "8193"},
                    BadSetting{"depth", "many"}, BadSetting{"max_consumers", "0"},
                    BadSetting{"max_consumers", "1025"}, BadSetting{"max_producers", "-1"},
                    BadSetting{"direction", "up"}, BadSetting{"enable", "2"},
                    BadSetting{"kernel", "ecco"}, BadSetting{"kernel", "not/absolute.so"}));

TEST_F(MsgqTest, NumberThatIsTooLargeIsToldTheLimit) {
  for (const char* text : {"8193", "4294967296", "99999999999999999999"}) {
    EXPECT_EQ(set("depth", text), EINVAL);
    EXPECT_NE(get_value("error").find("1 to 8192"), std::string::npos) << get_value("error");
  }
  EXPECT_EQ(set("depth", "-1"), EINVAL);
  EXPECT_EQ(get_value("error"), "EINVAL: depth: write a decimal number");
  EXPECT_EQ(get_value("depth"), "64");
}

TEST_F(MsgqTest, SignalEndsAWaitAndLosesNothing) {
  run_echo();
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

TEST_F(MsgqTest, PollTellsOfMessagesAndRoom) {
  ASSERT_EQ(set("depth", "1"), 0);
  run_echo();
  const File recv(consumer_ / "recv", O_RDONLY | O_NONBLOCK);
  const File send_file(producer_ / "send", O_WRONLY | O_NONBLOCK);
  EXPECT_EQ(recv.poll_now(POLLIN), 0);
  EXPECT_EQ(send_file.poll_now(POLLOUT), POLLOUT);
  ASSERT_EQ(send_file.write("1"), 0);
  EXPECT_EQ(recv.poll(POLLIN), POLLIN);
  EXPECT_TRUE(eventually([&] { return send_file.write("2") == 0; }));
  EXPECT_EQ(recv.read(), got("1"));
  EXPECT_EQ(recv.wait_and_read(), got("2"));
  EXPECT_EQ(send_file.poll(POLLOUT), POLLOUT);
}

TEST_F(MsgqTest, ToolsThatReadWhateverTheyFindTakeNothing) {
  run_echo();
  ASSERT_EQ(send(producer_, "not for tools"), 0);
  ASSERT_TRUE(eventually([&] { return count(consumer_, "waiting") == 1; }));
  EXPECT_EQ(shell(root(), "grep -r 'not for tools' msgq; test $? = 1"), said(""));
  EXPECT_EQ(shell(root(), "find msgq -type f -exec cat {} + > /dev/null"), said(""));
  const std::string to = (directory() / "copy").string();
  EXPECT_EQ(shell(root(), "cp -r msgq " + to + " && rm -r " + to), said(""));
  EXPECT_EQ(shell(root(), "tar -cf - msgq | tar -tf - > /dev/null"), said(""));
  EXPECT_EQ(get(consumer_), got("not for tools"));
}

TEST_F(MsgqTest, IsInStatusMetricsAndEvents) {
  const File events(root() / "events");
  run_echo();
  EXPECT_NE(events.wait_and_read().bytes.find("state msgq/q idle running"), std::string::npos);
  const std::string status = text_of(at("status.json")).bytes;
  EXPECT_NE(status.find("\"kernel\": \"echo\""), std::string::npos) << status;
  EXPECT_NE(status.find("\"c0\""), std::string::npos) << status;
  const std::string metrics = text_of(at("metrics")).bytes;
  EXPECT_NE(metrics.find("comch_msgqs 1\n"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("comch_msgq_rx_msgs{name=\"q\"} 0\n"), std::string::npos) << metrics;
}

TEST_F(MsgqTest, CountsCanBeReset) {
  run_echo();
  ASSERT_EQ(send(producer_, "hello"), 0);
  ASSERT_EQ(get(consumer_), got("hello"));
  for (const fs::path& object : {queue_, producer_, consumer_}) {
    ASSERT_EQ(write_to(object / "ctl", "reset-stats"), 0);
  }
  EXPECT_EQ(count(queue_, "rx_msgs"), 0U);
  EXPECT_EQ(count(producer_, "tx_msgs"), 0U);
  EXPECT_EQ(count(consumer_, "rx_msgs"), 0U);
}

}  // namespace
}  // namespace comch::test
