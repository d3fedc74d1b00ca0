// doca_comch_msgq: settings, life, and which of its ends runs where.
#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct DocaMsgqTest : DpaTest {
  DocaMsgqTest() {
    EXPECT_EQ(doca_comch_msgq_create(device, &msgq), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_create(&pe), DOCA_SUCCESS);
  }
  ~DocaMsgqTest() override {
    EXPECT_EQ(doca_pe_destroy(pe), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_msgq_stop(msgq), started ? DOCA_SUCCESS : DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_comch_msgq_destroy(msgq), DOCA_SUCCESS);
  }
  void start(doca_error_t (*which)(doca_comch_msgq*, doca_dpa*)) {
    ASSERT_EQ(which(msgq, dpa), DOCA_SUCCESS);
    ASSERT_EQ(doca_comch_msgq_start(msgq), DOCA_SUCCESS);
    started = true;
  }
  doca_comch_msgq* msgq = nullptr;
  doca_pe* pe = nullptr;
  bool started = false;
};

TEST_F(DocaMsgqTest, NeedsAnEndOnAnAccelerator) {
  EXPECT_EQ(doca_comch_msgq_start(msgq), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_msgq_stop(msgq), DOCA_ERROR_BAD_STATE);
  start(doca_comch_msgq_set_dpa_consumer);
  EXPECT_EQ(doca_comch_msgq_start(msgq), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_msgq_destroy(msgq), DOCA_ERROR_IN_USE);
}

