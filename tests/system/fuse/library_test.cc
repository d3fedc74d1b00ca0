// The tree and programs that use the library talk to each other.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "library_peer.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using LibraryTest = TreeTest;

TEST_F(LibraryTest, ClientOfAProgramTalksToAServerMadeByMkdir) {
  ASSERT_EQ(make_server("echo"), 0);
  const LibraryClient client("echo", {.sends = {"hello", "again"}, .echoes = true});
  ASSERT_TRUE(client.is_ready());
  ASSERT_TRUE(has_connections(at("servers/echo"), 1));
  const fs::path end = at("servers/echo/conn0");
  EXPECT_EQ(get(end), got("hello"));
  EXPECT_EQ(get(end), got("again"));
  EXPECT_EQ(send(end, "and back"), 0);
  EXPECT_EQ(get(end), got("and back"));
  EXPECT_EQ(value(end / "peer_pid"), std::to_string(client.process().pid()));
}

TEST_F(LibraryTest, ClientOfTheTreeTalksToAServerOfAProgram) {
  const LibraryServer server("program");
  ASSERT_TRUE(server.is_ready());
  ASSERT_EQ(connect("me", "program"), 0);
  for (const char* message : {"one", "two", "three"}) {
    ASSERT_EQ(send(at("clients/me/conn"), message), 0);
    EXPECT_EQ(get(at("clients/me/conn")), got(message));
  }
  EXPECT_EQ(value(at("clients/me/conn/peer_pid")), std::to_string(server.process().pid()));
}

TEST_F(LibraryTest, ThousandMessagesThereAndBackKeepTheirOrder) {
  const LibraryServer server("program");
  ASSERT_TRUE(server.is_ready());
  ASSERT_EQ(connect("me", "program"), 0);
  const File out(at("clients/me/conn/send"), O_WRONLY), in(at("clients/me/conn/recv"));
  int sent = 0, received = 0;
  while (received < 1000) {
    for (; sent < 1000 && sent < received + 20; ++sent)
      ASSERT_EQ(out.write(std::to_string(sent)), 0);
    ASSERT_EQ(in.wait_and_read(), got(std::to_string(received)));
    ++received;
  }
}

TEST_F(LibraryTest, MessagesOfTheTreeHoldBackAProgramThatSendsFasterThanItIsRead) {
  ASSERT_EQ(make_server("echo"), 0);
  std::vector<std::string> messages;
  messages.reserve(2000);
  for (int i = 0; i < 2000; ++i) messages.push_back(std::to_string(i));
  const LibraryClient client("echo", {.sends = messages});
  ASSERT_TRUE(eventually([&] { return fs::exists(at("servers/echo/conn0")); }));
  const File recv(at("servers/echo/conn0/recv"));
  for (const std::string& message : messages) ASSERT_EQ(recv.wait_and_read(), got(message));
  EXPECT_TRUE(client.is_ready());
}

TEST_F(LibraryTest, ServerOfAProgramThatIsKilledIsALossAndItsNameIsFree) {
  {
    LibraryServer server("program");
    ASSERT_TRUE(server.is_ready());
    ASSERT_EQ(connect("me", "program"), 0);
    const File recv(at("clients/me/conn/recv"));
    server.process().kill(SIGKILL);
    EXPECT_EQ(recv.wait_and_read(), failed(ECONNRESET));
    EXPECT_TRUE(eventually([&] { return value(at("clients/me/state")) == "idle"; }));
    EXPECT_NE(value(at("clients/me/error")), "");
  }
  EXPECT_EQ(make_server("program"), 0);
  EXPECT_EQ(value(at("servers/program/state")), "running");
  EXPECT_EQ(write_to(at("clients/me/enable"), "1"), 0) << "and the client can go on there";
}

TEST_F(LibraryTest, ManyProgramsTalkToOneServer) {
  ASSERT_EQ(make_server("echo"), 0);
  std::vector<std::unique_ptr<LibraryClient>> clients;
  clients.reserve(20);
  for (int i = 0; i < 20; ++i)
    clients.push_back(std::make_unique<LibraryClient>(
        "echo", LibraryClient::Options{.sends = {"from " + std::to_string(i)}}));
  for (const auto& client : clients) ASSERT_TRUE(client->is_ready());
  ASSERT_TRUE(has_connections(at("servers/echo"), 20));
  std::vector<bool> heard(20, false);
  for (const fs::path& end : connections(at("servers/echo"))) {
    const Got message = get(end);
    ASSERT_TRUE(message.bytes.starts_with("from ")) << message;
    heard[std::stoul(message.bytes.substr(5))] = true;
  }
  EXPECT_EQ(std::ranges::count(heard, true), 20);
}

}  // namespace
}  // namespace comch::test
