// doca_comch_producer_task_send: what is sent, and what a submission answers when it cannot be.
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct DocaSendTaskTest : FastTest {
  DocaSendTaskTest() {
    EXPECT_TRUE(run(consumer));
    EXPECT_EQ(producer.start(), DOCA_SUCCESS);
  }
  doca_comch_producer_task_send* allocate(const doca_buf* buffer) {
    doca_comch_producer_task_send* task = nullptr;
    EXPECT_EQ(doca_comch_producer_task_send_alloc_init(producer.producer, buffer, nullptr, 0,
                                                       consumer.id(), &task),
              DOCA_SUCCESS);
    return task;
  }

  Memory memory{server.device, 1 << 20};
  Memory source{client.device, 1 << 12, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY};
  ConsumerParty consumer{pe, server_side(), memory, 1024};
  ProducerParty producer{pe, client_side(), 1024};
};

TEST_F(DocaSendTaskTest, IsToldToTryAgainWhileNothingIsPosted) {
  const doca_buf* const message = source.data("x");
  EXPECT_EQ(producer.send(consumer.id(), message), DOCA_ERROR_AGAIN);
  EXPECT_EQ(producer.send(consumer.id(), nullptr, "x"), DOCA_ERROR_AGAIN);
  ASSERT_EQ(consumer.post(memory.room(0, 8)), DOCA_SUCCESS);
  EXPECT_EQ(producer.send(consumer.id(), message), DOCA_SUCCESS);
  EXPECT_EQ(producer.send(consumer.id(), message), DOCA_ERROR_AGAIN);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
}

TEST_F(DocaSendTaskTest, IsRefusedForAConsumerThatIsNotThere) {
  for (const uint32_t nobody : {0U, 0xffffU, consumer.id() + 1}) {
    EXPECT_EQ(producer.send(nobody, nullptr, "x"), DOCA_ERROR_INVALID_VALUE) << nobody;
  }
}

