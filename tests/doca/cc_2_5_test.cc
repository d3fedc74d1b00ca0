// A program of 2.5: its callbacks of messages and connections, its names, its logarithms.
#define DOCA_CC_API_2_5
#include "doca/cc_conversation.h"

namespace comch::test {
namespace {

using CcOf25Test = ControlTest;

TEST_F(CcOf25Test, TalksAndSends) { talk_and_send(pe); }

TEST_F(CcOf25Test, CountsTasksOfTheFastPathByTheirLogarithm) {
  OpenDevice device(kHostPci);
  std::uint32_t tasks = 0;
  std::uint32_t log = 0;
  ASSERT_EQ(doca_cc_consumer_cap_get_max_num_tasks(device.info(), &tasks), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_consumer_cap_get_max_log_num_tasks(device.info(), &log), DOCA_SUCCESS);
  EXPECT_LE(1U << log, tasks);
  EXPECT_GT(2U << log, tasks);
  ASSERT_EQ(doca_cc_producer_cap_get_max_num_tasks(device.info(), &tasks), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_producer_cap_get_max_log_num_tasks(device.info(), &log), DOCA_SUCCESS);
  EXPECT_LE(1U << log, tasks);
  EXPECT_GT(2U << log, tasks);
  for (auto* get :
       {doca_cc_consumer_cap_get_max_log_num_tasks, doca_cc_producer_cap_get_max_log_num_tasks}) {
    EXPECT_EQ(get(nullptr, &log), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(get(device.info(), nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(CcOf25Test, LogarithmsThatMeanTooManyAreRefused) {
  Conversation talk(pe);
  talk.begin();
  FastEnds ends(talk);
  const auto posted = [](doca_cc_consumer_post_recv_task*, doca_data, doca_data) {};
  const auto sent = [](doca_cc_producer_send_task*, doca_data, doca_data) {};
  for (const std::uint32_t log : {31U, 32U, 64U, ~0U}) {
    EXPECT_EQ(doca_cc_consumer_post_recv_task_set_conf(ends.consumer, posted, posted, log),
              DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_cc_producer_send_task_set_conf(ends.producer, sent, sent, log),
              DOCA_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(doca_cc_consumer_post_recv_task_set_conf(ends.consumer, posted, posted, 0),
            DOCA_SUCCESS)
      << "one task";
}

TEST_F(CcOf25Test, RefusesNullAndActiveContexts) {
  Conversation talk(pe);
  const auto message = [](doca_cc_event_msg_recv*, std::uint8_t*, std::size_t,
                          doca_cc_connection*) {};
  const auto changed = [](doca_cc_event_connection_status_changed*, doca_cc_connection*, bool) {};
  const auto sent = [](doca_cc_send_task*, doca_data, doca_data) {};
  EXPECT_EQ(doca_cc_server_event_msg_recv_register(nullptr, message), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_msg_recv_register(talk.server, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_event_msg_recv_register(nullptr, message), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_connection_register(talk.server, changed, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_send_task_set_conf(talk.server, sent, nullptr, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_send_task_set_conf(talk.client, nullptr, sent, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_send_task_as_task(nullptr), nullptr);
  EXPECT_EQ(doca_cc_consumer_post_recv_task_as_task(nullptr), nullptr);
  EXPECT_EQ(doca_cc_producer_send_task_as_task(nullptr), nullptr);
  talk.begin();
  EXPECT_EQ(doca_cc_server_event_msg_recv_register(talk.server, message), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_client_event_msg_recv_register(talk.client, message), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_server_event_connection_register(talk.server, changed, changed),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_server_send_task_set_conf(talk.server, sent, sent, 1), DOCA_ERROR_BAD_STATE);
}

TEST_F(CcOf25Test, TellsWhoMaySend) {
  OpenDevice device(kDpuPci);
  EXPECT_EQ(doca_cc_cap_is_consumer_supported(device.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_cap_is_producer_supported(device.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_cap_is_consumer_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_cap_is_producer_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace comch::test
