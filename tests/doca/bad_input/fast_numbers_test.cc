// Consumers, producers, their tasks, and MsgQs: every number at its limits.
#include <doca_comch_msgq.h>

#include <algorithm>

#include "doca/bad_input/setters.h"
#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct FastNumbersTest : FastTest {
  std::uint32_t limit(doca_error_t (*get)(const doca_devinfo*, std::uint32_t*)) const {
    std::uint32_t most = 0;
    EXPECT_EQ(get(server.device.info(), &most), kYes);
    return most;
  }
  Memory from{client.device, 4096};
  Memory into{server.device, 4096};
  ConsumerParty consumer{pe, server_side(), into};
  ProducerParty producer{pe, client_side()};
};

template <class Task, class Object>
void try_tasks(const char* function, const char* argument, const Bounds& bounds, Object* object,
               doca_error_t (*set)(Object*, TaskCallback<Task>, TaskCallback<Task>,
                                   std::uint32_t)) {
  try_number(function, argument, bounds, [=](auto n) {
    return set(object, on_task<Task>(1), on_task<Task>(1), static_cast<std::uint32_t>(n));
  });
}

// 0 is the logarithm of one task.
TEST_F(FastNumbersTest, Tasks) {
  auto* const older_consumer = older<doca_cc_consumer>(consumer.consumer);
  auto* const older_producer = older<doca_cc_producer>(producer.producer);
  const Bounds posts{.zero = kNo, .most = limit(doca_comch_consumer_cap_get_max_num_tasks)};
  const Bounds sends{.zero = kNo, .most = limit(doca_comch_producer_cap_get_max_num_tasks)};
  const auto log_limit = [&](auto get) {
    std::uint32_t most = 0;
    EXPECT_EQ(get(server.device.info(), &most), kYes);
    return Bounds{.most = most};
  };
  try_tasks<doca_comch_consumer_task_post_recv>("doca_comch_consumer_task_post_recv_set_conf",
                                                "num_post_recv_tasks", posts, consumer.consumer,
                                                doca_comch_consumer_task_post_recv_set_conf);
  try_tasks<doca_cc_consumer_task_post_recv>("doca_cc_consumer_task_post_recv_set_conf",
                                             "num_post_recv_tasks", posts, older_consumer,
                                             doca_cc_consumer_task_post_recv_set_conf);
  try_tasks<doca_cc_consumer_post_recv_task>(
      "doca_cc_consumer_post_recv_task_set_conf", "log_num_post_recv_tasks",
      log_limit(doca_cc_consumer_cap_get_max_log_num_tasks), older_consumer,
      doca_cc_consumer_post_recv_task_set_conf);
  try_tasks<doca_comch_producer_task_send>("doca_comch_producer_task_send_set_conf",
                                           "num_send_tasks", sends, producer.producer,
                                           doca_comch_producer_task_send_set_conf);
  try_tasks<doca_cc_producer_task_send>("doca_cc_producer_task_send_set_conf", "num_send_tasks",
                                        sends, older_producer, doca_cc_producer_task_send_set_conf);
  try_tasks<doca_cc_producer_send_task>("doca_cc_producer_send_task_set_conf", "log_num_send_tasks",
                                        log_limit(doca_cc_producer_cap_get_max_log_num_tasks),
                                        older_producer, doca_cc_producer_send_task_set_conf);
}

