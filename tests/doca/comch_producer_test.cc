// doca_comch_producer.h, but for its tasks: creation, limits, settings, life.
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

void ignore_task(doca_comch_producer_task_send*, doca_data, doca_data) {}

using DocaProducerTest = FastTest;

TEST_F(DocaProducerTest, RunsAtOnce) {
  ProducerParty producer(pe, client_side());
  uint32_t id = 1;
  EXPECT_EQ(doca_comch_producer_get_id(producer.producer, &id), DOCA_SUCCESS);
  EXPECT_EQ(id, 0U);
  EXPECT_EQ(producer.start(), DOCA_SUCCESS);
  EXPECT_EQ(producer.states, std::vector{DOCA_CTX_STATE_RUNNING});
  EXPECT_EQ(doca_comch_producer_get_id(producer.producer, &id), DOCA_SUCCESS);
  EXPECT_NE(id, 0U);
}

TEST_F(DocaProducerTest, SendsFromItsStateCallbackInsideTheStart) {
  Memory memory(server.device);
  ConsumerParty consumer(pe, server_side(), memory);
  ASSERT_TRUE(run(consumer));
  ASSERT_EQ(consumer.post(memory.room(0, 8)), DOCA_SUCCESS);
  Memory source(client.device);
  ProducerParty producer(pe, client_side());
  doca_error_t sent = DOCA_ERROR_UNKNOWN;
  producer.then_running = [&] { sent = producer.send(consumer.id(), source.data("first")); };
  EXPECT_EQ(producer.start(), DOCA_SUCCESS);
  EXPECT_EQ(sent, DOCA_SUCCESS);
  ASSERT_TRUE(run_until([&] { return !consumer.received.empty() && !producer.completed.empty(); }));
  EXPECT_EQ(consumer.received[0].data, "first");
  EXPECT_EQ(producer.completed, std::vector{DOCA_SUCCESS});
}

TEST_F(DocaProducerTest, NeedsItsPointersAndAConnectionThatLasts) {
  doca_comch_producer* producer = nullptr;
  EXPECT_EQ(doca_comch_producer_create(nullptr, &producer), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_create(client_side(), nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_as_ctx(nullptr), nullptr);
  doca_comch_connection* const connection = client_side();
  const doca_error_t stopped = client.stop();
  EXPECT_TRUE(stopped == DOCA_SUCCESS || stopped == DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(client.run_until_idle());
  EXPECT_EQ(doca_comch_producer_create(connection, &producer), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaProducerTest, SaysItsLimits) {
  const doca_devinfo* const info = client.device.info();
  EXPECT_EQ(doca_comch_producer_cap_is_supported(info), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_producer_cap_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
  struct {
    doca_error_t (*ask)(const doca_devinfo*, uint32_t*);
    uint32_t limit;
  } const limits[] = {{doca_comch_producer_cap_get_max_num_tasks, 8192},
                      {doca_comch_producer_cap_get_max_buf_size, 0xffffffff},
                      {doca_comch_producer_cap_get_max_buf_list_len, 1},
                      {doca_comch_producer_cap_get_max_producers, 1024}};
  for (const auto& each : limits) {
    uint32_t value = 0;
    EXPECT_EQ(each.ask(info, &value), DOCA_SUCCESS);
    EXPECT_EQ(value, each.limit);
    EXPECT_EQ(each.ask(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(each.ask(info, nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(DocaProducerTest, ChecksTheConfigurationOfItsTasks) {
  doca_comch_producer* producer = nullptr;
  ASSERT_EQ(doca_comch_producer_create(client_side(), &producer), DOCA_SUCCESS);
  const auto configure = doca_comch_producer_task_send_set_conf;
  EXPECT_EQ(configure(nullptr, ignore_task, ignore_task, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(producer, nullptr, ignore_task, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(producer, ignore_task, nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(producer, ignore_task, ignore_task, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(configure(producer, ignore_task, ignore_task, 8193), DOCA_ERROR_INVALID_VALUE);
  doca_ctx* const ctx = doca_comch_producer_as_ctx(producer);
  ASSERT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE) << "set_conf is mandatory";
  EXPECT_EQ(configure(producer, ignore_task, ignore_task, 8192), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_SUCCESS);
  EXPECT_EQ(configure(producer, ignore_task, ignore_task, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_producer_destroy(producer), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_ctx_stop(ctx), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_producer_destroy(producer), DOCA_SUCCESS);
}

TEST_F(DocaProducerTest, NeedsAProgressEngineToStart) {
  doca_comch_producer* producer = nullptr;
  ASSERT_EQ(doca_comch_producer_create(client_side(), &producer), DOCA_SUCCESS);
  ASSERT_EQ(doca_comch_producer_task_send_set_conf(producer, ignore_task, ignore_task, 1),
            DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(doca_comch_producer_as_ctx(producer)), DOCA_ERROR_NOT_CONNECTED);
  EXPECT_EQ(doca_comch_producer_destroy(producer), DOCA_SUCCESS);
}

TEST_F(DocaProducerTest, KnowsNoAcceleratorWhenItIsOfAConnection) {
  ProducerParty producer(pe, client_side());
  uint32_t id = 0;
  doca_dpa_dev_comch_producer_t handle = 0;
  EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(producer.producer, 1),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comch_producer_get_dpa_handle(producer.producer, &handle), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_producer_get_dpa_handle(nullptr, &handle), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_get_dpa_handle(producer.producer, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_dpa_completion_attach(producer.producer, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_get_id(nullptr, &id), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_get_id(producer.producer, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaProducerTest, IsDestroyedAfterItsConnection) {
  ProducerParty producer(pe, client_side());
  ASSERT_EQ(producer.start(), DOCA_SUCCESS);
  ASSERT_TRUE(end_connection_of(producer));
  EXPECT_EQ(producer.states.back(), DOCA_CTX_STATE_IDLE);
}

TEST_F(DocaProducerTest, DoesNotStartAgainOnceItsConnectionIsOver) {
  ProducerParty producer(pe, client_side());
  ASSERT_EQ(producer.start(), DOCA_SUCCESS);
  ASSERT_TRUE(end_connection_of(producer));
  expect_no_start_of(producer);
}

}  // namespace
}  // namespace comch::test
