// Objects come, start, stop and go; what their openers see.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "attempt.h"
#include "library_peer.h"
#include "shell.h"
#include "tree_fixture.h"

namespace comch::test {
namespace {
namespace fs = std::filesystem;

using LifecycleTest = TreeTest;
using ConnectedLifecycleTest = PairTest;

TEST_F(LifecycleTest, MkdirMakesAServerAndStartsIt) {
  ASSERT_EQ(make_server("echo"), 0);
  EXPECT_EQ(value(at("servers/echo/state")), "running");
  EXPECT_EQ(value(at("servers/echo/enable")), "1");
  EXPECT_EQ(value(at("servers/echo/error")), "");
  EXPECT_EQ(make_server("echo"), EEXIST);
}

TEST_F(LifecycleTest, RmdirStopsAServerAndFreesItsName) {
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(make_server("echo"), 0);
    ASSERT_EQ(remove_directory(at("servers/echo")), 0);
    EXPECT_FALSE(fs::exists(at("servers/echo")));
  }
  EXPECT_EQ(connect("me", "echo"), ENOENT);
}

TEST_F(LifecycleTest, NameOf119BytesIsTheLongest) {
  EXPECT_EQ(make_server(std::string(119, 'n')), 0);
  EXPECT_EQ(connect("me", std::string(119, 'n')), 0);
  EXPECT_NE(make_server(std::string(120, 'n')), 0);
}

TEST_F(LifecycleTest, EnableReturnsWhenTheStateIsReached) {
  ASSERT_EQ(make_server("echo"), 0);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(write_to(at("servers/echo/enable"), "0"), 0);
    EXPECT_EQ(value(at("servers/echo/state")), "idle");
    EXPECT_EQ(value(at("servers/echo/enable")), "0");
    ASSERT_EQ(write_to(at("servers/echo/enable"), "1\n"), 0);
    EXPECT_EQ(value(at("servers/echo/state")), "running");
  }
}

TEST_F(LifecycleTest, NameThatIsTakenIsRefusedWhenTheSecondStarts) {
  ASSERT_EQ(make_server("first"), 0);
  ASSERT_EQ(make_server("second"), 0);
  ASSERT_EQ(write_to(at("servers/second/enable"), "0"), 0);
  ASSERT_EQ(write_to(at("servers/second/name"), "first"), 0);
  EXPECT_EQ(write_to(at("servers/second/enable"), "1"), EEXIST);
  EXPECT_EQ(value(at("servers/second/state")), "idle");
  EXPECT_NE(value(at("servers/second/error")), "");
}

TEST_F(LifecycleTest, CloneIsAnAnonymousServerThatDiesWithItsDescriptor) {
  const auto before = list(at("servers"));
  File clone(at("servers/clone"), O_RDWR);
  ASSERT_EQ(clone.error(), 0);
  auto now = list(at("servers"));
  ASSERT_EQ(now.size(), before.size() + 1);
  std::erase_if(now, [&](const auto& name) { return std::ranges::count(before, name) > 0; });
  const fs::path server = at("servers") / now.front();
  EXPECT_EQ(value(server / "state"), "running");
  EXPECT_EQ(connect("me", value(server / "name")), 0) << "a server like any other";
  EXPECT_EQ(clone.write("frobnicate\n"), EINVAL) << "the descriptor is its ctl";
  clone.close();
  EXPECT_TRUE(eventually([&] { return !fs::exists(server); }));
  EXPECT_TRUE(eventually([&] { return value(at("clients/me/state")) == "idle"; }));
}

TEST_F(LifecycleTest, CloneOfAClientConnectsWhenItsServerIsWritten) {
  ASSERT_EQ(make_server("echo"), 0);
  const auto before = list(at("clients"));
  File clone(at("clients/clone"), O_RDWR);
  ASSERT_EQ(clone.error(), 0);
  auto now = list(at("clients"));
  std::erase_if(now, [&](const auto& name) { return std::ranges::count(before, name) > 0; });
  ASSERT_EQ(now.size(), 1U);
  EXPECT_EQ(write_to(at("clients") / now.front() / "server", "echo"), 0);
  EXPECT_EQ(connections(at("servers/echo")).size(), 1U);
  clone.close();
  EXPECT_TRUE(eventually([&] { return connections(at("servers/echo")).empty(); }));
}

TEST_F(LifecycleTest, CloneThatWasRemovedObeysNoMore) {
  ASSERT_EQ(make_server("echo"), 0);
  for (const char* role : {"clients", "servers"}) {
    const File clone(at(role) / "clone", O_RDWR);
    std::string name = clone.read().bytes;
    name.pop_back();
    ASSERT_EQ(remove_directory(at(role) / name), 0);
    EXPECT_EQ(clone.write("set name other"), ENODEV) << role;
    EXPECT_EQ(clone.write("set server echo"), ENODEV) << role;
    EXPECT_EQ(clone.write("start"), ENODEV) << role;
  }
  EXPECT_TRUE(connections(at("servers/echo")).empty());
}