TEST_F(FastNumbersTest, ImmediateData) {
  const std::uint32_t most = limit(doca_comch_consumer_cap_get_max_imm_data_len);
  const Setter row =
      sized("doca_comch_consumer_set_imm_data_len", consumer.consumer,
            doca_comch_consumer_set_imm_data_len, doca_comch_consumer_get_imm_data_len, 1U);
  try_number(row.function, "imm_data_len", {.most = most}, row.set, row.get);
  ASSERT_EQ(producer.start(), kYes);
  std::vector<std::uint8_t> bytes(most);
  try_number(
      "doca_comch_producer_task_send_alloc_init", "imm_data_len", {.most = most}, [&](auto n) {
        doca_comch_producer_task_send* task = nullptr;
        const doca_error_t made = doca_comch_producer_task_send_alloc_init(
            producer.producer, nullptr, bytes.data(), static_cast<std::uint32_t>(n), 1, &task);
        EXPECT_EQ(task != nullptr, made == kYes);
        if (task != nullptr) doca_task_free(task_of(task));
        return made;
      });
  doca_comch_producer_task_send* task = nullptr;
  ASSERT_EQ(
      doca_comch_producer_task_send_alloc_init(producer.producer, nullptr, nullptr, 0, 1, &task),
      kYes);
  const auto length = [&] {
    return std::uint64_t{doca_comch_producer_task_send_get_imm_data_len(task)};
  };
  try_number(
      "doca_comch_producer_task_send_set_imm_data", "imm_data_len", {.most = most},
      [&](auto n) {
        doca_comch_producer_task_send_set_imm_data(task, bytes.data(),
                                                   static_cast<std::uint32_t>(n));
        return length() == n ? kYes : kNo;
      },
      length);
  doca_task_free(task_of(task));
}

// A consumer is looked for when the task is submitted. Here there is one, with nothing posted.
TEST_F(FastNumbersTest, ConsumersAreFoundByTheirIds) {
  ASSERT_TRUE(run(consumer));
  ASSERT_EQ(producer.start(), kYes);
  doca_comch_producer_task_send* task = nullptr;
  const Bounds ids{.zero = kNo, .most = consumer.id(), .at_most = DOCA_ERROR_AGAIN};
  const auto make = [&](std::uint64_t id) {
    EXPECT_EQ(doca_comch_producer_task_send_alloc_init(producer.producer, nullptr, nullptr, 0,
                                                       static_cast<std::uint32_t>(id), &task),
              kYes);
  };
  const auto submit = [&] {
    const doca_error_t submitted = doca_task_submit(task_of(task));
    doca_task_free(task_of(task));
    return submitted;
  };
  const auto made_with = [&](auto id) {
    make(id);
    return submit();
  };
  const auto given = [&](const auto& set) {
    return [&](std::uint64_t id) {
      make(1);
      set(static_cast<std::uint32_t>(id));
      return submit();
    };
  };
  const auto by_name = [&](auto id) { doca_comch_producer_task_send_set_consumer_id(task, id); };
  const auto by_older_name = [&](auto id) {
    doca_cc_producer_task_send_set_consumer_id(older<doca_cc_producer_task_send>(task), id);
  };
  const auto by_first_name = [&](auto id) {
    doca_cc_producer_send_task_set_consumer_id(older<doca_cc_producer_send_task>(task), id);
  };
  try_number("doca_comch_producer_task_send_alloc_init", "consumer_id", ids, made_with);
  try_number("doca_comch_producer_task_send_set_consumer_id", "consumer_id", ids, given(by_name));
  try_number("doca_cc_producer_task_send_set_consumer_id", "consumer_id", ids,
             given(by_older_name));
  try_number("doca_cc_producer_send_task_set_consumer_id", "consumer_id", ids,
             given(by_first_name));
  auto* const older_producer = older<doca_cc_producer>(producer.producer);
  try_number("doca_cc_producer_task_send_alloc_init", "consumer_id", ids, [&](auto id) {
    doca_cc_producer_task_send* made = nullptr;
    EXPECT_EQ(doca_cc_producer_task_send_alloc_init(older_producer, nullptr,
                                                    static_cast<std::uint32_t>(id), &made),
              kYes);
    task = reinterpret_cast<doca_comch_producer_task_send*>(made);
    return submit();
  });
  try_number("doca_cc_producer_send_task_alloc_init", "consumer_id", ids, [&](auto id) {
    doca_cc_producer_send_task* made = nullptr;
    EXPECT_EQ(doca_cc_producer_send_task_alloc_init(older_producer, nullptr,
                                                    static_cast<std::uint32_t>(id), &made),
              kYes);
    task = reinterpret_cast<doca_comch_producer_task_send*>(made);
    return submit();
  });
}

struct MsgqNumbersTest : DpaTest {};

