// doca_pe: its life, its ties to contexts, and the ways to wait for it.
#include <doca_pe.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>

#include "doca/any_number.h"
#include "doca/control_parties.h"
#include "support/child_process.h"

namespace comch::test {
namespace {

struct PeTest : ControlTest {
  doca_notification_handle_t handle() const {
    doca_notification_handle_t fd = doca_event_invalid_handle;
    EXPECT_EQ(doca_pe_get_notification_handle(pe, &fd), DOCA_SUCCESS);
    return fd;
  }
  // Whether the handle says within `timeout_ms` that there is something to do.
  bool notified(int timeout_ms) const {
    pollfd watch{.fd = handle(), .events = POLLIN, .revents = 0};
    return ::poll(&watch, 1, timeout_ms) == 1;
  }
};

TEST_F(PeTest, NullIsRefused) {
  const ServerParty server(pe);
  size_t number = 0;
  doca_notification_handle_t fd = 0;
  EXPECT_EQ(doca_pe_create(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_progress(nullptr), 0);
  EXPECT_EQ(doca_pe_get_notification_handle(nullptr, &fd), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_get_notification_handle(pe, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_set_notification_handle(nullptr, 0, {}), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_clear_notification(nullptr, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_request_notification(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_get_num_inflight_tasks(nullptr, &number), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_get_num_inflight_tasks(pe, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_connect_ctx(nullptr, server.ctx()), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_connect_ctx(pe, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_set_event_mode(nullptr, DOCA_PE_EVENT_MODE_PROGRESS_ALL),
            DOCA_ERROR_INVALID_VALUE);
}

TEST_F(PeTest, IsInUseWhileContextsAreConnected) {
  doca_pe* other = nullptr;
  ASSERT_EQ(doca_pe_create(&other), DOCA_SUCCESS);
  {
    const ServerParty server(other);
    EXPECT_EQ(doca_pe_destroy(other), DOCA_ERROR_IN_USE);
    const ClientParty client(other);
    EXPECT_EQ(doca_pe_destroy(other), DOCA_ERROR_IN_USE);
  }
  EXPECT_EQ(doca_pe_destroy(other), DOCA_SUCCESS);
}

TEST_F(PeTest, AContextIsTiedToOneEngineOnce) {
  doca_pe* other = nullptr;
  ASSERT_EQ(doca_pe_create(&other), DOCA_SUCCESS);
  ServerParty server(nullptr);
  EXPECT_EQ(doca_pe_connect_ctx(pe, server.ctx()), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_connect_ctx(pe, server.ctx()), DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_pe_connect_ctx(other, server.ctx()), DOCA_ERROR_NOT_PERMITTED);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_connect_ctx(other, server.ctx()), DOCA_ERROR_NOT_PERMITTED);
  ASSERT_EQ(server.stop(), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_destroy(other), DOCA_SUCCESS);
}

TEST_F(PeTest, WithoutDescriptorsThereIsNoEngine) {
  ChildProcess child = ChildProcess::run([] {
    const rlimit none{.rlim_cur = 0, .rlim_max = 0};
    if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
    doca_pe* engine = nullptr;
    EXPECT_EQ(doca_pe_create(&engine), DOCA_ERROR_OPERATING_SYSTEM);
    EXPECT_EQ(engine, nullptr);
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST_F(PeTest, ProgressSaysWhetherSomethingHappened) {
  ServerParty server(pe);
  ClientParty client(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  settle(pe);
  EXPECT_EQ(doca_pe_progress(pe), 0);
  ASSERT_EQ(client.send("something"), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_progress(pe), 1);
}

TEST_F(PeTest, ProgressFromACallbackDoesNothing) {
  ServerParty server(pe);
  ClientParty client(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  std::vector<uint8_t> answers;
  server.then_receive = [&](auto*) { answers.push_back(doca_pe_progress(pe)); };
  ASSERT_EQ(client.send("one"), DOCA_SUCCESS);
  ASSERT_EQ(client.send("two"), DOCA_SUCCESS);
  ASSERT_TRUE(server.run_until([&] { return answers.size() == 2; }));
  EXPECT_EQ(answers, (std::vector<uint8_t>{0, 0}));
}

TEST_F(PeTest, TheHandleIsReadableWhenThereIsSomethingToDoAndItWasAskedFor) {
  ServerParty server(pe);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  settle(pe);
  ASSERT_EQ(doca_pe_request_notification(pe), DOCA_SUCCESS);
  EXPECT_FALSE(notified(0));
  doca_pe* other = nullptr;
  ASSERT_EQ(doca_pe_create(&other), DOCA_SUCCESS);
  {
    ClientParty client(other);
    EXPECT_EQ(client.start(), DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(until(other, [&] { return notified(0); }));
    EXPECT_EQ(doca_pe_clear_notification(pe, handle()), DOCA_SUCCESS);
    ASSERT_TRUE(until(pe, [&] {
      doca_pe_progress(other);
      return client.state() == DOCA_CTX_STATE_RUNNING;
    }));
    settle(pe);
    ASSERT_EQ(client.send("now"), DOCA_SUCCESS);
    // Asked for after the message has come: it is not lost.
    ASSERT_EQ(doca_pe_request_notification(pe), DOCA_SUCCESS);
    EXPECT_TRUE(notified(Deadline().left_ms()));
    EXPECT_EQ(doca_pe_clear_notification(pe, handle()), DOCA_SUCCESS);
    ASSERT_TRUE(server.run_until([&] { return server.received.size() == 1; }));
    EXPECT_TRUE(server.run_until([&] {
      doca_pe_progress(other);
      return client.completions.size() == 1;
    }));
    EXPECT_EQ(client.stop(), DOCA_ERROR_IN_PROGRESS);
    EXPECT_TRUE(client.run_until_idle());
  }
  EXPECT_EQ(doca_pe_destroy(other), DOCA_SUCCESS);
}

TEST_F(PeTest, ProgressClearsTheNotificationItself) {
  ServerParty server(pe);
  ClientParty client(pe);
  ASSERT_EQ(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL), DOCA_SUCCESS);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  settle(pe);
  ASSERT_EQ(client.send("one"), DOCA_SUCCESS);
  ASSERT_EQ(doca_pe_request_notification(pe), DOCA_SUCCESS);
  EXPECT_TRUE(notified(Deadline().left_ms()));
  settle(pe);
  EXPECT_EQ(server.received.size(), 1u);
  EXPECT_FALSE(notified(0));
}

TEST_F(PeTest, OnlyItsOwnHandleIsClearedAndNoneIsSet) {
  EXPECT_EQ(doca_pe_clear_notification(pe, doca_event_invalid_handle), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_clear_notification(pe, handle() + 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_pe_clear_notification(pe, handle()), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_set_notification_handle(pe, handle(), {}), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(PeTest, ThereAreTwoEventModes) {
  EXPECT_EQ(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL), DOCA_SUCCESS);
  for (const std::uint32_t number : {2U, UINT32_MAX}) {
    EXPECT_EQ(set_event_mode_number(pe, number), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(PeTest, CountsTheTasksOfAllItsContexts) {
  ServerParty server(pe);
  ClientParty client(pe);
  size_t in_flight = 1;
  EXPECT_EQ(doca_pe_get_num_inflight_tasks(pe, &in_flight), DOCA_SUCCESS);
  EXPECT_EQ(in_flight, 0u);
  ASSERT_EQ(server.start(), DOCA_SUCCESS);
  ASSERT_TRUE(client.connect());
  ASSERT_TRUE(server.run_until([&] { return !server.connections.empty(); }));
  ASSERT_EQ(client.send("up"), DOCA_SUCCESS);
  ASSERT_EQ(server.send(server.connections.front(), "down"), DOCA_SUCCESS);
  EXPECT_EQ(doca_pe_get_num_inflight_tasks(pe, &in_flight), DOCA_SUCCESS);
  EXPECT_EQ(in_flight, 2u);
}

}  // namespace
}  // namespace comch::test
