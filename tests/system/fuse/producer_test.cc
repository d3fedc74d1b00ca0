// Producers as files: whom they send to, what a write means, and what is refused.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "attempt.h"
#include "fast_fixture.h"
#include "shell.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using ProducerTest = FastTest;

TEST_F(ProducerTest, HasSettingsStateErrorStatsAndStreams) {
  EXPECT_EQ(list(producer_),
            (std::vector<std::string>{"ctl", "depth", "enable", "error", "id", "imm", "put", "send",
                                      "send.framed", "state", "stats", "stats.json", "target"}));
  EXPECT_EQ(value(producer_ / "state"), "idle");
  EXPECT_EQ(value(producer_ / "target"), "");
}

TEST_F(ProducerTest, StartsWhenItsTargetIsWritten) {
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  ASSERT_EQ(aim(producer_, consumer_), 0);
  EXPECT_EQ(value(producer_ / "state"), "running");
  EXPECT_EQ(value(producer_ / "target"), value(consumer_ / "id"));
  EXPECT_NE(value(producer_ / "id"), "");
}

TEST_F(ProducerTest, WithoutATargetNothingIsSent) {
  const auto says = [&](const char* word) {
    const std::string error = value(producer_ / "error");
    EXPECT_NE(error.find(word), std::string::npos) << error;
  };
  EXPECT_EQ(send(producer_, "hello"), ENXIO);
  says("`target`");
  ASSERT_EQ(write_to(producer_ / "enable", "1"), 0);
  for (const char* file : {"send", "put"}) {
    ASSERT_EQ(write_to(producer_ / "ctl", "reset-stats"), 0);
    EXPECT_EQ(write_to(producer_ / file, "hello"), ENXIO);
    says("write the id of a consumer to `target`");
  }
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  ASSERT_EQ(aim(producer_, consumer_), 0);
  ASSERT_EQ(write_to(producer_ / "enable", "0"), 0);
  EXPECT_EQ(send(producer_, "hello"), ENXIO);
  says("write 1 to `enable`");
  ASSERT_EQ(write_to(producer_ / "enable", "1"), 0);
  ASSERT_EQ(remove_directory(consumer_), 0);
  EXPECT_TRUE(eventually([&] { return send(producer_, "hello") == EPIPE; }));
  says("the consumer is gone");
}

TEST_F(ProducerTest, UnknownConsumerIsNoTarget) {
  EXPECT_EQ(write_to(producer_ / "target", "77"), ENOENT);
  EXPECT_EQ(
      value(producer_ / "error"),
      "ENOENT: target: the other side has no such consumer; `ls` of remote/ shows those there "
      "are");
  EXPECT_EQ(write_to(producer_ / "target", "one"), EINVAL);
  EXPECT_EQ(write_to(producer_ / "target", "\n"), EINVAL);
  EXPECT_EQ(value(producer_ / "state"), "idle");
}

TEST_F(ProducerTest, TargetCanBeChangedWhileItRuns) {
  const fs::path other = server_end_ / "consumers/c1";
  ASSERT_EQ(make_directory(other), 0);
  ASSERT_EQ(write_to(other / "enable", "1"), 0);
  connect_ends();
  ASSERT_EQ(send(producer_, "to c0"), 0);
  ASSERT_EQ(aim(producer_, other), 0);
  ASSERT_EQ(send(producer_, "to c1"), 0);
  EXPECT_EQ(get(consumer_), got("to c0"));
  EXPECT_EQ(get(other), got("to c1"));
}

TEST_F(ProducerTest, ConsumerThatGoesEndsThoseWhoWaitWithEpipe) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "fills it"), 0);
  const Attempt writer([&] { return failed(send(producer_, "waits")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  ASSERT_EQ(remove_directory(consumer_), 0);
  EXPECT_EQ(writer.result(), failed(EPIPE));
  EXPECT_EQ(send(producer_, "late"), EPIPE);
}

TEST_F(ProducerTest, FullQueueHoldsWritersInTheirOrder) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "0"), 0);
  EXPECT_EQ(write_to(producer_ / "send", "x", O_NONBLOCK), EAGAIN);
  const Attempt first([&] { return failed(send(producer_, "1")); });
  ASSERT_TRUE(first.is_held(SYS_write));
  const Attempt second([&] { return failed(send(producer_, "2")); });
  ASSERT_TRUE(second.is_held(SYS_write));
  for (const char* message : {"0", "1", "2"}) EXPECT_EQ(get(consumer_), got(message));
  EXPECT_EQ(first.result(), failed(0));
  EXPECT_EQ(second.result(), failed(0));
}

