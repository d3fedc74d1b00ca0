// doca_comch_consumer_task_post_recv: posting, what comes, what does not.
#include <cstring>

#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct DocaReceiveTaskTest : FastTest {
  DocaReceiveTaskTest() {
    EXPECT_TRUE(run(consumer));
    EXPECT_EQ(producer.start(), DOCA_SUCCESS);
  }
  doca_comch_consumer_task_post_recv* allocate(doca_buf* buffer) {
    doca_comch_consumer_task_post_recv* task = nullptr;
    EXPECT_EQ(doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer, buffer, &task),
              DOCA_SUCCESS);
    return task;
  }

  Memory memory{server.device};
  Memory source{client.device, 1 << 12, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY};
  ConsumerParty consumer{pe, server_side(), memory, 2};
  ProducerParty producer{pe, client_side()};
};

TEST_F(DocaReceiveTaskTest, PutsWhatComesBehindTheDataOfItsBuffer) {
  ASSERT_EQ(consumer.post(memory.room(0, 64), 7), DOCA_SUCCESS);
  ASSERT_EQ(producer.send(consumer.id(), source.data("hello"), "imm"), DOCA_SUCCESS);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
  const Received& first = consumer.received[0];
  EXPECT_EQ(first.data, "hello");
  EXPECT_EQ(first.immediate, "imm");
  EXPECT_EQ(first.task_word, 7U);
  uint32_t sender = 0;
  ASSERT_EQ(doca_comch_producer_get_id(producer.producer, &sender), DOCA_SUCCESS);
  EXPECT_EQ(first.producer, sender);

  // 16 bytes that begin with data of the program's own.
  doca_buf* const begun = memory.room(100, 16);
  std::memcpy(memory.at(100), "ab", 2);
  ASSERT_EQ(doca_buf_set_data(begun, memory.at(100), 2), DOCA_SUCCESS);
  ASSERT_EQ(consumer.post(begun), DOCA_SUCCESS);
  ASSERT_EQ(producer.send(consumer.id(), source.data("cd", 100)), DOCA_SUCCESS);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 2; }));
  EXPECT_EQ(consumer.received[1].data, "abcd");
  EXPECT_EQ(consumer.received[1].immediate, "");
}

TEST_F(DocaReceiveTaskTest, KeepsTheDataOfItsBufferAsItIsWhilePosted) {
  doca_buf* const begun = memory.room(0, 16);
  std::memcpy(memory.at(0), "ab", 2);
  ASSERT_EQ(doca_buf_set_data(begun, memory.at(0), 2), DOCA_SUCCESS);
  ASSERT_EQ(consumer.post(begun), DOCA_SUCCESS);
  EXPECT_EQ(doca_buf_set_data(begun, memory.at(1), 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_set_data_len(begun, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_buf_reset_data_len(begun), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(producer.send(consumer.id(), source.data("cd")), DOCA_SUCCESS);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
  EXPECT_EQ(consumer.received[0].data, "abcd");
  EXPECT_EQ(doca_buf_reset_data_len(begun), DOCA_SUCCESS);
}

TEST_F(DocaReceiveTaskTest, WithoutABufferTakesImmediateDataAlone) {
  ASSERT_EQ(consumer.post(nullptr), DOCA_SUCCESS);
  ASSERT_EQ(producer.send(consumer.id(), nullptr, "word"), DOCA_SUCCESS);
  ASSERT_TRUE(run_until([&] { return consumer.received.size() == 1; }));
  EXPECT_EQ(consumer.received[0].immediate, "word");
  EXPECT_EQ(consumer.received[0].data, "");
}

TEST_F(DocaReceiveTaskTest, IsSubmittedAgainInItsCallback) {
  consumer.then_received = [&](doca_comch_consumer_task_post_recv* task) {
    doca_task* const again = doca_comch_consumer_task_post_recv_as_task(task);
    EXPECT_EQ(consumer.received.size() < 3 ? doca_task_submit(again)
                                           : (doca_task_free(again), DOCA_SUCCESS),
              DOCA_SUCCESS);
  };
  ASSERT_EQ(consumer.post(nullptr), DOCA_SUCCESS);
  for (std::size_t n = 1; n <= 3; ++n) {
    ASSERT_EQ(producer.send(consumer.id(), nullptr, std::to_string(n)), DOCA_SUCCESS);
    ASSERT_TRUE(run_until([&] { return consumer.received.size() == n; }));
    EXPECT_EQ(consumer.received.back().immediate, std::to_string(n));
  }
}

TEST_F(DocaReceiveTaskTest, IsMadeOfABufferOfTheConsumersMapAlone) {
  doca_comch_consumer_task_post_recv* task = nullptr;
  const auto make = doca_comch_consumer_task_post_recv_alloc_init;
  EXPECT_EQ(make(nullptr, nullptr, &task), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(make(consumer.consumer, nullptr, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(make(consumer.consumer, source.room(0, 8), &task), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaReceiveTaskTest, ThereAreAsManyAsWereConfigured) {
  doca_comch_consumer_task_post_recv* const first = allocate(nullptr);
  doca_comch_consumer_task_post_recv* const second = allocate(nullptr);
  doca_comch_consumer_task_post_recv* third = nullptr;
  EXPECT_EQ(doca_comch_consumer_task_post_recv_alloc_init(consumer.consumer, nullptr, &third),
            DOCA_ERROR_NO_MEMORY);
  doca_task_free(doca_comch_consumer_task_post_recv_as_task(first));
  third = allocate(nullptr);
  EXPECT_NE(third, nullptr);
  doca_task_free(doca_comch_consumer_task_post_recv_as_task(second));
  doca_task_free(doca_comch_consumer_task_post_recv_as_task(third));
}

TEST_F(DocaReceiveTaskTest, CannotBeMadeBeforeTheConsumerRuns) {
  doca_comch_consumer* idle = nullptr;
  ASSERT_EQ(doca_comch_consumer_create(server_side(), memory.map(), &idle), DOCA_SUCCESS);
  doca_comch_consumer_task_post_recv* task = nullptr;
  EXPECT_EQ(doca_comch_consumer_task_post_recv_alloc_init(idle, nullptr, &task),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_destroy(idle), DOCA_SUCCESS);
}

TEST_F(DocaReceiveTaskTest, ChangesItsBufferUntilItIsPosted) {
  doca_buf* const one = memory.room(0, 8);
  doca_buf* const other = memory.room(8, 8);
  doca_comch_consumer_task_post_recv* const task = allocate(one);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_buf(task), one);
  doca_comch_consumer_task_post_recv_set_buf(task, other);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_buf(task), other);
  doca_comch_consumer_task_post_recv_set_buf(task, source.room(0, 8));
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_buf(task), other);
  doca_task* const posted = doca_comch_consumer_task_post_recv_as_task(task);
  EXPECT_EQ(doca_task_get_ctx(posted), consumer.ctx());
  ASSERT_EQ(doca_task_submit(posted), DOCA_SUCCESS);
  doca_comch_consumer_task_post_recv_set_buf(task, one);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_buf(task), other);
}

TEST_F(DocaReceiveTaskTest, AnswersNothingOfNothing) {
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_buf(nullptr), nullptr);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_producer_id(nullptr), 0U);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_imm_data(nullptr), nullptr);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_get_imm_data_len(nullptr), 0U);
  EXPECT_EQ(doca_comch_consumer_task_post_recv_as_task(nullptr), nullptr);
  doca_comch_consumer_task_post_recv_set_buf(nullptr, nullptr);
}