TEST_F(MsgqNumbersTest, MsgqsAndTheirEndsOnTheAccelerator) {
  doca_comch_msgq* msgq = nullptr;
  doca_comch_consumer_completion* arrivals = nullptr;
  doca_comch_consumer* consumer = nullptr;
  doca_comch_producer* producer = nullptr;
  ASSERT_EQ(doca_comch_msgq_create(device, &msgq), kYes);
  constexpr std::uint64_t kEnds = 1024;
  constexpr std::uint64_t kTasks = 8192;
  const auto try_u32 = [](const char* function, const char* argument, const Bounds& bounds,
                          auto* object, auto set) {
    try_number(function, argument, bounds,
               [=](auto n) { return set(object, static_cast<std::uint32_t>(n)); });
  };
  try_u32("doca_comch_msgq_set_max_num_consumers", "max_num_consumers",
          {.zero = kNo, .most = kEnds}, msgq, doca_comch_msgq_set_max_num_consumers);
  try_u32("doca_comch_msgq_set_max_num_producers", "max_num_producers",
          {.zero = kNo, .most = kEnds}, msgq, doca_comch_msgq_set_max_num_producers);
  ASSERT_EQ(doca_comch_consumer_completion_create(&arrivals), kYes);
  try_u32("doca_comch_consumer_completion_set_max_num_consumers", "max_num_consumers",
          {.zero = kNo, .most = kEnds}, arrivals,
          doca_comch_consumer_completion_set_max_num_consumers);
  try_u32("doca_comch_consumer_completion_set_max_num_recv", "max_num_recv",
          {.zero = kNo, .most = kTasks}, arrivals, doca_comch_consumer_completion_set_max_num_recv);
  try_u32("doca_comch_consumer_completion_set_imm_data_len", "imm_data_len", {.most = 32}, arrivals,
          doca_comch_consumer_completion_set_imm_data_len);
  ASSERT_EQ(doca_comch_consumer_completion_start(arrivals), kYes);
  ASSERT_EQ(doca_comch_msgq_set_dpa_consumer(msgq, dpa), kYes);
  ASSERT_EQ(doca_comch_msgq_start(msgq), kYes);
  ASSERT_EQ(doca_comch_msgq_consumer_create(msgq, &consumer), kYes);
  ASSERT_EQ(doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(consumer), dpa), kYes);
  try_u32("doca_comch_consumer_set_dev_max_num_recv", "dev_num_recv", {.zero = kNo, .most = kTasks},
          consumer, doca_comch_consumer_set_dev_max_num_recv);
  try_u32("doca_comch_consumer_set_imm_data_len", "imm_data_len", {.most = 32}, consumer,
          doca_comch_consumer_set_imm_data_len);
  try_number("doca_comch_consumer_set_completion", "user_data", {}, [&](auto n) {
    return doca_comch_consumer_set_completion(consumer, arrivals, static_cast<std::uint32_t>(n));
  });
  EXPECT_EQ(doca_comch_consumer_destroy(consumer), kYes);
  ASSERT_EQ(doca_comch_msgq_stop(msgq), kYes);
  ASSERT_EQ(doca_comch_msgq_set_dpa_producer(msgq, dpa), kYes);
  ASSERT_EQ(doca_comch_msgq_start(msgq), kYes);
  ASSERT_EQ(doca_comch_msgq_producer_create(msgq, &producer), kYes);
  ASSERT_EQ(doca_ctx_set_datapath_on_dpa(doca_comch_producer_as_ctx(producer), dpa), kYes);
  try_u32("doca_comch_producer_set_dev_max_num_send", "dev_num_send", {.zero = kNo, .most = kTasks},
          producer, doca_comch_producer_set_dev_max_num_send);
  EXPECT_EQ(doca_comch_producer_destroy(producer), kYes);
  EXPECT_EQ(doca_comch_msgq_stop(msgq), kYes);
  EXPECT_EQ(doca_comch_msgq_destroy(msgq), kYes);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(arrivals), kYes);
}

}  // namespace
}  // namespace comch::test
