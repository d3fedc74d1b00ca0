// doca_cc_server, function by function.
#include "doca/cc_conversation.h"

namespace comch::test {
namespace {

using CcServerTest = ControlTest;

void on_sent(doca_cc_task_send*, doca_data, doca_data) {}
void on_message(doca_cc_event_msg_recv*, std::uint8_t*, std::uint32_t, doca_cc_connection*) {}
void on_change(doca_cc_event_connection_status_changed*, doca_cc_connection*, std::uint8_t) {}
void on_consumer(doca_cc_event_consumer*, doca_cc_connection*, std::uint32_t) {}

TEST_F(CcServerTest, IsMadeOnADpuDeviceAndARepresentor) {
  OpenDevice dpu(kDpuPci);
  OpenDevice host(kHostPci);
  OpenRepresentor function(dpu, kHostPci);
  doca_cc_server* server = nullptr;
  EXPECT_EQ(doca_cc_server_create(nullptr, function, "echo", &server), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_create(dpu, nullptr, "echo", &server), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_create(dpu, function, nullptr, &server), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_create(dpu, function, "echo", nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_create(dpu, function, std::string(120, 'n').c_str(), &server),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_create(host, function, "echo", &server), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(server, nullptr);
  ASSERT_EQ(doca_cc_server_create(dpu, function, "echo", &server), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_server_destroy(server), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_server_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcServerTest, HasItsNumbersAndDevices) {
  Conversation talk(pe);
  std::uint32_t value = 0;
  EXPECT_EQ(doca_cc_server_set_max_msg_size(talk.server, 100), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_server_get_max_msg_size(talk.server, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 100U);
  EXPECT_EQ(doca_cc_server_set_recv_queue_size(talk.server, 7), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_server_get_recv_queue_size(talk.server, &value), DOCA_SUCCESS);
  EXPECT_EQ(value, 7U);
  doca_dev* device = nullptr;
  doca_dev_rep* representor = nullptr;
  EXPECT_EQ(doca_cc_server_get_device(talk.server, &device), DOCA_SUCCESS);
  EXPECT_EQ(device, static_cast<doca_dev*>(talk.dpu));
  EXPECT_EQ(doca_cc_server_get_device_repr(talk.server, &representor), DOCA_SUCCESS);
  EXPECT_EQ(representor, static_cast<doca_dev_rep*>(talk.function));
  for (const std::uint32_t wrong : {0U, ~0U}) {
    EXPECT_EQ(doca_cc_server_set_max_msg_size(talk.server, wrong), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_cc_server_set_recv_queue_size(talk.server, wrong), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(CcServerTest, RefusesNull) {
  Conversation talk(pe);
  std::uint32_t value = 0;
  doca_dev* device = nullptr;
  doca_dev_rep* representor = nullptr;
  doca_cc_server* const server = talk.server;
  EXPECT_EQ(doca_cc_server_set_max_msg_size(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_max_msg_size(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_max_msg_size(server, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_set_recv_queue_size(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_recv_queue_size(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_recv_queue_size(server, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_device(nullptr, &device), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_device(server, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_device_repr(nullptr, &representor), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_get_device_repr(server, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_as_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_cc_server_task_send_set_conf(nullptr, on_sent, on_sent, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_task_send_set_conf(server, nullptr, on_sent, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_task_send_set_conf(server, on_sent, nullptr, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_task_send_set_conf(server, on_sent, on_sent, 0),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_msg_recv_register(nullptr, on_message), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_msg_recv_register(server, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_connection_register(nullptr, on_change, on_change),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_connection_register(server, nullptr, on_change),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_connection_register(server, on_change, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_consumer_register(nullptr, on_consumer, on_consumer),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_consumer_register(server, nullptr, on_consumer),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_event_consumer_register(server, on_consumer, nullptr),
            DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcServerTest, IsConfiguredWhileIdleOnlyAndDestroyedWhileIdleOnly) {
  Conversation talk(pe);
  talk.begin();
  EXPECT_EQ(doca_cc_server_destroy(talk.server), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_cc_server_set_max_msg_size(talk.server, 100), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_server_set_recv_queue_size(talk.server, 7), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_server_task_send_set_conf(talk.server, on_sent, on_sent, 1),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_server_event_msg_recv_register(talk.server, on_message), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_server_event_connection_register(talk.server, on_change, on_change),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_cc_server_event_consumer_register(talk.server, on_consumer, on_consumer),
            DOCA_ERROR_BAD_STATE);
}

TEST_F(CcServerTest, SendsToItsConnectionsOnlyAndNoMoreThanItsTasks) {
  Conversation talk(pe);
  talk.begin();
  doca_cc_task_send* task = nullptr;
  const std::string message(4081, 'm');
  EXPECT_EQ(doca_cc_server_task_send_alloc_init(nullptr, talk.at_server, "x", 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_task_send_alloc_init(talk.server, nullptr, "x", 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_task_send_alloc_init(talk.server, talk.at_server, nullptr, 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_task_send_alloc_init(talk.server, talk.at_server, "x", 1, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_server_task_send_alloc_init(talk.server, talk.at_client, "x", 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      doca_cc_server_task_send_alloc_init(talk.server, talk.at_server, message.data(), 4081, &task),
      DOCA_ERROR_INVALID_VALUE)
      << "one byte over";
  std::vector<doca_cc_task_send*> tasks(8);
  for (doca_cc_task_send*& each : tasks) {
    ASSERT_EQ(doca_cc_server_task_send_alloc_init(talk.server, talk.at_server, "x", 1, &each),
              DOCA_SUCCESS);
  }
  EXPECT_EQ(doca_cc_server_task_send_alloc_init(talk.server, talk.at_server, "x", 1, &task),
            DOCA_ERROR_NO_MEMORY);
  for (doca_cc_task_send* each : tasks) doca_task_free(doca_cc_task_send_as_task(each));
}

}  // namespace
}  // namespace comch::test