TEST_F(LifecycleTest, CloneThatWasRemovedLeavesAnotherOfItsNameAlone) {
  File clone(at("clients/clone"), O_RDWR);
  std::string name = clone.read().bytes;
  name.pop_back();
  ASSERT_EQ(remove_directory(at("clients") / name), 0);
  ASSERT_EQ(make_directory(at("clients") / name), 0);
  clone.close();
  EXPECT_EQ(value(at("clients") / name / "state"), "idle");
}

TEST_F(LifecycleTest, WritingServerReturnsConnectedAndTheServersEndIsThereAlready) {
  ASSERT_EQ(make_server("echo"), 0);
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(connect("c" + std::to_string(i), "echo"), 0);
    EXPECT_TRUE(fs::is_directory(at("servers/echo/conn" + std::to_string(i))));
    EXPECT_EQ(value(at("clients/c" + std::to_string(i) + "/state")), "running");
  }
}

TEST_F(LifecycleTest, UnknownServerIsENOENT) {
  EXPECT_EQ(connect("me", "nobody"), ENOENT);
  EXPECT_EQ(value(at("clients/me/state")), "idle");
  EXPECT_NE(value(at("clients/me/error")).find("ENOENT"), std::string::npos)
      << value(at("clients/me/error"));
}

TEST_F(LifecycleTest, ServerThatRefusesIsECONNREFUSED) {
  ASSERT_EQ(make_server("echo"), 0);
  ASSERT_EQ(write_to(at("servers/echo/enable"), "0"), 0);
  ASSERT_EQ(write_to(at("servers/echo/max_msg_size"), "100"), 0);
  ASSERT_EQ(write_to(at("servers/echo/enable"), "1"), 0);
  EXPECT_EQ(connect("me", "echo"), ECONNREFUSED) << "their message sizes differ";
  EXPECT_NE(value(at("clients/me/error")), "");
  ASSERT_EQ(write_to(at("clients/me/max_msg_size"), "100"), 0);
  EXPECT_EQ(write_to(at("clients/me/server"), "echo"), 0);
}

TEST_F(LifecycleTest, ServerThatIsStoppedByASignalIsETIMEDOUTAndHoldsUpNobodyElse) {
  const LibraryServer server("frozen");
  ASSERT_TRUE(server.is_ready());
  server.process().kill(SIGSTOP);
  ASSERT_EQ(make_directory(at("clients/me")), 0);
  ASSERT_EQ(write_to(at("clients/me/connect_timeout_ms"), "2000"), 0) << "not 10 s";
  const Attempt writer([&] { return failed(write_to(at("clients/me/server"), "frozen")); });
  ASSERT_TRUE(writer.is_held(SYS_write));
  EXPECT_EQ(value(at("clients/me/state")), "starting");
  EXPECT_EQ(shell(root(),
                  "ls -lR clients >/dev/null && stat clients/me/server >/dev/null && "
                  "mkdir clients/you && rmdir clients/you")
                .exit,
            Exit::with(0));
  EXPECT_EQ(state_of(writer.pid()), 'S');
  EXPECT_EQ(writer.result(), failed(ETIMEDOUT));
  EXPECT_EQ(value(at("clients/me/state")), "idle");
}

TEST_F(LifecycleTest, WriterWhoWaitsForAConnectionCanBeInterrupted) {
  const LibraryServer server("frozen");
  ASSERT_TRUE(server.is_ready());
  server.process().kill(SIGSTOP);
  ASSERT_EQ(make_directory(at("clients/me")), 0);
  const Attempt writer([&] {
    interrupt_on(SIGUSR1);
    return failed(write_to(at("clients/me/server"), "frozen"));
  });
  ASSERT_TRUE(writer.is_held(SYS_write));
  writer.kill(SIGUSR1);
  EXPECT_EQ(writer.result(), failed(EINTR));
  EXPECT_EQ(remove_directory(at("clients/me")), 0) << "answered at once, whatever the peer does";
}

TEST_F(ConnectedLifecycleTest, RmdirWithAStoppedPeerHoldsUpNobody) {
  const LibraryClient peer("echo");
  ASSERT_TRUE(peer.is_ready());
  peer.process().kill(SIGSTOP);
  EXPECT_EQ(shell(root(),
                  "rmdir servers/echo && ls -l servers >/dev/null && "
                  "stat servers >/dev/null && mkdir servers/other")
                .exit,
            Exit::with(0));
}

TEST_F(ConnectedLifecycleTest, DisableChangeEnableReconfigures) {
  configure_both("max_msg_size", "10");
  EXPECT_EQ(send(client_end_, "0123456789"), 0);
  EXPECT_EQ(send(client_end_, "0123456789a"), EMSGSIZE);
  EXPECT_EQ(get(server_end_), got("0123456789"));
}

