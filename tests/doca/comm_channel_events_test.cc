// Send and receive events: arming before and after what is waited for, and sleeping on them.
#include <doca_comm_channel.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <random>
#include <string>

#include "doca/endpoints.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

using EventsTest = LegacyTest;

TEST_F(EventsTest, HandlesAreThereOnceTheEndpointIsActive) {
  Endpoint service = idle_service();
  int send = -1;
  int recv = -1;
  EXPECT_EQ(doca_comm_channel_ep_get_event_channel(service, &send, &recv), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(service.arm_send(), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(service.arm_recv(), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_get_event_channel(service, &send, &recv), DOCA_SUCCESS);
  EXPECT_NE(send, recv);
  EXPECT_EQ(service.send_event(), send) << "one may be asked for alone";
  EXPECT_EQ(service.recv_event(), recv);
  EXPECT_EQ(doca_comm_channel_ep_get_event_channel(service, nullptr, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_get_event_channel(nullptr, &send, &recv),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_event_handle_arm_send(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comm_channel_ep_event_handle_arm_recv(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(EventsTest, AMessageAfterTheArmingIsAnEvent) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  const int event = service.recv_event();
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event));
  ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(event));
  EXPECT_EQ(service.take(), DOCA_SUCCESS);
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event));
}

TEST_F(EventsTest, AMessageBeforeTheArmingIsAnEvent) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  const int event = service.recv_event();
  ASSERT_EQ(client.send("one"), DOCA_SUCCESS);
  ASSERT_EQ(client.send("two"), DOCA_SUCCESS);
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(event));
  EXPECT_EQ(service.take(), DOCA_SUCCESS);
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(event)) << "the second is still there";
  EXPECT_EQ(service.take(), DOCA_SUCCESS);
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event));
}

TEST_F(EventsTest, AnEventIsNotTakenByOtherCalls) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  introduce(client, service);
  const int event = service.recv_event();
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
  ASSERT_EQ(update_of(service.from), DOCA_SUCCESS);
  ASSERT_EQ(service.send("x", service.from), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_update_service_state_info(service), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(event));
  EXPECT_EQ(service.next(), "hello");
}

TEST_F(EventsTest, AnUnarmedHandleIsSilent) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  const int recv = service.recv_event();
  const int send = service.send_event();
  ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
  EXPECT_EQ(service.next(), "hello");
  EXPECT_FALSE(is_readable(recv));
  EXPECT_FALSE(is_readable(send));
}

TEST_F(EventsTest, AClientThatWantsToBeAcceptedIsAReceiveEventOfTheService) {
  Endpoint service = listening();
  const int event = service.recv_event();
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event));
  Endpoint client = connecting();
  EXPECT_TRUE(is_readable(event));
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_EQ(update_of(client.peer), DOCA_SUCCESS);
  ASSERT_EQ(service.arm_recv(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event));
}

TEST_F(EventsTest, TheEndOfTheServiceIsAReceiveEventOfItsClient) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  const int event = client.recv_event();
  ASSERT_EQ(client.arm_recv(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event));
  service.destroy();
  EXPECT_TRUE(becomes_readable(event));
  EXPECT_TRUE(eventually([&] { return client.take() == DOCA_ERROR_CONNECTION_RESET; }));
  ASSERT_EQ(client.arm_recv(), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(event));
}

TEST_F(EventsTest, AMessageThatHasLeftIsASendEventOnce) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  const int event = client.send_event();
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event)) << "nothing was sent";
  ASSERT_EQ(client.send("one"), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(event)) << "sent after the arming";
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event)) << "told already";
  ASSERT_EQ(client.send("two"), DOCA_SUCCESS);
  ASSERT_EQ(client.send("three"), DOCA_SUCCESS);
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(event)) << "three was sent before the arming";
}

TEST_F(EventsTest, AMessageReceivedIsNoSendEvent) {
  Endpoint service = listening();
  Endpoint client = connected(service);
  introduce(client, service);
  const int send = client.send_event();
  const int recv = client.recv_event();
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);  // The introduction was told of by the first.
  ASSERT_EQ(client.arm_recv(), DOCA_SUCCESS);
  ASSERT_EQ(service.send("hello", service.from), DOCA_SUCCESS);
  EXPECT_TRUE(is_readable(recv));
  EXPECT_FALSE(is_readable(send));
}

TEST_F(EventsTest, ASenderIsWokenWhenItsPeerHasMadeRoom) {
  Endpoint service = idle_service();
  ASSERT_EQ(doca_comm_channel_ep_set_recv_queue_size(service, 16), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  Endpoint client = idle_client();
  ASSERT_EQ(doca_comm_channel_ep_set_send_queue_size(client, 16), DOCA_SUCCESS);
  ASSERT_EQ(client.connect("echo"), DOCA_SUCCESS);
  ASSERT_EQ(service.take(), DOCA_ERROR_AGAIN);
  ASSERT_TRUE(eventually([&] { return client.send("x") == DOCA_ERROR_AGAIN; }));
  const int event = client.send_event();
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(event));
  for (int n = 0; n < 16; ++n) ASSERT_EQ(service.next(), "x");
  EXPECT_TRUE(becomes_readable(event));
  EXPECT_EQ(client.send("y"), DOCA_SUCCESS);
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
}

