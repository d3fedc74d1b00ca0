// doca_comch_consumer.h, but for its tasks and completion contexts: creation, limits, settings,
// life.
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

void ignore_task(doca_comch_consumer_task_post_recv*, doca_data, doca_data) {}

struct DocaConsumerTest : FastTest {
  Memory memory{server.device};
};

TEST_F(DocaConsumerTest, StartsInProgressAndRunsThroughProgressAlone) {
  ConsumerParty consumer(pe, server_side(), memory);
  EXPECT_EQ(consumer.id(), 0U);
  ASSERT_TRUE(run(consumer));
  EXPECT_EQ(consumer.states, (std::vector{DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING}));
  EXPECT_NE(consumer.id(), 0U);
  EXPECT_NE(consumer.id(), 0xffffU);
  EXPECT_EQ(client.consumers, std::vector{consumer.id()});
}

TEST_F(DocaConsumerTest, StopsAndStartsAgainUnderAnotherId) {
  ConsumerParty consumer(pe, client_side(), memory);
  ASSERT_TRUE(run(consumer));
  const std::uint32_t first = consumer.id();
  const doca_error_t stopped = doca_ctx_stop(consumer.ctx());
  EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(run_until(
      [&] { return consumer.state() == DOCA_CTX_STATE_IDLE && server.consumers.empty(); }));
  EXPECT_EQ(consumer.id(), 0U);
  ASSERT_TRUE(run(consumer));
  EXPECT_NE(consumer.id(), first);
}

