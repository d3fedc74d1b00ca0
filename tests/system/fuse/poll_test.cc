// poll, epoll: what streams and attributes announce, and that nothing is announced that
// is not so.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "attempt.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using PollTest = PairTest;
using EpollTest = PairTest;

// An epoll descriptor with one entry.
struct Epoll {
  explicit Epoll(int fd, std::uint32_t events) : file(File::adopt(::epoll_create1(EPOLL_CLOEXEC))) {
    control(EPOLL_CTL_ADD, fd, events);
  }
  void control(int operation, int fd, std::uint32_t events) const {
    epoll_event event{.events = events, .data = {.fd = fd}};
    EXPECT_EQ(::epoll_ctl(file.fd(), operation, fd, &event), 0) << std::strerror(errno);
  }
  // The events of its entry, 0 when there were none in time.
  std::uint32_t wait(const Deadline& deadline = Deadline()) const {
    epoll_event event{};
    return ::epoll_wait(file.fd(), &event, 1, deadline.left_ms()) == 1 ? event.events : 0;
  }
  std::uint32_t now() const { return wait(Deadline(std::chrono::milliseconds(0))); }

  File file;
};

void fill(const fs::path& connection) {
  const File file(connection / "send", O_WRONLY | O_NONBLOCK);
  int error = 0;
  for (int count = 0; error == 0 && count < 100'000; ++count) error = file.write("x");
  EXPECT_EQ(error, EAGAIN);
}

TEST_F(PollTest, POLLINIsAMessage) {
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(recv.poll_now(POLLIN), 0);
  ASSERT_EQ(send(client_end_, "hello"), 0);
  EXPECT_EQ(recv.poll(POLLIN), POLLIN);
  EXPECT_EQ(recv.read(), got("hello"));
  EXPECT_EQ(recv.poll_now(POLLIN), 0);
}

TEST_F(PollTest, POLLINIsTheRestOfAMessageForWhoHasIt) {
  ASSERT_EQ(send(client_end_, "hello"), 0);
  const File recv(server_end_ / "recv"), other(server_end_ / "recv");
  EXPECT_EQ(recv.read(1), got("h"));
  EXPECT_EQ(recv.poll_now(POLLIN), POLLIN);
  EXPECT_EQ(other.poll_now(POLLIN), 0);
}

TEST_F(PollTest, SleeperIsWokenByAMessageInEveryReadingFile) {
  for (const fs::path& file :
       {server_end_ / "recv", server_end_ / "get", server_end_ / "recv.framed", server_ / "recv"}) {
    const Attempt sleeper([&] {
      const File recv(file);
      return recv.poll(POLLIN) == POLLIN ? recv.read() : failed(ETIMEDOUT);
    });
    ASSERT_TRUE(sleeper.is_held(SYS_poll)) << file;
    ASSERT_EQ(send(client_end_, "wake up"), 0);
    EXPECT_TRUE(sleeper.result().bytes.ends_with("wake up")) << file << ": " << sleeper.result();
  }
}

TEST_F(PollTest, POLLOUTIsRoom) {
  const File out(client_end_ / "send", O_WRONLY | O_NONBLOCK);
  EXPECT_EQ(out.poll_now(POLLOUT), POLLOUT);
  fill(client_end_);
  EXPECT_EQ(out.poll_now(POLLOUT), 0);
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  while (recv.read().error == 0) {
  }
  EXPECT_EQ(out.poll(POLLOUT), POLLOUT);
  EXPECT_EQ(out.write("again"), 0);
}

TEST_F(PollTest, SleeperIsWokenByRoom) {
  fill(client_end_);
  const Attempt sleeper(
      [&] { return failed(File(client_end_ / "send", O_WRONLY).poll(POLLOUT) & POLLOUT); });
  ASSERT_TRUE(sleeper.is_held(SYS_poll));
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  while (recv.read().error == 0) {
  }
  EXPECT_EQ(sleeper.result(), failed(POLLOUT));
}

TEST_F(PollTest, DisconnectIsPOLLHUPAndPOLLRDHUPAndReadable) {
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(remove_directory(client_), 0);
  const short events = recv.poll(POLLIN | POLLRDHUP);
  EXPECT_EQ(events & (POLLIN | POLLRDHUP | POLLHUP), POLLIN | POLLRDHUP | POLLHUP) << events;
  EXPECT_EQ(recv.read(), end_of_file());
  EXPECT_EQ(recv.poll_now(POLLIN) & (POLLIN | POLLHUP), POLLIN | POLLHUP) << "EOF for ever";
}

TEST_F(PollTest, MessagesBeforeADisconnectAreStillPOLLIN) {
  ASSERT_EQ(send(client_end_, "bye"), 0);
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_NE(recv.poll(POLLIN) & POLLIN, 0);
  EXPECT_EQ(recv.read(), got("bye"));
}

TEST_F(PollTest, SleeperIsWokenByADisconnect) {
  const Attempt sleeper(
      [&] { return failed(File(server_end_ / "recv").poll(POLLIN) & (POLLIN | POLLHUP)); });
  ASSERT_TRUE(sleeper.is_held(SYS_poll));
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_NE(sleeper.result().error & POLLHUP, 0);
}

TEST_F(PollTest, RemovalIsPOLLERR) {
  const File all(server_ / "recv", O_RDONLY | O_NONBLOCK), state(server_ / "state");
  const Attempt sleeper([&] { return failed(File(server_ / "recv").poll(POLLIN) & POLLERR); });
  ASSERT_TRUE(sleeper.is_held(SYS_poll));
  ASSERT_EQ(remove_directory(server_), 0);
  EXPECT_EQ(sleeper.result(), failed(POLLERR));
  EXPECT_NE(all.poll(0) & POLLERR, 0);
  EXPECT_NE(state.poll(0) & POLLERR, 0);
}

TEST_F(PollTest, POLLPRIIsAnAttributeThatChangedSinceItWasRead) {
  const File state(server_ / "state");
  EXPECT_EQ(state.read(), got("running\n"));
  EXPECT_EQ(state.poll_now(POLLPRI) & POLLPRI, 0);
  ASSERT_EQ(write_to(server_ / "enable", "0"), 0);
  EXPECT_NE(state.poll(POLLPRI) & POLLPRI, 0);
  ASSERT_EQ(::lseek(state.fd(), 0, SEEK_SET), 0);
  EXPECT_EQ(state.read(), got("idle\n"));
  EXPECT_EQ(state.poll_now(POLLPRI) & POLLPRI, 0);
}

TEST_F(PollTest, SleeperIsWokenByAChangeOfState) {
  const Attempt sleeper([&] {
    const File state(client_ / "state");
    if (state.read() != got("running\n")) return failed(EINVAL);
    return failed(state.poll(POLLPRI) & POLLPRI);
  });
  ASSERT_TRUE(sleeper.is_held(SYS_poll));
  ASSERT_EQ(remove_directory(server_), 0);
  EXPECT_EQ(sleeper.result(), failed(POLLPRI));
}

TEST_F(PollTest, EventsAreReadableWhenThereIsALine) {
  const File events(server_ / "events", O_RDONLY | O_NONBLOCK);
  while (events.read().error == 0) {
  }
  EXPECT_EQ(events.poll_now(POLLIN), 0);
  ASSERT_EQ(connect("you", "echo"), 0);
  EXPECT_EQ(events.poll(POLLIN), POLLIN);
}

TEST_F(EpollTest, LevelTriggeredTellsUntilItIsRead) {
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  const Epoll epoll(recv.fd(), EPOLLIN);
  EXPECT_EQ(epoll.now(), 0U);
  ASSERT_EQ(send(client_end_, "hello"), 0);
  EXPECT_EQ(epoll.wait(), EPOLLIN);
  EXPECT_EQ(epoll.wait(), EPOLLIN);
  EXPECT_EQ(recv.read(), got("hello"));
  EXPECT_EQ(epoll.now(), 0U);
}

TEST_F(EpollTest, EdgeTriggeredTellsOfEveryMessageThatComes) {
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  const Epoll epoll(recv.fd(), EPOLLIN | EPOLLET);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(send(client_end_, std::to_string(i)), 0);
    ASSERT_NE(epoll.wait() & EPOLLIN, 0U) << i;
    ASSERT_EQ(recv.read(), got(std::to_string(i)));
    ASSERT_EQ(recv.read(), failed(EAGAIN));
  }
}

