// The examples: clients of both kinds, served at once by one program; and many producers of one
// collector.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include "support/child_process.h"
#include "support/deadline.h"
#include "support/file_content.h"
#include "support/temp_dir.h"

namespace comch::uring::test {
namespace {

using namespace comch::test;

int connect_to(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::system_error(errno, std::generic_category(), "socket");
  EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

// What an echo says that it listens on.
std::uint16_t port_in(const std::filesystem::path& path) {
  std::uint16_t port = 0;
  EXPECT_TRUE(eventually([&] {
    std::ifstream output(path);
    std::string listening, on, word;
    return static_cast<bool>(output >> listening >> on >> word >> port);
  }));
  return port;
}

TEST(UringExample, EchoesForClientsOfComchAndOfTcp) {
  const RuntimeDirectory runtime;
  const TempDir dir;
  auto echo = ChildProcess::exec({"uring_echo", "--name", "both", "--port", "0", "--clients", "2"},
                                 dir / "output");
  const std::uint16_t port = port_in(dir / "output");
  const int fd = connect_to(port);
  ASSERT_EQ(::send(fd, "by tcp", 6, 0), 6);
  const auto pings = run_program({"ping_client", "--name", "both", "--count", "20"});
  ASSERT_TRUE(pings);
  EXPECT_EQ(pings->exit, Exit::with(0)) << pings->output;
  std::string text(6, ' ');
  EXPECT_EQ(::recv(fd, text.data(), text.size(), MSG_WAITALL), 6);
  EXPECT_EQ(text, "by tcp");
  ::close(fd);
  EXPECT_EQ(echo.wait(), Exit::with(0));
}

bool is_echoed(int fd) {
  std::string text(4, ' ');
  return ::send(fd, "echo", 4, MSG_NOSIGNAL) == 4 &&
         ::recv(fd, text.data(), text.size(), MSG_WAITALL) == 4 && text == "echo";
}

TEST(UringExample, AnEchoThatHasServedEnoughEndsWithItsOtherClientsAndNotAfterThem) {
  const RuntimeDirectory runtime;
  const TempDir dir;
  auto echo = ChildProcess::exec(
      {"uring_echo", "--name", "enough", "--port", "0", "--clients", "1"}, dir / "output");
  const std::uint16_t port = port_in(dir / "output");
  const int leaves = connect_to(port);
  const int stays = connect_to(port);
  EXPECT_TRUE(is_echoed(leaves));
  EXPECT_TRUE(is_echoed(stays));
  ::close(leaves);
  char more = 0;
  EXPECT_EQ(::recv(stays, &more, sizeof more, 0), 0);
  EXPECT_EQ(echo.wait(), Exit::with(0));
  ::close(stays);
}

TEST(UringExample, AnEchoWithoutDescriptorsSaysSoOnceAndGoesOnWhenThereAreSomeAgain) {
  const RuntimeDirectory runtime;
  const TempDir dir;
  auto echo = ChildProcess::exec({"sh", "-c", R"(ulimit -n 40; exec "$@")", "sh", "uring_echo",
                                  "--name", "few", "--port", "0"},
                                 dir / "output");
  const std::uint16_t port = port_in(dir / "output");
  // More than it has descriptors for, and less than wait to be accepted.
  constexpr int kClients = 34;
  std::vector<int> clients;
  clients.reserve(kClients);
  for (int n = 0; n < kClients; ++n) clients.push_back(connect_to(port));
  EXPECT_TRUE(is_echoed(clients.front()));
  const auto complaints = [&] {
    const std::string output = content_of(dir / "output");
    std::size_t count = 0;
    for (std::size_t at = 0; (at = output.find("for now", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  ASSERT_TRUE(eventually([&] { return complaints() != 0; }));
  EXPECT_TRUE(is_echoed(clients.front())) << "those it has are served";
  for (const int fd : std::span(clients).first(20)) ::close(fd);
  EXPECT_TRUE(is_echoed(clients.back()));
  EXPECT_EQ(complaints(), 1U);
  for (const int fd : std::span(clients).subspan(20)) ::close(fd);
  echo.kill(SIGKILL);
  EXPECT_EQ(echo.wait(), Exit::by_signal(SIGKILL));
}

TEST(UringExample, APortThatIsNoneIsRefusedNotCut) {
  const RuntimeDirectory runtime;
  const auto echo = run_program({"uring_echo", "--port", "65537"});
  ASSERT_TRUE(echo);
  EXPECT_EQ(echo->exit, Exit::with(1));
  EXPECT_NE(echo->output.find("no such port"), std::string::npos) << echo->output;
}

struct CollectorExample : testing::Test {
  ChildProcess collect(const std::string& producers, const std::string& messages) const {
    return ChildProcess::exec({"uring_collector", "--name", "collector", "--producers", producers,
                               "--messages", messages},
                              dir / "output");
  }
  std::string output() const { return content_of(dir / "output"); }

  const RuntimeDirectory runtime;
  const TempDir dir;
};

TEST_F(CollectorExample, CollectsWhatFourProducersSendInOrder) {
  auto collector = collect("4", "10007");
  ASSERT_TRUE(eventually([&] { return output() == "collecting\n"; })) << output();
  std::vector<ChildProcess> producers;
  producers.reserve(4);
  for (int n = 0; n < 4; ++n) {
    producers.push_back(ChildProcess::exec(
        {"uring_producer", "--name", "collector", "--messages", "10007"}, dir / std::to_string(n)));
  }
  for (ChildProcess& producer : producers) EXPECT_EQ(producer.wait(), Exit::with(0));
  EXPECT_EQ(collector.wait(), Exit::with(0));
  EXPECT_EQ(output(), "collecting\ncollected 40028 messages of 4 producers\n");
}

TEST_F(CollectorExample, AProducerThatIsKilledIsOverAndItsMessagesAreMissed) {
  auto collector = collect("2", "2000000000");
  ASSERT_TRUE(eventually([&] { return output() == "collecting\n"; })) << output();
  auto killed = ChildProcess::exec(
      {"uring_producer", "--name", "collector", "--messages", "2000000000"}, dir / "killed");
  ASSERT_TRUE(eventually([&] { return content_of(dir / "killed") == "sending\n"; }));
  killed.kill(SIGKILL);
  EXPECT_EQ(killed.wait(), Exit::by_signal(SIGKILL));
  const auto other = run_program({"uring_producer", "--name", "collector", "--messages", "1000"});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->exit, Exit::with(0)) << other->output;
  EXPECT_EQ(collector.wait(), Exit::with(1));
  EXPECT_TRUE(output().contains("of 2 producers: some are lost")) << output();
}

}  // namespace
}  // namespace comch::uring::test