TEST_F(DocaReceiveTaskTest, ComesBackWhenTheConsumerStops) {
  ASSERT_EQ(consumer.post(memory.room(0, 8)), DOCA_SUCCESS);
  ASSERT_EQ(consumer.post(nullptr), DOCA_SUCCESS);
  std::size_t in_flight = 0;
  ASSERT_EQ(doca_ctx_get_num_inflight_tasks(consumer.ctx(), &in_flight), DOCA_SUCCESS);
  EXPECT_EQ(in_flight, 2U);
  EXPECT_EQ(doca_ctx_stop(consumer.ctx()), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(run_until([&] { return consumer.state() == DOCA_CTX_STATE_IDLE; }));
  EXPECT_EQ(consumer.failed, (std::vector{DOCA_ERROR_SHUTDOWN, DOCA_ERROR_SHUTDOWN}));
}

// A program ends like this: it gives up the buffers and tasks that it has posted, and then stops.
TEST_F(DocaReceiveTaskTest, HoldsUpNobodyWhenItWasFreedWhilePosted) {
  doca_comch_consumer* ending = nullptr;
  ASSERT_EQ(doca_comch_consumer_create(server_side(), memory.map(), &ending), DOCA_SUCCESS);
  doca_ctx* const ctx = doca_comch_consumer_as_ctx(ending);
  ASSERT_EQ(doca_pe_connect_ctx(pe, ctx), DOCA_SUCCESS);
  const auto count = [](doca_comch_consumer_task_post_recv*, doca_data, doca_data calls) {
    ++*static_cast<int*>(calls.ptr);
  };
  int calls = 0;
  ASSERT_EQ(doca_comch_consumer_task_post_recv_set_conf(ending, count, count, 2), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_set_user_data(ctx, {.ptr = &calls}), DOCA_SUCCESS);
  ASSERT_EQ(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(run_until([&] { return state_of(ctx) == DOCA_CTX_STATE_RUNNING; }));

  doca_task* posted[2] = {};
  for (doca_task*& each : posted) {
    doca_comch_consumer_task_post_recv* task = nullptr;
    ASSERT_EQ(doca_comch_consumer_task_post_recv_alloc_init(ending, nullptr, &task), DOCA_SUCCESS);
    each = doca_comch_consumer_task_post_recv_as_task(task);
    ASSERT_EQ(doca_task_submit(each), DOCA_SUCCESS);
  }
  for (doca_task* const each : posted) doca_task_free(each);
  EXPECT_EQ(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
  ASSERT_TRUE(run_until([&] { return state_of(ctx) == DOCA_CTX_STATE_IDLE; }));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(doca_comch_consumer_destroy(ending), DOCA_SUCCESS);
}

}  // namespace
}  // namespace comch::test