TEST_F(ProducerTest, SignalEndsAWaitAndNothingIsSent) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "0"), 0);
  Attempt writer([&] {
    interrupt_on(SIGUSR1);
    return failed(send(producer_, "never"));
  });
  ASSERT_TRUE(writer.is_held(SYS_write));
  writer.kill(SIGUSR1);
  EXPECT_EQ(writer.result(), failed(EINTR));
  EXPECT_EQ(get(consumer_), got("0"));
  EXPECT_EQ(File(consumer_ / "recv", O_RDONLY | O_NONBLOCK).read(), failed(EAGAIN));
}

TEST_F(ProducerTest, PollTellsOfRoomAndOfAConsumerThatIsGone) {
  connect_ends({.depth = "1"});
  const File out(producer_ / "send", O_WRONLY | O_NONBLOCK);
  EXPECT_EQ(out.poll_now(POLLOUT), POLLOUT);
  ASSERT_EQ(out.write("0"), 0);
  EXPECT_EQ(out.poll_now(POLLOUT), 0);
  EXPECT_EQ(get(consumer_), got("0"));
  EXPECT_EQ(out.poll(POLLOUT), POLLOUT);
  ASSERT_EQ(remove_directory(consumer_), 0);
  EXPECT_EQ(out.poll(POLLHUP) & POLLHUP, POLLHUP);
}

TEST_F(ProducerTest, MessageLongerThanTheBuffersIsRefusedAndTheNextArrives) {
  connect_ends({.buf_size = "10"});
  EXPECT_EQ(send(producer_, "0123456789x"), EMSGSIZE);
  EXPECT_EQ(value(producer_ / "error"),
            "EMSGSIZE: too_big, the message is longer than the posted buffer");
  EXPECT_EQ(send(producer_, "0123456789"), 0);
  EXPECT_EQ(get(consumer_), got("0123456789"));
}

TEST_F(ProducerTest, FramesAreMessages) {
  connect_ends();
  EXPECT_EQ(write_to(producer_ / "send.framed", "3\none0\n5\nthree"), 0);
  EXPECT_EQ(get(consumer_), got("one"));
  EXPECT_EQ(get(consumer_), end_of_file());
  EXPECT_EQ(get(consumer_), got("three"));
  EXPECT_EQ(write_to(producer_ / "send.framed", "no frame"), EINVAL);
}

TEST_F(ProducerTest, FrameThatFailsIsNotTheBeginningOfTheNext) {
  connect_ends({.buf_size = "4"});
  const File framed(producer_ / "send.framed", O_WRONLY);
  ASSERT_EQ(framed.write("5\n"), 0);
  EXPECT_EQ(framed.write("hello"), EMSGSIZE);
  EXPECT_EQ(framed.write("3\nabc"), 0);
  EXPECT_EQ(get(consumer_), got("abc"));
}

TEST_F(ProducerTest, ImmediateDataIsHexadecimalAndStaysUntilItIsWrittenAgain) {
  connect_ends({.imm_data_len = "4"});
  EXPECT_EQ(write_to(producer_ / "imm", "DEADbeef\n"), 0);
  EXPECT_EQ(value(producer_ / "imm"), "deadbeef");
  for (const char* bad : {"abc", "zz", "0x12", "12 34"})
    EXPECT_EQ(write_to(producer_ / "imm", bad), EINVAL) << bad;
  EXPECT_EQ(write_to(producer_ / "imm", std::string(514, '0')), EINVAL);
  ASSERT_EQ(send(producer_, "a"), 0);
  EXPECT_EQ(write_to(producer_ / "imm", "0102030405"), 0);
  EXPECT_EQ(send(producer_, "b"), EINVAL);
  EXPECT_EQ(value(producer_ / "error"),
            "EINVAL: invalid_value, the consumer takes less immediate data");
  EXPECT_EQ(write_to(producer_ / "imm", "\n"), 0);
  EXPECT_EQ(value(producer_ / "imm"), "");
  ASSERT_EQ(send(producer_, "c"), 0);
  const std::string id = value(producer_ / "id");
  EXPECT_EQ(File(consumer_ / "recv.framed").read(),
            got("1 " + id + " deadbeef\na1 " + id + " -\nc"));
}

