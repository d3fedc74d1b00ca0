// Consumers and producers of a connection, and the tasks of both: settings in every state.
#include <algorithm>
#include <iterator>

#include "doca/bad_input/setters.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct EndStatesTest : FastTest {
  EndStatesTest() {
    forget_calls();
    EXPECT_EQ(doca_dpa_create(server.device, &dpa), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_consumer_completion_create(&completion), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_consumer_create(server_side(), into.map(), &consumer), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_producer_create(client_side(), &producer), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_connect_ctx(pe, consumer_ctx()), DOCA_SUCCESS);
    EXPECT_EQ(doca_pe_connect_ctx(pe, producer_ctx()), DOCA_SUCCESS);
  }
  ~EndStatesTest() override {
    for (doca_ctx* ctx : {consumer_ctx(), producer_ctx()}) {
      if (state_of(ctx) != DOCA_CTX_STATE_IDLE) doca_ctx_stop(ctx);
      run_to(ctx, DOCA_CTX_STATE_IDLE);
    }
    EXPECT_EQ(doca_comch_consumer_destroy(consumer), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_producer_destroy(producer), DOCA_SUCCESS);
    EXPECT_EQ(doca_comch_consumer_completion_destroy(completion), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_destroy(dpa), DOCA_SUCCESS);
  }
  doca_ctx* consumer_ctx() const { return doca_comch_consumer_as_ctx(consumer); }
  doca_ctx* producer_ctx() const { return doca_comch_producer_as_ctx(producer); }
  void run_to(doca_ctx* ctx, doca_ctx_states state) const {
    EXPECT_TRUE(until(pe, [&] { return state_of(ctx) == state; }));
  }
  void begin_to_stop(doca_ctx* ctx, doca_task* task) {
    ASSERT_EQ(doca_ctx_stop(ctx), DOCA_ERROR_IN_PROGRESS);
    settle(pe);
    ASSERT_EQ(state_of(ctx), DOCA_CTX_STATE_STOPPING);
    kept = task;
  }
  void stop_at_last(doca_ctx* ctx) const {
    doca_task_free(kept);
    run_to(ctx, DOCA_CTX_STATE_IDLE);
  }

  doca_comch_consumer_task_post_recv* receive() {
    doca_comch_consumer_task_post_recv* task = nullptr;
    EXPECT_EQ(doca_comch_consumer_task_post_recv_alloc_init(consumer, into.room(0, 64), &task),
              DOCA_SUCCESS);
    return task;
  }
  doca_comch_producer_task_send* message() {
    doca_comch_producer_task_send* task = nullptr;
    EXPECT_EQ(doca_comch_producer_task_send_alloc_init(producer, from.data("a message"), nullptr, 0,
                                                       id(), &task),
              DOCA_SUCCESS);
    return task;
  }
  std::uint32_t id() const {
    std::uint32_t id = 0;
    EXPECT_EQ(doca_comch_consumer_get_id(consumer, &id), DOCA_SUCCESS);
    return id;
  }
  std::vector<Setter> consumer_setters() const;
  std::vector<Setter> producer_setters() const;

  Memory from{client.device, 4096};
  Memory into{server.device, 4096};
  doca_comch_consumer* consumer = nullptr;
  doca_comch_producer* producer = nullptr;
  doca_dpa* dpa = nullptr;
  doca_comch_consumer_completion* completion = nullptr;
  doca_task* kept = nullptr;
};

// What an end on the CPU does not have, whatever its state.
Setter not_here(const char* function, const Set& set) {
  return {function, set, {}, DOCA_ERROR_NOT_SUPPORTED, DOCA_ERROR_NOT_SUPPORTED};
}