TEST_F(EventsTest, ASenderIsWokenWhenItsPeerIsLost) {
  Endpoint service = idle_service();
  ASSERT_EQ(doca_comm_channel_ep_set_recv_queue_size(service, 16), DOCA_SUCCESS);
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  Endpoint client = connected(service);
  ASSERT_TRUE(eventually([&] { return client.send("x") == DOCA_ERROR_AGAIN; }));
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
  service.destroy();
  EXPECT_TRUE(becomes_readable(client.send_event()));
  EXPECT_TRUE(eventually([&] { return client.send("y") == DOCA_ERROR_CONNECTION_RESET; }));
}

TEST_F(EventsTest, ASenderIsWokenWhenItsConnectionIsComplete) {
  Endpoint service = listening();
  Endpoint client = connecting();
  ASSERT_EQ(client.send("x"), DOCA_ERROR_AGAIN);
  ASSERT_EQ(client.arm_send(), DOCA_SUCCESS);
  EXPECT_FALSE(is_readable(client.send_event()));
  EXPECT_EQ(service.take(), DOCA_ERROR_AGAIN);
  EXPECT_TRUE(becomes_readable(client.send_event()));
  EXPECT_EQ(client.send("x"), DOCA_SUCCESS);
}

// Two processes that sleep on their handles alone, with small queues so that both ways fill. A
// lost event would leave one of them asleep. The order of arming, sending and receiving is random.
class Sleeper {
 public:
  Sleeper(Endpoint& endpoint, doca_comm_channel_addr_t* to, unsigned seed)
      : endpoint_(endpoint), to_(to), random_(seed) {}

  // Sends and receives `count` messages, numbered; what went wrong, or nothing.
  std::string exchange(int count) {
    while (sent_ < count || received_ < count) {
      const bool first = (random_() & 1U) != 0;
      if (first) std::ignore = endpoint_.arm_recv();
      while (sent_ < count && to_ != nullptr) {
        const doca_error_t result = endpoint_.send(std::to_string(sent_), to_);
        if (result == DOCA_ERROR_AGAIN) break;
        if (result != DOCA_SUCCESS) return "send " + std::to_string(result);
        ++sent_;
      }
      for (auto burst = random_() % 20; burst > 0 && received_ < count; --burst) {
        const doca_error_t result = endpoint_.take();
        if (result == DOCA_ERROR_AGAIN) break;
        if (result != DOCA_SUCCESS) return "receive " + std::to_string(result);
        if (endpoint_.text != std::to_string(received_)) return "got " + endpoint_.text;
        to_ = endpoint_.from;
        ++received_;
      }
      if (std::string wrong = sleep(count, !first); !wrong.empty()) return wrong;
    }
    // Nobody wakes whoever has all he wants: what waits for room is his to bring out.
    return eventually([&] { return in_flight() == 0; }) ? "" : "messages are stuck";
  }

 private:
  std::uint64_t in_flight() const {
    std::uint64_t count = 0;
    std::ignore = update_of(to_);
    doca_comm_channel_peer_addr_get_send_in_flight_messages(to_, &count);
    return count;
  }

  std::string sleep(int count, bool arm) {
    if (sent_ == count && received_ == count) return {};
    if (arm) std::ignore = endpoint_.arm_recv();
    const bool sends = sent_ < count && to_ != nullptr;
    if (sends) std::ignore = endpoint_.arm_send();
    pollfd events[2] = {{endpoint_.recv_event(), POLLIN, 0}, {endpoint_.send_event(), POLLIN, 0}};
    if (::poll(events, sends ? 2 : 1, Deadline().left_ms()) == 0) {
      return "asleep for good: sent " + std::to_string(sent_) + " received " +
             std::to_string(received_);
    }
    return {};
  }

  Endpoint& endpoint_;
  doca_comm_channel_addr_t* to_;
  std::mt19937 random_;
  int sent_ = 0;
  int received_ = 0;
};

TEST_F(EventsTest, ProcessesThatSleepOnTheirHandlesLoseNoEvent) {
  constexpr int kMessages = 5000;
  const auto seed = static_cast<unsigned>(test::seed());
  std::cout << "seed " << seed << std::endl;
  const auto small = [](Endpoint endpoint) {
    doca_comm_channel_ep_set_recv_queue_size(endpoint, 16);
    doca_comm_channel_ep_set_send_queue_size(endpoint, 16);
    return endpoint;
  };
  Endpoint service = small(idle_service());
  ASSERT_EQ(doca_comm_channel_ep_listen(service, "echo"), DOCA_SUCCESS);
  Gate done;
  ChildProcess child = ChildProcess::run([&] {
    Endpoint client = small(idle_client());
    EXPECT_EQ(client.connect("echo"), DOCA_SUCCESS);
    EXPECT_EQ(Sleeper(client, client.peer, seed + 1).exchange(kMessages), "");
    EXPECT_TRUE(done.wait());
    return 0;
  });
  EXPECT_EQ(Sleeper(service, nullptr, seed).exchange(kMessages), "");
  done.open();
  EXPECT_EQ(child.wait(), Exit::with(0));
}

}  // namespace
}  // namespace comch::test