TEST_F(ProducerTest, ImmediateDataCannotPretendToBeAPartOfAPut) {
  EXPECT_EQ(write_to(producer_ / "imm", "636f6d636866732b"), EINVAL);  // "comchfs+"
  EXPECT_EQ(value(producer_ / "error"), "EINVAL: imm: that marks parts of a put");
}

TEST_F(ProducerTest, SeveralProducersSendToOneConsumer) {
  const fs::path other = client_end_ / "producers/p1";
  ASSERT_EQ(make_directory(other), 0);
  connect_ends();
  ASSERT_EQ(aim(other, consumer_), 0);
  ASSERT_EQ(send(producer_, "from p0"), 0);
  ASSERT_EQ(get(consumer_), got("from p0"));
  ASSERT_EQ(send(other, "from p1"), 0);
  EXPECT_EQ(File(consumer_ / "recv.framed").read(),
            got("7 " + value(other / "id") + " -\nfrom p1"));
}

TEST_F(ProducerTest, RmdirEndsThoseWhoWait) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "fills it"), 0);
  const Attempt writer([&] { return failed(send(producer_, "waits")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  ASSERT_EQ(remove_directory(producer_), 0);
  EXPECT_EQ(writer.result(), failed(ENODEV));
  EXPECT_EQ(get(consumer_), got("fills it"));
}

TEST_F(ProducerTest, StopWaitsForWhatWasPut) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "first"), 0);
  ASSERT_EQ(put(producer_, "second"), 0);
  EXPECT_EQ(count(producer_, "in_flight"), 1U);
  const Attempt stopper([&] { return failed(write_to(producer_ / "enable", "0")); });
  ASSERT_TRUE(stopper.is_held(SYS_write));
  EXPECT_EQ(value(producer_ / "state"), "stopping");
  EXPECT_EQ(get(consumer_), got("first"));
  EXPECT_EQ(get(consumer_), got("second"));
  EXPECT_EQ(stopper.result(), failed(0));
  EXPECT_EQ(value(producer_ / "state"), "idle");
  EXPECT_EQ(send(producer_, "late"), ENXIO);
}

TEST_F(ProducerTest, CancelOrderEndsThoseWhoWait) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "fills it"), 0);
  const Attempt writer([&] { return failed(send(producer_, "waits")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  ASSERT_EQ(write_to(producer_ / "ctl", "cancel"), 0);
  EXPECT_EQ(writer.result(), failed(ECANCELED));
}

TEST_F(ProducerTest, LostConnectionIsEpipe) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "fills it"), 0);
  const Attempt writer([&] { return failed(send(producer_, "waits")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  ASSERT_EQ(write_to(server_ / "ctl", "disconnect conn0 force"), 0);
  EXPECT_EQ(writer.result(), failed(EPIPE));
}

TEST_F(ProducerTest, PeerThatGoesIsEpipe) {
  connect_ends({.depth = "1"});
  ASSERT_EQ(send(producer_, "fills it"), 0);
  const Attempt writer([&] { return failed(send(producer_, "waits")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  ASSERT_EQ(remove_directory(consumer_), 0);
  ASSERT_EQ(remove_directory(server_), 0);
  EXPECT_EQ(writer.result(), failed(EPIPE));
}

TEST_F(ProducerTest, DepthIsANumberOfMessages) {
  for (const char* bad : {"0", "8193", "x", "\n"})
    EXPECT_EQ(write_to(producer_ / "depth", bad), EINVAL);
  EXPECT_EQ(write_to(producer_ / "depth", "8"), 0);
  connect_ends();
  EXPECT_EQ(write_to(producer_ / "depth", "9"), EBUSY);
}

TEST_F(ProducerTest, CountsWhatItSends) {
  connect_ends();
  ASSERT_EQ(send(producer_, "hello"), 0);
  EXPECT_EQ(count(producer_, "tx_msgs"), 1U);
  EXPECT_EQ(count(producer_, "tx_bytes"), 5U);
  ASSERT_EQ(write_to(producer_ / "ctl", "reset-stats"), 0);
  EXPECT_EQ(count(producer_, "tx_msgs"), 0U);
}

}  // namespace
}  // namespace comch::test