TEST_F(ConnectedLifecycleTest, ConnectionNumbersAreNeverReused) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(remove_directory(client_), 0);
    ASSERT_TRUE(eventually([&] { return connections(server_).empty(); }));
    ASSERT_EQ(connect("me", "echo"), 0);
    ASSERT_EQ(connections(server_).size(), 1U);
    EXPECT_EQ(connections(server_).front().filename(), "conn" + std::to_string(i + 1));
  }
  ASSERT_EQ(write_to(server_ / "enable", "0"), 0);
  ASSERT_EQ(write_to(server_ / "enable", "1"), 0);
  ASSERT_EQ(connect("again", "echo"), 0);
  EXPECT_EQ(connections(server_).back().filename(), "conn4") << "also over a restart";
}

TEST_F(ConnectedLifecycleTest, RmdirOfAServersEndDisconnects) {
  const File recv(client_end_ / "recv");
  ASSERT_EQ(remove_directory(server_end_), 0);
  EXPECT_EQ(recv.wait_and_read(), end_of_file());
  EXPECT_TRUE(eventually([&] { return value(client_ / "state") == "idle"; }));
  EXPECT_FALSE(fs::exists(server_end_));
}

TEST_F(ConnectedLifecycleTest, RmdirOfAClientDisconnectsAfterDeliveringWhatItSent) {
  ASSERT_EQ(send(client_end_, "last words"), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(get(server_end_), got("last words"));
}

TEST_F(ConnectedLifecycleTest, ServersEndStaysWhileUnreadMessagesRemain) {
  ASSERT_EQ(send(client_end_, "one"), 0);
  ASSERT_EQ(send(client_end_, "two"), 0);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(get(server_end_), got("one"));
  EXPECT_TRUE(fs::exists(server_end_));
  EXPECT_EQ(get(server_end_), got("two"));
  EXPECT_TRUE(eventually([&] { return !fs::exists(server_end_); }));
}

TEST_F(ConnectedLifecycleTest, ServersEndStaysWhileADescriptorIsOpen) {
  File recv(server_end_ / "recv");
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(recv.wait_and_read(), end_of_file());
  EXPECT_TRUE(fs::exists(server_end_));
  EXPECT_EQ(recv.read(), end_of_file()) << "for ever";
  recv.close();
  EXPECT_TRUE(eventually([&] { return !fs::exists(server_end_); }));
}

TEST_F(ConnectedLifecycleTest, RmdirOfAServerEndsItsConnectionsAndItsClientsBecomeIdle) {
  ASSERT_EQ(connect("you", "echo"), 0);
  ASSERT_EQ(remove_directory(server_), 0);
  for (const char* name : {"clients/me/state", "clients/you/state"})
    EXPECT_TRUE(eventually([&] { return value(at(name)) == "idle"; })) << name;
}

TEST_F(ConnectedLifecycleTest, DescriptorOfARemovedObjectAnswersENODEV) {
  const File state(server_ / "state"), everyone(server_ / "recv", O_RDONLY | O_NONBLOCK);
  const File max_clients(server_ / "max_clients", O_WRONLY), ctl(server_ / "ctl", O_RDWR);
  ASSERT_EQ(remove_directory(server_), 0);
  EXPECT_TRUE(eventually([&] {
    ::lseek(state.fd(), 0, SEEK_SET);
    return state.read() == failed(ENODEV);
  }));
  EXPECT_EQ(everyone.read(), failed(ENODEV));
  EXPECT_EQ(max_clients.write("7"), ENODEV);
  EXPECT_EQ(ctl.write("start"), ENODEV);
}

TEST_F(ConnectedLifecycleTest, StreamOfAnEndedConnectionReadsEOFAndWritesEPIPEOrENODEV) {
  const File recv(server_end_ / "recv"), send(server_end_ / "send", O_WRONLY);
  ASSERT_EQ(remove_directory(client_), 0);
  EXPECT_EQ(recv.wait_and_read(), end_of_file());
  const int error = send.write("anybody?");
  EXPECT_TRUE(error == EPIPE || error == ENODEV) << error;
  ASSERT_EQ(remove_directory(server_), 0);
  const int later = send.write("anybody?");
  EXPECT_TRUE(later == EPIPE || later == ENODEV) << later;
}

TEST_F(ConnectedLifecycleTest, ClientThatDoesNotRunTakesNoMessage) {
  ASSERT_EQ(make_directory(at("clients/idle")), 0);
  const int error = send(at("clients/idle/conn"), "hello");
  EXPECT_TRUE(error == ENXIO || error == ENOENT) << error << "; ENOENT while there is no conn";
}

}  // namespace
}  // namespace comch::test
