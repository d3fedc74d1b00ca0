// Messages of endpoints: what is refused, how queues fill, and what a goodbye takes along.
#include <doca_comm_channel.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "doca/endpoints.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

using MessageTest = LegacyTest;

TEST_F(MessageTest, GoesBothWays) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  introduce(client, service);
  ASSERT_EQ(service.send("and you", service.from), DOCA_SUCCESS);
  EXPECT_EQ(client.next(), "and you");
  EXPECT_EQ(client.from, client.peer);
}

TEST_F(MessageTest, RefusesNullAndFlags) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  char room = 0;
  std::size_t length = 1;
  doca_comm_channel_addr_t* from = nullptr;
  EXPECT_EQ(doca_comm_channel_ep_sendto(nullptr, &room, 1, 0, client.peer),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_sendto(client, nullptr, 1, 0, client.peer),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_sendto(client, &room, 1, 1, client.peer),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_sendto(client, &room, 1, 0, nullptr), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(doca_comm_channel_ep_sendto(service, &room, 1, 0, client.peer),
            DOCA_ERROR_NOT_CONNECTED)
      << "another endpoint's";
  EXPECT_EQ(doca_comm_channel_ep_recvfrom(nullptr, &room, &length, 0, &from),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_recvfrom(client, nullptr, &length, 0, &from),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_recvfrom(client, &room, nullptr, 0, &from),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_recvfrom(client, &room, &length, 0, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_recvfrom(client, &room, &length, 1, &from),
            DOCA_ERROR_INVALID_VALUE);
}

TEST_F(MessageTest, NeedsAnActiveEndpoint) {
  Endpoint idle = idle_service();
  EXPECT_EQ(idle.take(), DOCA_ERROR_NOT_CONNECTED);
  Endpoint service = listening();
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
}

TEST_F(MessageTest, MayHaveAnyLengthUpToTheMaximum) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  for (const std::size_t length : {0U, 1U, 4079U, 4080U}) {
    const std::string message(length, 'm');
    ASSERT_EQ(client.send(message), DOCA_SUCCESS) << length;
    EXPECT_EQ(service.next(), message);
  }
  EXPECT_EQ(client.send(std::string(4081, 'm')), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(MessageTest, StaysWhenTheRoomForItIsTooSmall) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  ASSERT_EQ(client.send("twelve bytes"), DOCA_SUCCESS);
  std::array<char, 12> room{};
  std::size_t length = 11;
  EXPECT_TRUE(eventually([&] {
    length = 11;
    return doca_comm_channel_ep_recvfrom(service, room.data(), &length, 0, &service.from) ==
           DOCA_ERROR_INVALID_VALUE;
  }));
  EXPECT_EQ(length, 12U) << "what it takes";
  EXPECT_EQ(doca_comm_channel_ep_recvfrom(service, room.data(), &length, 0, &service.from),
            DOCA_SUCCESS);
  EXPECT_EQ(std::string(room.data(), length), "twelve bytes");
}

// 16 wait at the peer and 16 in the send queue.
TEST_F(MessageTest, FillsThePeersQueueThenTheSendQueueThenAsksToTryAgain) {
  Endpoint service = idle_service();
  ASSERT_EQ(doca_comm_channel_ep_set_recv_queue_size(service, 16), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  Endpoint client = idle_client();
  ASSERT_EQ(doca_comm_channel_ep_set_send_queue_size(client, 16), DOCA_SUCCESS);
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  ASSERT_EQ(service.take(), DOCA_ERROR_AGAIN);
  for (int n = 0; n < 32; ++n) ASSERT_EQ(client.send(std::to_string(n)), DOCA_SUCCESS) << n;
  EXPECT_EQ(client.send("32"), DOCA_ERROR_AGAIN);
  EXPECT_EQ(client.send("32"), DOCA_ERROR_AGAIN);
  ASSERT_EQ(update_of(client.peer), DOCA_SUCCESS);
  std::uint64_t count = 0;
  EXPECT_EQ(doca_comm_channel_peer_addr_get_send_in_flight_messages(client.peer, &count),
            DOCA_SUCCESS);
  EXPECT_EQ(count, 16U);
  EXPECT_EQ(doca_comm_channel_peer_addr_get_send_messages(client.peer, &count), DOCA_SUCCESS);
  EXPECT_EQ(count, 16U);
  for (int n = 0; n < 32; ++n) {
    ASSERT_TRUE(eventually(
        [&] { return update_of(client.peer) == DOCA_SUCCESS && service.take() == DOCA_SUCCESS; }));
    EXPECT_EQ(service.text, std::to_string(n));
  }
  ASSERT_EQ(update_of(client.peer), DOCA_SUCCESS);
  EXPECT_EQ(doca_comm_channel_peer_addr_get_send_in_flight_messages(client.peer, &count),
            DOCA_SUCCESS);
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(client.send("33"), DOCA_SUCCESS);
}

// A program that answers, disconnects and destroys at once, as old servers do.
TEST_F(MessageTest, AnAnswerIsReceivedThoughItsSenderIsGone) {
  Gate listens;
  ChildProcess child = ChildProcess::run([&] {
    Endpoint service = listening();
    listens.open();
    if (service.next() != "question") return 1;
    if (service.send("answer", service.from) != DOCA_SUCCESS) return 2;
    if (doca_comm_channel_ep_disconnect(service, service.from) != DOCA_SUCCESS) return 3;
    service.destroy();
    return 0;
  });
  ASSERT_TRUE(listens.wait());
  Endpoint client = connecting();
  ASSERT_TRUE(eventually([&] { return update_of(client.peer) == DOCA_SUCCESS; }));
  ASSERT_EQ(client.send("question"), DOCA_SUCCESS);
  ASSERT_EQ(child.wait(), Exit::with(0));
  EXPECT_EQ(client.next(), "answer");
  EXPECT_FALSE(client.next()) << "and then the end";
}

TEST_F(MessageTest, WhatAClientSaidBeforeItLeftIsReceivedByAServiceThatAcceptsLate) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  ASSERT_EQ(client.send("one"), DOCA_SUCCESS);
  ASSERT_EQ(client.send("two"), DOCA_SUCCESS);
  client.destroy();
  EXPECT_EQ(service.next(), "one");
  EXPECT_EQ(service.next(), "two");
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_TRUE(
      eventually([&] { return service.send("x", service.from) == DOCA_ERROR_CONNECTION_RESET; }));
}

TEST_F(MessageTest, WhatWaitedForRoomIsLostWithItsPeerAndThatIsSaid) {
  Endpoint service = idle_service();
  ASSERT_EQ(doca_comm_channel_ep_set_recv_queue_size(service, 16), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  Endpoint client = connected(service);
  for (int n = 0; n < 17; ++n) ASSERT_EQ(client.send("x"), DOCA_SUCCESS);
  service.destroy();
  EXPECT_TRUE(eventually([&] { return client.send("y") == DOCA_ERROR_CONNECTION_RESET; }));
  EXPECT_EQ(update_of(client.peer), DOCA_ERROR_CONNECTION_ABORTED);
  std::uint64_t count = 1;
  EXPECT_EQ(doca_comm_channel_peer_addr_get_send_in_flight_messages(client.peer, &count),
            DOCA_SUCCESS);
  EXPECT_EQ(count, 0U);
}

TEST_F(MessageTest, NothingIsReceivedOfAPeerToWhichAMessageWasLost) {
  Endpoint service = listening();
  Endpoint client = idle_client();
  ASSERT_EQ(doca_comm_channel_ep_set_recv_queue_size(client, 16), DOCA_SUCCESS);
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  introduce(client, service);
  for (int n = 0; n < 17; ++n) ASSERT_EQ(service.send("x", service.from), DOCA_SUCCESS);
  ASSERT_EQ(client.send("last words"), DOCA_SUCCESS);
  client.destroy();
  EXPECT_TRUE(eventually([&] { return update_of(service.from) == DOCA_ERROR_CONNECTION_ABORTED; }));
  EXPECT_EQ(service.take(), DOCA_ERROR_CONNECTION_RESET);
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN) << "said once; other clients are heard";
  EXPECT_EQ(doca_comm_channel_ep_disconnect(service, service.from), DOCA_SUCCESS);
}

TEST_F(MessageTest, DestroyingDoesNotWaitForAPeerThatDoesNotRead) {
  Endpoint service = idle_service();
  ASSERT_EQ(doca_comm_channel_ep_set_recv_queue_size(service, 16), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  Endpoint client = connected(service);
  for (int n = 0; n < 40; ++n) ASSERT_EQ(client.send(std::to_string(n)), DOCA_SUCCESS);
  client.destroy();
  for (int n = 0; n < 16; ++n) EXPECT_EQ(service.next(), std::to_string(n));
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN) << "the rest went with the client";
}

}  // namespace
}  // namespace comch::test