TEST_F(EpollTest, OneshotTellsOnceUntilItIsArmedAgain) {
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  const Epoll epoll(recv.fd(), EPOLLIN | EPOLLONESHOT);
  ASSERT_EQ(send(client_end_, "one"), 0);
  EXPECT_NE(epoll.wait() & EPOLLIN, 0U);
  ASSERT_EQ(send(client_end_, "two"), 0);
  EXPECT_EQ(recv.read(), got("one"));
  EXPECT_EQ(epoll.now(), 0U);
  epoll.control(EPOLL_CTL_MOD, recv.fd(), EPOLLIN | EPOLLONESHOT);
  EXPECT_NE(epoll.wait() & EPOLLIN, 0U);
}

TEST_F(EpollTest, NestedEpollTells) {
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  const Epoll inner(recv.fd(), EPOLLIN);
  const Epoll outer(inner.file.fd(), EPOLLIN);
  EXPECT_EQ(outer.now(), 0U);
  ASSERT_EQ(send(client_end_, "hello"), 0);
  EXPECT_EQ(outer.wait(), EPOLLIN);
  EXPECT_EQ(inner.wait(), EPOLLIN);
}

TEST_F(EpollTest, OneSleeperWaitsForManyFiles) {
  std::vector<File> files;
  files.emplace_back(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  const Epoll epoll(files.front().fd(), EPOLLIN);
  for (int i = 0; i < 20; ++i) {
    const std::string name = "c" + std::to_string(i);
    ASSERT_EQ(connect(name, "echo"), 0);
    files.emplace_back(connections(server_).back() / "recv", O_RDONLY | O_NONBLOCK);
    epoll.control(EPOLL_CTL_ADD, files.back().fd(), EPOLLIN);
  }
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(send(at("clients/c" + std::to_string(i) + "/conn"), "hello"), 0);
    ASSERT_EQ(epoll.wait(), EPOLLIN);
    EXPECT_EQ(files[static_cast<std::size_t>(i) + 1].read(), got("hello"));
  }
}

TEST_F(EpollTest, HangUpIsToldWithoutBeingAskedFor) {
  const File recv(server_end_ / "recv", O_RDONLY | O_NONBLOCK);
  const Epoll epoll(recv.fd(), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_NE(epoll.wait() & EPOLLHUP, 0U);
}

}  // namespace
}  // namespace comch::test
