// doca_cc, besides servers and clients: limits, connections, tasks, whole conversations.
#include <doca_comch.h>

#include "doca/cc_callbacks.h"
#include "doca/cc_conversation.h"
#include "doca/cc_limits.h"

namespace comch::test {
namespace {

using CcTest = ControlTest;

TEST_F(CcTest, TalksAndSends) { talk_and_send(pe); }

TEST_F(CcTest, CallbacksOf25AreKnownByTheirTypesInCAndInCpp) {
  static std::size_t heard;
  heard = 0;
  Conversation talk(pe);
  const auto on_message = [](doca_cc_event_msg_recv*, std::uint8_t*, std::size_t length,
                             doca_cc_connection*) { heard = length; };
  const auto on_change = [](doca_cc_event_connection_status_changed*, doca_cc_connection*, bool) {};
  ASSERT_EQ(doca_cc_client_event_msg_recv_register(talk.client, on_message), DOCA_SUCCESS);
  ASSERT_EQ(register_message_of_2_5(talk.server), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_server_event_connection_register(nullptr, on_change, on_change),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(register_connections_of_2_5(nullptr), DOCA_ERROR_INVALID_VALUE);
  talk.begin();
  talk.say_from_client("three, four");
  ASSERT_TRUE(until(pe, [] { return last_message_of_2_5() == 11; }));
  talk.say_from_server("one");
  ASSERT_TRUE(until(pe, [] { return heard == 3; }));
}

TEST_F(CcTest, HasTheLimitsOfItsSuccessor) {
  constexpr std::pair<Limit, Limit> kLimits[] = {
      {doca_cc_cap_get_max_name_len, doca_comch_cap_get_max_name_len},
      {doca_cc_cap_get_max_msg_size, doca_comch_cap_get_max_msg_size},
      {doca_cc_cap_get_max_recv_queue_size, doca_comch_cap_get_max_recv_queue_size},
      {doca_cc_cap_get_max_clients, doca_comch_cap_get_max_clients},
      {doca_cc_cap_get_max_send_tasks, doca_comch_cap_get_max_send_tasks}};
  expect_same_limits(kLimits);
}

TEST_F(CcTest, EachSideHasItsRole) {
  OpenDevice dpu(kDpuPci);
  OpenDevice host(kHostPci);
  EXPECT_EQ(doca_cc_cap_server_is_supported(dpu.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_cap_server_is_supported(host.info()), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_cc_cap_client_is_supported(host.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_cap_client_is_supported(dpu.info()), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_cc_cap_server_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_cap_client_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcTest, AConnectionKnowsItsContextAndAWordOfTheProgramsOwn) {
  Conversation talk(pe);
  talk.begin();
  EXPECT_EQ(doca_cc_server_get_server_ctx(talk.at_server), talk.server);
  EXPECT_EQ(doca_cc_client_get_client_ctx(talk.at_server), nullptr);
  EXPECT_EQ(doca_cc_client_get_client_ctx(talk.at_client), talk.client);
  EXPECT_EQ(doca_cc_server_get_server_ctx(talk.at_client), nullptr);
  EXPECT_EQ(doca_cc_connection_set_user_data(talk.at_server, {.u64 = 77}), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_connection_get_user_data(talk.at_server).u64, 77U);
  EXPECT_EQ(doca_cc_connection_set_user_data(nullptr, {.u64 = 77}), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_connection_get_user_data(nullptr).u64, 0U);
  EXPECT_EQ(doca_cc_server_get_server_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_cc_client_get_client_ctx(nullptr), nullptr);
}

TEST_F(CcTest, CountsMessages) {
  Conversation talk(pe);
  talk.begin();
  talk.say_from_client("hello");
  ASSERT_TRUE(until(pe, [&] { return talk.server_heard.size() == 1; }));
  ASSERT_EQ(doca_cc_connection_update_info(talk.at_client), DOCA_SUCCESS);
  std::uint64_t count = 0;
  EXPECT_EQ(doca_cc_connection_get_counter(talk.at_client, DOCA_CC_COUNTER_SENT_MESSAGES, &count),
            DOCA_SUCCESS);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(doca_cc_connection_get_counter(talk.at_client, DOCA_CC_COUNTER_SENT_BYTES, &count),
            DOCA_SUCCESS);
  EXPECT_EQ(count, 5U);
  ASSERT_EQ(doca_cc_connection_update_info(talk.at_server), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_connection_get_counter(talk.at_server, DOCA_CC_COUNTER_RECV_MESSAGES, &count),
            DOCA_SUCCESS);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(doca_cc_connection_get_counter(talk.at_server, DOCA_CC_COUNTER_RECV_BYTES, &count),
            DOCA_SUCCESS);
  EXPECT_EQ(count, 5U);
  EXPECT_EQ(doca_cc_connection_update_info(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_connection_get_counter(nullptr, DOCA_CC_COUNTER_RECV_BYTES, &count),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_connection_get_counter(talk.at_server, DOCA_CC_COUNTER_RECV_BYTES, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what a wrong program passes.
  const auto none = static_cast<doca_cc_counter>(5);
  EXPECT_EQ(doca_cc_connection_get_counter(talk.at_server, none, &count), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcTest, NoTaskIsNone) { EXPECT_EQ(doca_cc_task_send_as_task(nullptr), nullptr); }

}  // namespace
}  // namespace comch::test