TEST_F(DocaConsumerTest, NeedsItsPointersToBeCreated) {
  doca_comch_consumer* consumer = nullptr;
  EXPECT_EQ(doca_comch_consumer_create(nullptr, memory.map(), &consumer), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_create(server_side(), nullptr, &consumer),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_create(server_side(), memory.map(), nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_as_ctx(nullptr), nullptr);
}

TEST_F(DocaConsumerTest, NeedsMemoryThatTheOtherSideMayWrite) {
  const Memory local(server.device, 64, DOCA_ACCESS_FLAG_LOCAL_READ_WRITE);
  const Memory stopped(server.device, 64, DOCA_ACCESS_FLAG_PCI_READ_WRITE, false);
  doca_comch_consumer* consumer = nullptr;
  EXPECT_EQ(doca_comch_consumer_create(server_side(), local.map(), &consumer),
            DOCA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(doca_comch_consumer_create(server_side(), stopped.map(), &consumer),
            DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaConsumerTest, NeedsAConnectionThatLasts) {
  doca_comch_connection* const connection = client_side();
  const doca_error_t stopped = client.stop();
  EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client.run_until_idle());
  doca_comch_consumer* consumer = nullptr;
  EXPECT_EQ(doca_comch_consumer_create(connection, memory.map(), &consumer), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaConsumerTest, SaysItsLimits) {
  const doca_devinfo* const info = server.device.info();
  EXPECT_EQ(doca_comch_consumer_cap_is_supported(info), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_cap_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
  struct {
    doca_error_t (*ask)(const doca_devinfo*, uint32_t*);
    uint32_t limit;
  } const limits[] = {{doca_comch_consumer_cap_get_max_num_tasks, 8192},
                      {doca_comch_consumer_cap_get_max_buf_size, 0xffffffff},
                      {doca_comch_consumer_cap_get_max_buf_list_len, 1},
                      {doca_comch_consumer_cap_get_max_consumers, 1024},
                      {doca_comch_consumer_cap_get_max_imm_data_len, 256}};
  for (const auto& each : limits) {
    uint32_t value = 0;
    EXPECT_EQ(each.ask(info, &value), DOCA_SUCCESS);
    EXPECT_EQ(value, each.limit);
    EXPECT_EQ(each.ask(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(each.ask(info, nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(DocaConsumerTest, TakesImmediateDataUpToItsLimit) {
  ConsumerParty consumer(pe, server_side(), memory);
  uint32_t length = 0;
  EXPECT_EQ(doca_comch_consumer_get_imm_data_len(consumer.consumer, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 32U);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer.consumer, 0), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer.consumer, 257), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer.consumer, 256), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_get_imm_data_len(consumer.consumer, &length), DOCA_SUCCESS);
  EXPECT_EQ(length, 256U);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_get_imm_data_len(nullptr, &length), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_get_imm_data_len(consumer.consumer, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_get_id(nullptr, &length), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_get_id(consumer.consumer, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaConsumerTest, ChecksTheConfigurationOfItsTasks) {
  doca_comch_consumer* consumer = nullptr;
  ASSERT_EQ(doca_comch_consumer_create(server_side(), memory.map(), &consumer), DOCA_SUCCESS);
  const auto configure = doca_comch_consumer_task_post_recv_set_conf;
  EXPECT_EQ(configure(nullptr, ignore_task, ignore_task, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(consumer, nullptr, ignore_task, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(consumer, ignore_task, nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(consumer, ignore_task, ignore_task, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(consumer, ignore_task, ignore_task, 8193), DOCA_ERROR_INVALID_VALUE);
  doca_ctx* const ctx = doca_comch_consumer_as_ctx(consumer);
  ASSERT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE) << "set_conf is mandatory";
  EXPECT_EQ(configure(consumer, ignore_task, ignore_task, 8192), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
  doca_ctx_stop(ctx);
  ASSERT_TRUE(run_until([&] { return state_of(ctx) == DOCA_CTX_STATE_IDLE; }));
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), DOCA_SUCCESS);
}

TEST_F(DocaConsumerTest, IsNeitherConfiguredNorDestroyedWhileItRuns) {
  ConsumerParty consumer(pe, server_side(), memory);
  ASSERT_TRUE(run(consumer));
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer.consumer, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(
      doca_comch_consumer_task_post_recv_set_conf(consumer.consumer, ignore_task, ignore_task, 1),
      DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_destroy(consumer.consumer), DOCA_ERROR_IN_USE);
  EXPECT_EQ(consumer.state(), DOCA_CTX_STATE_RUNNING);
}

TEST_F(DocaConsumerTest, NeedsAProgressEngineToStart) {
  doca_comch_consumer* consumer = nullptr;
  ASSERT_EQ(doca_comch_consumer_create(server_side(), memory.map(), &consumer), DOCA_SUCCESS);
  ASSERT_EQ(doca_comch_consumer_task_post_recv_set_conf(consumer, ignore_task, ignore_task, 1),
            DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(doca_comch_consumer_as_ctx(consumer)), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), DOCA_SUCCESS);
}

TEST_F(DocaConsumerTest, KnowsNoAcceleratorWhenItIsOfAConnection) {
  ConsumerParty consumer(pe, server_side(), memory);
  doca_comch_consumer_completion* completion = nullptr;
  ASSERT_EQ(doca_comch_consumer_completion_create(&completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(consumer.consumer, 1),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comch_consumer_set_completion(consumer.consumer, completion, 0),
            DOCA_ERROR_NOT_SUPPORTED);
  doca_dpa_dev_comch_consumer_t handle = 0;
  EXPECT_EQ(doca_comch_consumer_get_dpa_handle(consumer.consumer, &handle), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_get_dpa_handle(nullptr, &handle), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_get_dpa_handle(consumer.consumer, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_set_completion(nullptr, completion, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_set_completion(consumer.consumer, nullptr, 0),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(completion), DOCA_SUCCESS);
}

// As programs do that clean up after the other side went: everything ends, in any order.
TEST_F(DocaConsumerTest, IsDestroyedAfterItsConnection) {
  ConsumerParty consumer(pe, client_side(), memory);
  ASSERT_TRUE(run(consumer));
  ASSERT_EQ(consumer.post(memory.room(0, 64)), DOCA_SUCCESS);
  ASSERT_TRUE(end_connection_of(consumer));
  EXPECT_EQ(consumer.failed, std::vector{DOCA_ERROR_CONNECTION_RESET});
  EXPECT_EQ(consumer.states.back(), DOCA_CTX_STATE_IDLE);
}

TEST_F(DocaConsumerTest, DoesNotStartAgainOnceItsConnectionIsOver) {
  ConsumerParty consumer(pe, client_side(), memory);
  ASSERT_TRUE(run(consumer));
  ASSERT_TRUE(end_connection_of(consumer));
  expect_no_start_of(consumer);
}

}  // namespace
}  // namespace comch::test