// The number of tasks is the logarithm of four in 2.5.
std::vector<Setter> EndStatesTest::consumer_setters() const {
  auto* const named_before = older<doca_cc_consumer>(consumer);
  return {sized("doca_comch_consumer_set_imm_data_len", consumer,
                doca_comch_consumer_set_imm_data_len, doca_comch_consumer_get_imm_data_len, 8U),
          not_here("doca_comch_consumer_set_dev_max_num_recv",
                   [this](auto n) {
                     return doca_comch_consumer_set_dev_max_num_recv(consumer,
                                                                     static_cast<std::uint32_t>(n));
                   }),
          not_here(
              "doca_comch_consumer_set_completion",
              [this](auto) { return doca_comch_consumer_set_completion(consumer, completion, 0); }),
          task_setter<doca_cc_consumer_post_recv_task>("doca_cc_consumer_post_recv_task_set_conf",
                                                       named_before,
                                                       doca_cc_consumer_post_recv_task_set_conf, 2),
          task_setter<doca_cc_consumer_task_post_recv>("doca_cc_consumer_task_post_recv_set_conf",
                                                       named_before,
                                                       doca_cc_consumer_task_post_recv_set_conf),
          task_setter<doca_comch_consumer_task_post_recv>(
              "doca_comch_consumer_task_post_recv_set_conf", consumer,
              doca_comch_consumer_task_post_recv_set_conf)};
}

std::vector<Setter> EndStatesTest::producer_setters() const {
  auto* const named_before = older<doca_cc_producer>(producer);
  return {
      not_here("doca_comch_producer_set_dev_max_num_send",
               [this](auto n) {
                 return doca_comch_producer_set_dev_max_num_send(producer,
                                                                 static_cast<std::uint32_t>(n));
               }),
      task_setter<doca_cc_producer_send_task>("doca_cc_producer_send_task_set_conf", named_before,
                                              doca_cc_producer_send_task_set_conf, 2),
      task_setter<doca_cc_producer_task_send>("doca_cc_producer_task_send_set_conf", named_before,
                                              doca_cc_producer_task_send_set_conf),
      task_setter<doca_comch_producer_task_send>("doca_comch_producer_task_send_set_conf", producer,
                                                 doca_comch_producer_task_send_set_conf)};
}

TEST_F(EndStatesTest, AreConfiguredWhileIdleAndCallNothingElse) {
  const auto start_consumer = [&] {
    ASSERT_EQ(doca_ctx_start(consumer_ctx()), DOCA_ERROR_IN_PROGRESS);
  };
  const auto run_consumer = [&] { run_to(consumer_ctx(), DOCA_CTX_STATE_RUNNING); };
  const auto start_producer = [&] { ASSERT_EQ(doca_ctx_start(producer_ctx()), DOCA_SUCCESS); };
  std::vector<Setter> of_consumer = consumer_setters();
  std::vector<Setter> of_producer = producer_setters();
  std::ranges::copy(context_setters(pe, consumer_ctx(), dpa), std::back_inserter(of_consumer));
  std::ranges::copy(context_setters(pe, producer_ctx(), dpa), std::back_inserter(of_producer));
  try_setters(of_consumer,
              {open("idle", [] {}), shut("starting", start_consumer), shut("running", run_consumer),
               shut("stopping", [&] { begin_to_stop(consumer_ctx(), task_of(receive())); }),
               open("idle again", [&] { stop_at_last(consumer_ctx()); })});
  try_setters(of_producer,
              {open("idle", [] {}), shut("running", start_producer),
               shut("stopping", [&] { begin_to_stop(producer_ctx(), task_of(message())); }),
               open("idle again", [&] { stop_at_last(producer_ctx()); })});
  start_consumer();
  run_consumer();
  start_producer();
  ASSERT_TRUE(run_until([&] { return !client.consumers.empty(); }));
  ASSERT_EQ(doca_task_submit(task_of(receive())), DOCA_SUCCESS);
  ASSERT_EQ(doca_task_submit(task_of(message())), DOCA_SUCCESS);
  ASSERT_TRUE(run_until([&] { return calls(1).tasks == 2; }));
  EXPECT_EQ(calls(2).all(), 0);
}

}  // namespace
}  // namespace comch::test
