// How endpoints become services and clients, and how connections come and go.
#include <doca_comm_channel.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "doca/endpoints.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

using ConnectTest = LegacyTest;

// Whether nobody listens. connect() says so, which between machines may hear of it too late: then
// the updates of the peer do. Only devices that are described are on other machines.
bool is_refused(Endpoint& client) {
  const doca_error_t called = client.connect("echo");
  if (called != DOCA_SUCCESS) {
    return called == DOCA_ERROR_CONNECTION_ABORTED && client.peer == nullptr;
  }
  return std::getenv("COMCH_DEVICES") != nullptr &&
         eventually([&] { return update_of(client.peer) == DOCA_ERROR_CONNECTION_ABORTED; });
}

TEST_F(ConnectTest, AServiceWantsADeviceAndARepresentor) {
  doca_comm_channel_ep_t* bare = nullptr;
  ASSERT_EQ(doca_comm_channel_ep_create(&bare), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_listen(bare, "echo"), DOCA_ERROR_BAD_STATE);
  doca_comm_channel_addr_t* peer = nullptr;
  EXPECT_EQ(doca_comm_channel_ep_connect(bare, "echo", &peer), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(peer, nullptr);
  EXPECT_EQ(doca_comm_channel_ep_destroy(bare), DOCA_SUCCESS);
  const Endpoint no_representor(dpu);
  EXPECT_EQ(doca_comm_channel_ep_listen(no_representor, "echo"), DOCA_ERROR_BAD_STATE);
}

TEST_F(ConnectTest, EachSideMayDoItsPartOnly) {
  const Endpoint on_host(host, function);
  EXPECT_EQ(doca_comm_channel_ep_listen(on_host, "echo"), DOCA_ERROR_NOT_PERMITTED);
  Endpoint on_dpu = idle_service();
  EXPECT_EQ(on_dpu.connect("echo"), DOCA_ERROR_NOT_PERMITTED);
}

TEST_F(ConnectTest, AnActiveEndpointStaysWhatItIs) {
  Endpoint service = listening();
  EXPECT_EQ(doca_comm_channel_ep_listen(service, "other"), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(service.connect("echo"), DOCA_ERROR_NOT_PERMITTED);
  Endpoint client = connected(service);
  doca_comm_channel_addr_t* again = nullptr;
  EXPECT_EQ(doca_comm_channel_ep_connect(client, "echo", &again), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_comm_channel_ep_listen(client, "other"), DOCA_ERROR_NOT_PERMITTED);
  introduce(client, service);
}

TEST_F(ConnectTest, RefusesNull) {
  Endpoint service = idle_service();
  Endpoint client = idle_client();
  EXPECT_EQ(doca_comm_channel_ep_listen(nullptr, "echo"), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_listen(service, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_connect(nullptr, "echo", &client.peer), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(client.connect(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_connect(client, "echo", nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(nullptr, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(ConnectTest, ANameOf119BytesIsTheLongest) {
  const std::string longest(119, 'n');
  Endpoint service = listening(longest.c_str());
  const Endpoint client = connected(service, longest.c_str());
  for (const std::size_t length : {0U, 120U, 300U}) {
    const std::string name(length, 'n');
    const Endpoint idle = idle_service();
    EXPECT_EQ(doca_comm_channel_ep_listen(idle, name.c_str()), DOCA_ERROR_INVALID_VALUE) << length;
    Endpoint caller = idle_client();
    EXPECT_EQ(caller.connect(name.c_str()), DOCA_ERROR_INVALID_VALUE) << length;
  }
}

TEST_F(ConnectTest, ANameIsTakenOncePerRepresentorAndFreeAfterTheEnd) {
  Endpoint first = listening();
  const Endpoint second = idle_service();
  EXPECT_EQ(doca_comm_channel_ep_listen(second, "echo"), DOCA_ERROR_CONNECTION_ABORTED);
  EXPECT_EQ(doca_comm_channel_ep_listen(second, "other"), DOCA_SUCCESS) << "it is still idle";
  first.destroy();
  const Endpoint third = listening();
}

TEST_F(ConnectTest, ConnectFailsWhereNobodyListensAndMayBeTriedAgain) {
  Endpoint client = idle_client();
  EXPECT_TRUE(is_refused(client));
  Endpoint service = listening();
  EXPECT_EQ(client.connect("echo"), DOCA_SUCCESS);
  introduce(client, service);
}

TEST_F(ConnectTest, IsInProgressUntilTheServiceAccepts) {
  Endpoint service = listening();
  Endpoint client = connecting();
  EXPECT_EQ(update_of(client.peer), DOCA_ERROR_CONNECTION_INPROGRESS);
  EXPECT_EQ(client.send("too early"), DOCA_ERROR_AGAIN);
  EXPECT_EQ(client.take(), DOCA_ERROR_AGAIN);
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_EQ(update_of(client.peer), DOCA_SUCCESS);
  EXPECT_EQ(client.send("in time"), DOCA_SUCCESS);
  EXPECT_EQ(service.next(), "in time");
}

TEST_F(ConnectTest, SidesThatDisagreeOnTheMessageSizeDoNotConnect) {
  Endpoint service = listening();
  Endpoint client = idle_client();
  ASSERT_EQ(doca_comm_channel_ep_set_max_msg_size(client, 100), DOCA_SUCCESS);
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_EQ(update_of(client.peer), DOCA_ERROR_CONNECTION_ABORTED);
  EXPECT_EQ(client.send("x"), DOCA_ERROR_CONNECTION_RESET);
  EXPECT_EQ(client.take(), DOCA_ERROR_CONNECTION_RESET);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(client, client.peer), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_set_max_msg_size(client, 4080), DOCA_SUCCESS);
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  introduce(client, service);
}

TEST_F(ConnectTest, ARefusedClientMayConnectAgainBeforeItDisconnects) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  doca_comm_channel_addr_t* const first = client.peer;
  service.destroy();
  ASSERT_TRUE(eventually([&] { return update_of(first) == DOCA_ERROR_CONNECTION_ABORTED; }));
  Endpoint next = listening();
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  introduce(client, next);
  EXPECT_EQ(update_of(first), DOCA_ERROR_CONNECTION_ABORTED);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(client, first), DOCA_SUCCESS);
  introduce(client, next);
}

TEST_F(ConnectTest, AClientThatDisconnectsMayConnectAnew) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  introduce(client, service);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(client, nullptr), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(client, service.from), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(client, client.peer), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(client, client.peer), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(client.take(), DOCA_ERROR_NOT_CONNECTED);
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  introduce(client, service);
}

TEST_F(ConnectTest, AServiceDisconnectsOneClientAndKeepsTheOthers) {
  Endpoint service = listening();
  Endpoint one = connected(service);
  introduce(one, service);
  doca_comm_channel_addr_t* const first = service.from;
  Endpoint two = connected(service);
  introduce(two, service);
  ASSERT_EQ(service.send("farewell", first), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_ep_disconnect(service, first), DOCA_SUCCESS);
  EXPECT_EQ(one.next(), "farewell") << "what was delivered is received";
  EXPECT_TRUE(eventually([&] { return one.send("x") == DOCA_ERROR_CONNECTION_RESET; }));
  introduce(two, service);
}

TEST_F(ConnectTest, AClientIsToldWhenItsServiceIsKilled) {
  Gate listens;
  ChildProcess child = ChildProcess::run([&] {
    Endpoint service = listening();
    listens.open();
    while (service.next() == "hello") std::ignore = service.send("hello", service.from);
    return 0;
  });
  ASSERT_TRUE(listens.wait());
  Endpoint client = connecting();
  ASSERT_TRUE(eventually([&] { return update_of(client.peer) == DOCA_SUCCESS; }));
  ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
  ASSERT_EQ(client.next(), "hello");
  child.kill(SIGKILL);
  ASSERT_EQ(child.wait(), Exit::by_signal(SIGKILL));
  EXPECT_TRUE(eventually([&] { return client.take() == DOCA_ERROR_CONNECTION_RESET; }));
  EXPECT_EQ(update_of(client.peer), DOCA_ERROR_CONNECTION_ABORTED);
  EXPECT_EQ(client.send("x"), DOCA_ERROR_CONNECTION_RESET);
  const Endpoint heir = listening();  // The name is free again.
}

TEST_F(ConnectTest, AServiceOutlivesAClientThatIsKilled) {
  Endpoint service = listening();
  ChildProcess child = ChildProcess::run([&] {
    Endpoint client = connecting();
    if (!eventually([&] { return client.send("hello") == DOCA_SUCCESS; })) return 1;
    return client.next(Deadline(2 * patience())) ? 0 : 2;
  });
  ASSERT_EQ(service.next(), "hello");
  doca_comm_channel_addr_t* const lost = service.from;
  child.kill(SIGKILL);
  ASSERT_EQ(child.wait(), Exit::by_signal(SIGKILL));
  EXPECT_TRUE(eventually([&] { return update_of(lost) == DOCA_ERROR_CONNECTION_ABORTED; }));
  EXPECT_EQ(service.send("x", lost), DOCA_ERROR_CONNECTION_RESET);
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN) << "others may still come";
  EXPECT_EQ(doca_comm_channel_ep_disconnect(service, lost), DOCA_SUCCESS);
  Endpoint client = connected(service);
  introduce(client, service);
}

}  // namespace
}  // namespace comch::test
