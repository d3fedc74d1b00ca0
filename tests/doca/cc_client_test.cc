// doca_cc_client, function by function.
#include "doca/cc_conversation.h"

namespace comch::test {
namespace {

using CcClientTest = ControlTest;

void on_sent(doca_cc_task_send*, doca_data, doca_data) {}
void on_message(doca_cc_event_msg_recv*, std::uint8_t*, std::uint32_t, doca_cc_connection*) {}
void on_consumer(doca_cc_event_consumer*, doca_cc_connection*, std::uint32_t) {}

TEST_F(CcClientTest, IsMadeOnAHostDevice) {
  OpenDevice dpu(kDpuPci);
  OpenDevice host(kHostPci);
  doca_cc_client* client = nullptr;
  EXPECT_EQ(doca_cc_client_create(nullptr, "echo", &client), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_create(host, nullptr, &client), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_create(host, "echo", nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_create(host, std::string(300, 'n').c_str(), &client),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_create(dpu, "echo", &client), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(client, nullptr);
  ASSERT_EQ(doca_cc_client_create(host, "echo", &client), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_client_destroy(client), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_client_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcClientTest, HasItsNumbersAndDevice) {
  Conversation talk(pe);
  std::uint32_t value = 0;
  EXPECT_EQ(doca_cc_client_set_max_msg_size(talk.client, 100), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_client_get_max_msg_size(talk.client, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 100U);
  EXPECT_EQ(doca_cc_client_set_recv_queue_size(talk.client, 7), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_client_get_recv_queue_size(talk.client, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 7U);
  doca_dev* device = nullptr;
  EXPECT_EQ(doca_cc_client_get_device(talk.client, &device), DOCA_SUCCESS);
  EXPECT_EQ(device, static_cast<doca_dev*>(talk.host));
  for (const std::uint32_t wrong : {0U, ~0U}) {
    EXPECT_EQ(doca_cc_client_set_max_msg_size(talk.client, wrong), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_cc_client_set_recv_queue_size(talk.client, wrong), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(CcClientTest, RefusesNull) {
  Conversation talk(pe);
  std::uint32_t value = 0;
  doca_dev* device = nullptr;
  doca_cc_client* const client = talk.client;
  EXPECT_EQ(doca_cc_client_set_max_msg_size(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_get_max_msg_size(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_get_max_msg_size(client, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_set_recv_queue_size(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_get_recv_queue_size(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_get_recv_queue_size(client, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_get_device(nullptr, &device), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_get_device(client, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_as_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_cc_client_get_connection(nullptr, &talk.at_client), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_get_connection(client, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_task_send_set_conf(nullptr, on_sent, on_sent, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_task_send_set_conf(client, nullptr, on_sent, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_task_send_set_conf(client, on_sent, nullptr, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_event_msg_recv_register(nullptr, on_message), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_event_msg_recv_register(client, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_event_consumer_register(nullptr, on_consumer, on_consumer),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_event_consumer_register(client, on_consumer, nullptr),
            DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcClientTest, HasAConnectionWhileItRuns) {
  Conversation talk(pe);
  doca_cc_connection* connection = nullptr;
  EXPECT_EQ(doca_cc_client_get_connection(talk.client, &connection), DOCA_ERROR_BAD_STATE);
  talk.begin();
  EXPECT_EQ(doca_cc_client_get_connection(talk.client, &connection), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_client_destroy(talk.client), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_cc_client_set_max_msg_size(talk.client, 100), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_client_set_recv_queue_size(talk.client, 7), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_client_task_send_set_conf(talk.client, on_sent, on_sent, 1),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_client_event_msg_recv_register(talk.client, on_message), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_client_event_consumer_register(talk.client, on_consumer, on_consumer),
            DOCA_ERROR_BAD_STATE);
}

TEST_F(CcClientTest, SendsToItsConnectionOnly) {
  Conversation talk(pe);
  talk.begin();
  doca_cc_task_send* task = nullptr;
  EXPECT_EQ(doca_cc_client_task_send_alloc_init(nullptr, talk.at_client, "x", 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_task_send_alloc_init(talk.client, nullptr, "x", 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_task_send_alloc_init(talk.client, talk.at_client, nullptr, 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_task_send_alloc_init(talk.client, talk.at_client, "x", 1, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_client_task_send_alloc_init(talk.client, talk.at_server, "x", 1, &task),
            DOCA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace comch::test
