// How consumers end: by a stop, by rmdir, with their connection.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attempt.h"
#include "fast_fixture.h"
#include "shell.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using ConsumerEndTest = FastTest;

TEST_F(ConsumerEndTest, StoppedOneStillGivesWhatHasArrivedAndThenSaysThatItDoesNotRun) {
  connect_ends();
  ASSERT_EQ(send(producer_, "one"), 0);
  ASSERT_EQ(send(producer_, "two"), 0);
  ASSERT_EQ(write_to(consumer_ / "enable", "0"), 0);
  EXPECT_EQ(value(consumer_ / "state"), "idle");
  EXPECT_EQ(get(consumer_), got("one"));
  EXPECT_EQ(get(consumer_), got("two"));
  EXPECT_EQ(get(consumer_), failed(ENXIO));
  EXPECT_EQ(send(producer_, "three"), EPIPE);
}

TEST_F(ConsumerEndTest, StopEndsThoseWhoWait) {
  connect_ends();
  const Attempt reader([&] { return get(consumer_); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(write_to(consumer_ / "enable", "0"), 0);
  EXPECT_EQ(reader.result(), failed(ENXIO));
}

TEST_F(ConsumerEndTest, CanBeStartedAgainAndHasAnotherId) {
  connect_ends();
  const std::string id = value(consumer_ / "id");
  ASSERT_EQ(send(producer_, "of the first run"), 0);
  ASSERT_EQ(write_to(consumer_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(consumer_ / "enable", "1"), 0);
  EXPECT_NE(value(consumer_ / "id"), id);
  ASSERT_EQ(aim(producer_, consumer_), 0);
  ASSERT_EQ(send(producer_, "of the second"), 0);
  EXPECT_EQ(get(consumer_), got("of the first run"));
  EXPECT_EQ(get(consumer_), got("of the second"));
}

TEST_F(ConsumerEndTest, RmdirEndsItWithMessagesUnread) {
  connect_ends();
  ASSERT_EQ(send(producer_, "unread"), 0);
  const File recv(consumer_ / "recv");
  EXPECT_EQ(remove_directory(consumer_), 0);
  EXPECT_FALSE(fs::exists(consumer_));
  EXPECT_EQ(recv.read(), failed(ENODEV));
  EXPECT_TRUE(eventually([&] { return send(producer_, "more") == EPIPE; }));
  EXPECT_EQ(make_directory(consumer_), 0) << "the name is free again";
}

TEST_F(ConsumerEndTest, RmdirEndsThoseWhoWait) {
  connect_ends();
  const Attempt reader([&] { return get(consumer_); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(remove_directory(consumer_), 0);
  EXPECT_EQ(reader.result(), failed(ENODEV));
}

TEST_F(ConsumerEndTest, ConnectionWithRunningEndsCannotBeRemoved) {
  connect_ends();
  EXPECT_EQ(remove_directory(server_end_), EBUSY);
  EXPECT_EQ(remove_directory(client_), EBUSY);
  EXPECT_EQ(remove_directory(producer_), 0);
  EXPECT_EQ(remove_directory(consumer_), 0);
  EXPECT_EQ(remove_directory(client_), 0);
}

TEST_F(ConsumerEndTest, WhatHasArrivedIsReadAfterThePeerHasGone) {
  connect_ends();
  ASSERT_EQ(send(producer_, "one"), 0);
  ASSERT_EQ(send(producer_, "two"), 0);
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  ASSERT_TRUE(eventually([&] { return value(server_end_ / "state") == "idle"; }));
  EXPECT_EQ(value(consumer_ / "state"), "idle");
  EXPECT_EQ(make_directory(server_end_ / "consumers/c1"), ENXIO);
  EXPECT_EQ(value(server_end_ / "error"),
            "ENXIO: " + fs::relative(server_end_ / "consumers/c1", root()).string() +
                ": not_connected, the connection is over");
  const File recv(consumer_ / "recv");
  EXPECT_EQ(recv.read(), got("one"));
  EXPECT_EQ(recv.read(), got("two"));
  EXPECT_EQ(recv.read(), end_of_file());
}

TEST_F(ConsumerEndTest, ReaderWhoWaitsHearsOfTheEndOfTheConnection) {
  connect_ends();
  const Attempt reader([&] { return get(consumer_); });
  ASSERT_TRUE(reader.is_held(SYS_read));
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(reader.result(), end_of_file());
}

TEST_F(ConsumerEndTest, ConnectionThatIsReadEmptyGoes) {
  connect_ends();
  ASSERT_EQ(send(producer_, "last"), 0);
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  ASSERT_TRUE(eventually([&] { return value(server_end_ / "state") == "idle"; }));
  EXPECT_EQ(get(consumer_), got("last"));
  EXPECT_TRUE(eventually([&] { return !fs::exists(server_end_); }));
}

TEST_F(ConsumerEndTest, ConnectionThatHasEndedGoesWithTheConsumerNobodyRead) {
  connect_ends();
  ASSERT_EQ(send(producer_, "never read"), 0);
  ASSERT_EQ(remove_directory(producer_), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  ASSERT_TRUE(eventually([&] { return value(server_end_ / "state") == "idle"; }));
  ASSERT_EQ(remove_directory(consumer_), 0);
  EXPECT_TRUE(eventually([&] { return !fs::exists(server_end_); }));
}

TEST_F(ConsumerEndTest, ConnectionIsRemovedRightBehindItsConsumers) {
  connect_ends();
  EXPECT_EQ(shell(root(),
                  "rmdir clients/me/conn/producers/p0 servers/echo/conn0/consumers/c0 "
                  "servers/echo/conn0"),
            said(""));
  EXPECT_TRUE(eventually([&] { return value(client_ / "state") == "idle"; }));
}

TEST_F(ConsumerEndTest, ServerIsRemovedWithIdleConsumersAndProducers) {
  EXPECT_EQ(remove_directory(server_), 0);
  EXPECT_TRUE(eventually([&] { return value(client_ / "state") == "idle"; }));
  EXPECT_TRUE(eventually([&] { return !fs::exists(client_end_); }));
}

TEST_F(ConsumerEndTest, ForcedStopOfTheServerEndsAllOfThem) {
  connect_ends();
  ASSERT_EQ(send(producer_, "unread"), 0);
  const File out(producer_ / "send", O_WRONLY);
  const File in(consumer_ / "recv");
  ASSERT_EQ(write_to(server_ / "ctl", "stop force"), 0);
  EXPECT_EQ(in.read(), got("unread"));
  EXPECT_NE(in.read().bytes, "unread");
  EXPECT_TRUE(eventually([&] { return out.write("late") == EPIPE; }));
}

}  // namespace
}  // namespace comch::test