TEST_F(DocaSendTaskTest, IsRefusedWhenItDoesNotFit) {
  ASSERT_EQ(consumer.post(memory.room(0, 4)), DOCA_SUCCESS);
  EXPECT_EQ(producer.send(consumer.id(), source.data("12345")), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(producer.send(consumer.id(), nullptr, std::string(33, 'i')), DOCA_ERROR_INVALID_VALUE);
  // What was posted still is.
  EXPECT_EQ(producer.send(consumer.id(), source.data("1234"), std::string(32, 'i')), DOCA_SUCCESS);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
  EXPECT_EQ(consumer.received[0].data, "1234");
  EXPECT_EQ(consumer.received[0].immediate, std::string(32, 'i'));
}

// Whether it does wait is the carrier's; gathering_test.cc has that.
TEST_F(DocaSendTaskTest, KeepsItsPlaceWhetherItMayWaitForAFlushOrNot) {
  for (std::size_t n = 0; n < 64; ++n) {
    ASSERT_EQ(consumer.post(memory.room(n * 64, 64)), DOCA_SUCCESS);
  }
  std::size_t written = 0;
  const auto submit = [&](std::string_view text, uint32_t flags) {
    const doca_buf* const message = source.data(text, written++);
    doca_task* const task = doca_comch_producer_task_send_as_task(allocate(message));
    ASSERT_EQ(doca_task_submit_ex(task, flags), DOCA_SUCCESS);
    EXPECT_EQ(doca_task_get_status(task), DOCA_ERROR_IN_PROGRESS);
  };
  submit("0", DOCA_TASK_SUBMIT_FLAG_NONE);
  ASSERT_TRUE(run_until([&] { return producer.completed.size() == 1; }));
  submit("1", DOCA_TASK_SUBMIT_FLAG_NONE);
  submit("2", DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS);
  doca_ctx_flush_tasks(producer.ctx());
  submit("3", DOCA_TASK_SUBMIT_FLAG_NONE);
  submit("4", DOCA_TASK_SUBMIT_FLAG_FLUSH);
  submit("5", DOCA_TASK_SUBMIT_FLAG_NONE);
  ASSERT_EQ(producer.send(consumer.id(), source.data("6", written++)), DOCA_SUCCESS);
  submit("7", DOCA_TASK_SUBMIT_FLAG_NONE);  // progress() flushes.
  ASSERT_TRUE(
      run_until([&] { return consumer.received.size() == 8 && producer.completed.size() == 8; }));
  for (std::size_t n = 0; n < 8; ++n) EXPECT_EQ(consumer.received[n].data, std::to_string(n));
}

TEST_F(DocaSendTaskTest, MayNameTheSameBufferManyTimesAtOnce) {
  constexpr std::size_t kMessages = 1024;
  // As programs do: the map is opened on a handle of its own, of the same PCI address.
  const OpenDevice second(kHostPci);
  Memory text(second, 64, DOCA_ACCESS_FLAG_PCI_READ_ONLY);
  const doca_buf* const message = text.data("the same for all of them");
  for (std::size_t n = 0; n < kMessages; ++n) {
    ASSERT_EQ(consumer.post(memory.room(n * 64, 64)), DOCA_SUCCESS);
  }
  for (std::size_t n = 0; n < kMessages; ++n) {
    ASSERT_EQ(producer.send(consumer.id(), message), DOCA_SUCCESS) << n;
  }
  std::size_t in_flight = 0;
  ASSERT_EQ(doca_ctx_get_num_inflight_tasks(producer.ctx(), &in_flight), DOCA_SUCCESS);
  EXPECT_EQ(in_flight, kMessages);
  ASSERT_TRUE(run_until([&] {
    return consumer.received.size() == kMessages && producer.completed.size() == kMessages;
  }));
  for (const Received& each : consumer.received) EXPECT_EQ(each.data, text_of(message));
}

TEST_F(DocaSendTaskTest, ThereAreAsManyAsWereConfigured) {
  ProducerParty small(pe, client_side(), 1);
  ASSERT_EQ(small.start(), DOCA_SUCCESS);
  const auto make = [&](doca_comch_producer_task_send** task) {
    return doca_comch_producer_task_send_alloc_init(small.producer, nullptr, nullptr, 0, 1, task);
  };
  doca_comch_producer_task_send* first = nullptr;
  doca_comch_producer_task_send* second = nullptr;
  EXPECT_EQ(make(&first), DOCA_SUCCESS);
  EXPECT_EQ(make(&second), DOCA_ERROR_NO_MEMORY);
  doca_task_free(doca_comch_producer_task_send_as_task(first));
  EXPECT_EQ(make(&second), DOCA_SUCCESS);
  doca_task_free(doca_comch_producer_task_send_as_task(second));
}

TEST_F(DocaSendTaskTest, ChecksWhatItIsMadeOf) {
  doca_comch_producer_task_send* task = nullptr;
  const auto make = doca_comch_producer_task_send_alloc_init;
  uint8_t bytes[257] = {};
  EXPECT_EQ(make(nullptr, nullptr, nullptr, 0, 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(make(producer.producer, nullptr, nullptr, 0, 1, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(make(producer.producer, nullptr, nullptr, 1, 1, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(make(producer.producer, nullptr, bytes, 257, 1, &task), DOCA_ERROR_INVALID_VALUE);
  doca_comch_producer* idle = nullptr;
  ASSERT_EQ(doca_comch_producer_create(client_side(), &idle), DOCA_SUCCESS);
  EXPECT_EQ(make(idle, nullptr, nullptr, 0, 1, &task), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_producer_destroy(idle), DOCA_SUCCESS);
}

TEST_F(DocaSendTaskTest, ChangesUntilItIsSubmitted) {
  uint8_t immediate[] = {'n', 'o', 'w'};
  doca_comch_producer_task_send* const task = allocate(nullptr);
  EXPECT_EQ(doca_comch_producer_task_send_get_buf(task), nullptr);
  EXPECT_EQ(doca_comch_producer_task_send_get_consumer_id(task), consumer.id());
  EXPECT_EQ(doca_comch_producer_task_send_get_imm_data(task), nullptr);
  EXPECT_EQ(doca_comch_producer_task_send_get_imm_data_len(task), 0U);

  const doca_buf* const message = source.data("other");
  doca_comch_producer_task_send_set_buf(task, message);
  doca_comch_producer_task_send_set_consumer_id(task, 99);
  doca_comch_producer_task_send_set_imm_data(task, immediate, 3);
  EXPECT_EQ(doca_comch_producer_task_send_get_buf(task), message);
  EXPECT_EQ(doca_comch_producer_task_send_get_consumer_id(task), 99U);
  EXPECT_EQ(doca_comch_producer_task_send_get_imm_data(task), immediate);
  EXPECT_EQ(doca_comch_producer_task_send_get_imm_data_len(task), 3U);
  doca_task* const sent = doca_comch_producer_task_send_as_task(task);
  EXPECT_EQ(doca_task_submit(sent), DOCA_ERROR_INVALID_VALUE);

  doca_comch_producer_task_send_set_consumer_id(task, consumer.id());
  ASSERT_EQ(consumer.post(memory.room(0, 8)), DOCA_SUCCESS);
  EXPECT_EQ(doca_task_submit(sent), DOCA_SUCCESS);
  EXPECT_EQ(doca_task_get_ctx(sent), producer.ctx());
  doca_comch_producer_task_send_set_consumer_id(task, 99);  // Too late.
  EXPECT_EQ(doca_comch_producer_task_send_get_consumer_id(task), consumer.id());
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
  EXPECT_EQ(consumer.received[0].data, "other");
  EXPECT_EQ(consumer.received[0].immediate, "now");
}

TEST_F(DocaSendTaskTest, AnswersNothingOfNothing) {
  EXPECT_EQ(doca_comch_producer_task_send_get_buf(nullptr), nullptr);
  EXPECT_EQ(doca_comch_producer_task_send_get_consumer_id(nullptr), 0U);
  EXPECT_EQ(doca_comch_producer_task_send_get_imm_data(nullptr), nullptr);
  EXPECT_EQ(doca_comch_producer_task_send_get_imm_data_len(nullptr), 0U);
  EXPECT_EQ(doca_comch_producer_task_send_as_task(nullptr), nullptr);
  doca_comch_producer_task_send_set_buf(nullptr, nullptr);
  doca_comch_producer_task_send_set_consumer_id(nullptr, 1);
  doca_comch_producer_task_send_set_imm_data(nullptr, nullptr, 0);
}

TEST_F(DocaSendTaskTest, IsAnsweredConnectionResetOnceThePeerIsGone) {
  doca_comch_producer_task_send* const task = allocate(nullptr);
  const doca_error_t stopped = server.stop();
  EXPECT_EQ(stopped, DOCA_ERROR_IN_USE) << "its consumer runs";
  EXPECT_NE(doca_ctx_stop(consumer.ctx()), DOCA_ERROR_BAD_STATE);
  ASSERT_TRUE(run_until([&] { return consumer.state() == DOCA_CTX_STATE_IDLE; }));
  EXPECT_NE(server.stop(), DOCA_ERROR_IN_USE);
  ASSERT_TRUE(run_until([&] { return producer.state() == DOCA_CTX_STATE_STOPPING; }));
  EXPECT_EQ(doca_task_submit(doca_comch_producer_task_send_as_task(task)),
            DOCA_ERROR_CONNECTION_RESET);
  doca_task_free(doca_comch_producer_task_send_as_task(task));
  ASSERT_TRUE(run_until([&] { return producer.state() == DOCA_CTX_STATE_IDLE; }));
}

}  // namespace
}  // namespace comch::test