TEST_F(DocaMsgqTest, NeedsItsPointers) {
  doca_comch_msgq* other = nullptr;
  doca_comch_consumer* consumer = nullptr;
  doca_comch_producer* producer = nullptr;
  EXPECT_EQ(doca_comch_msgq_create(nullptr, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_create(device, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_set_dpa_consumer(nullptr, dpa), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_set_dpa_consumer(msgq, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_set_dpa_producer(nullptr, dpa), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_set_dpa_producer(msgq, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_consumer_create(nullptr, &consumer), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_consumer_create(msgq, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_producer_create(nullptr, &producer), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_producer_create(msgq, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_msgq_consumer_create(msgq, &consumer), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_msgq_producer_create(msgq, &producer), DOCA_ERROR_BAD_STATE);
}

TEST_F(DocaMsgqTest, HasAsManyEndsAsItMay) {
  for (const auto set :
       {doca_comch_msgq_set_max_num_consumers, doca_comch_msgq_set_max_num_producers}) {
    EXPECT_EQ(set(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(set(msgq, 0), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(set(msgq, 1025), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(set(msgq, 1024), DOCA_SUCCESS);
    EXPECT_EQ(set(msgq, 1), DOCA_SUCCESS);
  }
  start(doca_comch_msgq_set_dpa_consumer);
  EXPECT_EQ(doca_comch_msgq_set_max_num_consumers(msgq, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_msgq_set_max_num_producers(msgq, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_msgq_set_dpa_consumer(msgq, dpa), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_msgq_set_dpa_producer(msgq, dpa), DOCA_ERROR_BAD_STATE);
  doca_comch_consumer* consumers[2] = {};
  doca_comch_producer* producers[2] = {};
  EXPECT_EQ(doca_comch_msgq_consumer_create(msgq, &consumers[0]), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_msgq_consumer_create(msgq, &consumers[1]), DOCA_ERROR_FULL);
  EXPECT_EQ(doca_comch_msgq_producer_create(msgq, &producers[0]), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_msgq_producer_create(msgq, &producers[1]), DOCA_ERROR_FULL);
  EXPECT_EQ(doca_comch_msgq_stop(msgq), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_comch_consumer_destroy(consumers[0]), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_msgq_stop(msgq), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_comch_producer_destroy(producers[0]), DOCA_SUCCESS);
}

TEST_F(DocaMsgqTest, EndsOnTheAcceleratorSayThatTheyAre) {
  start(doca_comch_msgq_set_dpa_consumer);
  doca_comch_consumer* consumer = nullptr;
  ASSERT_EQ(doca_comch_msgq_consumer_create(msgq, &consumer), DOCA_SUCCESS);
  doca_ctx* const ctx = doca_comch_consumer_as_ctx(consumer);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
  doca_dpa* other = nullptr;
  ASSERT_EQ(doca_dpa_create(device, &other), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(ctx, other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_destroy(other), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(ctx, dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE) << "no receives, no completion context";

  const auto nothing = [](doca_comch_consumer_task_post_recv*, doca_data, doca_data) {};
  doca_comch_consumer_task_post_recv* task = nullptr;
  EXPECT_EQ(doca_comch_consumer_task_post_recv_set_conf(consumer, nothing, nothing, 1),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_alloc_init(consumer, nullptr, &task),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), DOCA_SUCCESS);

  ProducerParty producer(pe, msgq);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(producer.ctx(), dpa), DOCA_ERROR_NOT_SUPPORTED);
}

TEST_F(DocaMsgqTest, AConsumerOfTheAcceleratorRunsAtOnceAndHasTheIdOne) {
  start(doca_comch_msgq_set_dpa_consumer);
  doca_comch_consumer* consumer = nullptr;
  doca_comch_consumer_completion* completion = nullptr;
  ASSERT_EQ(doca_comch_msgq_consumer_create(msgq, &consumer), DOCA_SUCCESS);
  ASSERT_EQ(doca_comch_consumer_completion_create(&completion), DOCA_SUCCESS);
  ASSERT_EQ(doca_comch_consumer_completion_set_max_num_recv(completion, 4), DOCA_SUCCESS);
  ASSERT_EQ(doca_comch_consumer_completion_set_imm_data_len(completion, 24), DOCA_SUCCESS);
  ASSERT_EQ(doca_comch_consumer_completion_start(completion), DOCA_SUCCESS);
  doca_ctx* const ctx = doca_comch_consumer_as_ctx(consumer);
  ASSERT_EQ(doca_ctx_set_datapath_on_dpa(ctx, dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(consumer, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(consumer, 8193), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(consumer, 8192), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_set_completion(consumer, completion, 5), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer, 33), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_INVALID_VALUE) << "the completion takes 24 bytes";
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer, 24), DOCA_SUCCESS);
  static std::vector<doca_ctx_states> states;
  states.clear();
  ASSERT_EQ(doca_ctx_set_state_changed_cb(ctx, [](const doca_data, doca_ctx*, doca_ctx_states,
                                                  doca_ctx_states now) { states.push_back(now); }),
            DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_SUCCESS);
  EXPECT_EQ(state_of(ctx), DOCA_CTX_STATE_RUNNING);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE);
  uint32_t id = 0;
  doca_dpa_dev_comch_consumer_t handle = 0;
  EXPECT_EQ(doca_comch_consumer_get_id(consumer, &id), DOCA_SUCCESS);
  EXPECT_EQ(id, 1U);
  EXPECT_EQ(doca_comch_consumer_get_dpa_handle(consumer, &handle), DOCA_SUCCESS);
  EXPECT_NE(handle, 0U);
  EXPECT_EQ(doca_comch_consumer_set_dev_max_num_recv(consumer, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_set_completion(consumer, completion, 5), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_ctx_set_datapath_on_dpa(ctx, dpa), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_completion_stop(completion), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(completion), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_ctx_stop(ctx), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_stop(ctx), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(states, (std::vector{DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_IDLE}));
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(completion), DOCA_SUCCESS);
}

TEST_F(DocaMsgqTest, AProducerOfTheAcceleratorRunsAtOnce) {
  start(doca_comch_msgq_set_dpa_producer);
  doca_comch_producer* producer = nullptr;
  doca_dpa_completion* completion = nullptr;
  ASSERT_EQ(doca_comch_msgq_producer_create(msgq, &producer), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_completion_create(dpa, 4, &completion), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);
  doca_ctx* const ctx = doca_comch_producer_as_ctx(producer);
  ASSERT_EQ(doca_ctx_set_datapath_on_dpa(ctx, dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_ERROR_BAD_STATE) << "no sends, no completion context";
  EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(producer, 0), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(producer, 8193), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(producer, 8192), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_producer_dpa_completion_attach(nullptr, completion),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_producer_dpa_completion_attach(producer, completion), DOCA_SUCCESS);
  const auto nothing = [](doca_comch_producer_task_send*, doca_data, doca_data) {};
  doca_comch_producer_task_send* task = nullptr;
  EXPECT_EQ(doca_comch_producer_task_send_set_conf(producer, nothing, nothing, 1),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_comch_producer_task_send_alloc_init(producer, nullptr, nullptr, 0, 1, &task),
            DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_ctx_start(ctx), DOCA_SUCCESS);
  doca_dpa_dev_comch_producer_t handle = 0;
  EXPECT_EQ(doca_comch_producer_get_dpa_handle(producer, &handle), DOCA_SUCCESS);
  EXPECT_NE(handle, 0U);
  EXPECT_EQ(doca_comch_producer_set_dev_max_num_send(producer, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_producer_dpa_completion_attach(producer, completion), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_producer_destroy(producer), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_ctx_stop(ctx), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_producer_destroy(producer), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
}

TEST_F(DocaMsgqTest, EndsOnTheCpuRunAtOnceAndTakeNoBuffers) {
  start(doca_comch_msgq_set_dpa_producer);
  ConsumerParty consumer(pe, msgq);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer.consumer, 33), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_set_imm_data_len(consumer.consumer, 24), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_start(consumer.ctx()), DOCA_SUCCESS);
  EXPECT_EQ(consumer.id(), 1U);
  Memory memory(device);
  EXPECT_EQ(consumer.post(memory.room(0, 8)), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(consumer.post(nullptr), DOCA_SUCCESS);
  EXPECT_EQ(doca_ctx_stop(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(until(pe, [&] { return consumer.state() == DOCA_CTX_STATE_IDLE; }));
  EXPECT_EQ(consumer.failed, std::vector{DOCA_ERROR_SHUTDOWN});
}

}  // namespace
}  // namespace comch::test
