// The state of a service: who is connected, who waits to be, and the event that says so.
#include <doca_comm_channel.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <vector>

#include "doca/endpoints.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

struct ServiceTest : LegacyTest {
  static void update(Endpoint& service) {
    ASSERT_EQ(doca_comm_channel_ep_update_service_state_info(service), DOCA_SUCCESS);
  }
  static std::vector<doca_comm_channel_addr_t*> peers(Endpoint& service) {
    doca_comm_channel_addr_t** array = nullptr;
    std::uint32_t length = 99;
    EXPECT_EQ(doca_comm_channel_ep_get_peer_addr_list(service, &array, &length), DOCA_SUCCESS);
    return {array, array + length};
  }
  static std::uint32_t pending(Endpoint& service) {
    std::uint32_t count = 99;
    EXPECT_EQ(doca_comm_channel_ep_get_pending_connections(service, &count), DOCA_SUCCESS);
    return count;
  }
};

TEST_F(ServiceTest, ClientsArePendingUntilTheServiceReceives) {
  Endpoint service = listening();
  update(service);
  EXPECT_EQ(pending(service), 0U);
  Endpoint one = connecting();
  Endpoint two = connecting();
  EXPECT_EQ(pending(service), 0U) << "as it was at the last update";
  update(service);
  EXPECT_EQ(pending(service), 2U);
  EXPECT_TRUE(peers(service).empty());
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_EQ(pending(service), 2U) << "as it was at the last update";
  update(service);
  EXPECT_EQ(pending(service), 0U);
  EXPECT_EQ(peers(service).size(), 2U);
}

TEST_F(ServiceTest, TheListSpeaksToClientsThatHaveSaidNothing) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  update(service);
  ASSERT_EQ(peers(service).size(), 1U);
  ASSERT_EQ(service.send("welcome", peers(service)[0]), DOCA_SUCCESS);
  EXPECT_EQ(client.next(), "welcome");
}

TEST_F(ServiceTest, TheListHasWhoIsConnectedAndNotWhoLeft) {
  Endpoint service = listening();
  Endpoint one = connected(service);
  Endpoint two = connected(service);
  Endpoint three = connected(service);
  update(service);
  const std::vector<doca_comm_channel_addr_t*> all = peers(service);
  ASSERT_EQ(all.size(), 3U);
  two.destroy();
  EXPECT_EQ(peers(service), all) << "as it was at the last update";
  update(service);
  EXPECT_EQ(peers(service), (std::vector{all[0], all[2]}));
  ASSERT_EQ(doca_comm_channel_ep_disconnect(service, all[0]), DOCA_SUCCESS);
  EXPECT_EQ(peers(service), (std::vector{all[2]})) << "at once, by this side";
  update(service);
  EXPECT_EQ(peers(service), (std::vector{all[2]}));
}

TEST_F(ServiceTest, AnArrayStaysWholeWhileItsPeersAreDisconnected) {
  Endpoint service = listening();
  Endpoint one = connected(service);
  Endpoint two = connected(service);
  update(service);
  doca_comm_channel_addr_t** array = nullptr;
  std::uint32_t length = 0;
  ASSERT_EQ(doca_comm_channel_ep_get_peer_addr_list(service, &array, &length), DOCA_SUCCESS);
  ASSERT_EQ(length, 2U);
  for (std::uint32_t i = 0; i < length; ++i) {
    EXPECT_EQ(doca_comm_channel_ep_disconnect(service, array[i]), DOCA_SUCCESS) << i;
  }
  update(service);
  EXPECT_TRUE(peers(service).empty());
}

TEST_F(ServiceTest, AnEventSaysThatAClientCameWasAcceptedOrWent) {
  Endpoint service = listening();
  const int event = service.service_event();
  EXPECT_FALSE(is_readable(event));
  Endpoint client = connecting();
  EXPECT_TRUE(becomes_readable(event));
  update(service);
  EXPECT_EQ(pending(service), 1U);
  EXPECT_FALSE(is_readable(event)) << "an update arms it again";
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_TRUE(is_readable(event)) << "it was accepted";
  update(service);
  EXPECT_EQ(peers(service).size(), 1U);
  EXPECT_FALSE(is_readable(event));
  ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
  EXPECT_EQ(service.next(), "hello");
  EXPECT_FALSE(is_readable(event)) << "a message is none of its kind";
  client.destroy();
  EXPECT_TRUE(becomes_readable(event));
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_TRUE(is_readable(event)) << "until the update, whatever else is called";
  update(service);
  EXPECT_TRUE(peers(service).empty());
  EXPECT_FALSE(is_readable(event));
}

TEST_F(ServiceTest, AnEventThatCameBeforeTheHandleWasAskedForIsNotLost) {
  Endpoint service = listening();
  const Endpoint client = connected(service);
  EXPECT_TRUE(is_readable(service.service_event()));
}

TEST_F(ServiceTest, AnEventSaysThatAClientWasKilled) {
  Endpoint service = listening();
  const int event = service.service_event();
  ChildProcess child = ChildProcess::run([&] {
    Endpoint client = connecting();
    return client.next(Deadline(2 * patience())) ? 0 : 2;
  });
  // Its call and its hello are two things that the kernel tells of.
  const Deadline deadline;
  while (peers(service).empty()) {
    ASSERT_TRUE(becomes_readable(event, deadline));
    update(service);
    if (pending(service) != 0) {
      EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
    }
  }
  EXPECT_FALSE(is_readable(event));
  child.kill(SIGKILL);
  ASSERT_EQ(child.wait(), Exit::by_signal(SIGKILL));
  EXPECT_TRUE(becomes_readable(event));
  update(service);
  EXPECT_TRUE(peers(service).empty());
}

TEST_F(ServiceTest, IsTheServicesAlone) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  Endpoint idle = idle_service();
  int event = -1;
  EXPECT_EQ(doca_comm_channel_ep_get_service_event_channel(client, &event),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comm_channel_ep_get_service_event_channel(idle, &event), DOCA_ERROR_BAD_STATE);
  doca_comm_channel_addr_t** array = nullptr;
  std::uint32_t count = 0;
  for (doca_comm_channel_ep_t* endpoint : {&*client, &*idle}) {
    EXPECT_EQ(doca_comm_channel_ep_update_service_state_info(endpoint), DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_comm_channel_ep_get_peer_addr_list(endpoint, &array, &count),
              DOCA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(doca_comm_channel_ep_get_pending_connections(endpoint, &count),
              DOCA_ERROR_NOT_SUPPORTED);
  }
}

TEST_F(ServiceTest, RefusesNull) {
  Endpoint service = listening();
  doca_comm_channel_addr_t** array = nullptr;
  std::uint32_t count = 0;
  int event = -1;
  EXPECT_EQ(doca_comm_channel_ep_get_service_event_channel(nullptr, &event),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_service_event_channel(service, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_update_service_state_info(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_peer_addr_list(nullptr, &array, &count),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_peer_addr_list(service, nullptr, &count),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_peer_addr_list(service, &array, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_pending_connections(nullptr, &count),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_pending_connections(service, nullptr),
            DOCA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace comch::test
