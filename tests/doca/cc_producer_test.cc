// doca_cc_producer, function by function; cc_test.cc sends with one.
#include <doca_comch_producer.h>

#include "doca/cc_conversation.h"
#include "doca/cc_limits.h"

namespace comch::test {
namespace {

using CcProducerTest = ControlTest;

void on_sent(doca_cc_producer_task_send*, doca_data, doca_data) {}

TEST_F(CcProducerTest, HasTheLimitsOfItsSuccessor) {
  constexpr std::pair<Limit, Limit> kLimits[] = {
      {doca_cc_producer_cap_get_max_num_tasks, doca_comch_producer_cap_get_max_num_tasks},
      {doca_cc_producer_cap_get_max_buf_size, doca_comch_producer_cap_get_max_buf_size},
      {doca_cc_producer_cap_get_max_producers, doca_comch_producer_cap_get_max_producers}};
  expect_same_limits(kLimits);
  OpenDevice device(kDpuPci);
  EXPECT_EQ(doca_cc_producer_cap_is_supported(device.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_producer_cap_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcProducerTest, RefusesNull) {
  Conversation talk(pe);
  talk.begin();
  FastEnds ends(talk);
  doca_cc_producer* made = nullptr;
  EXPECT_EQ(doca_cc_producer_create(nullptr, &made), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_create(talk.at_client, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  std::uint32_t id = 0;
  EXPECT_EQ(doca_cc_producer_get_id(nullptr, &id), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_get_id(ends.producer, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_as_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_cc_producer_task_send_set_conf(nullptr, on_sent, on_sent, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_task_send_set_conf(ends.producer, nullptr, on_sent, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_task_send_set_conf(ends.producer, on_sent, nullptr, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_task_send_set_conf(ends.producer, on_sent, on_sent, 0),
            DOCA_ERROR_INVALID_VALUE);
  doca_cc_producer_task_send* task = nullptr;
  EXPECT_EQ(doca_cc_producer_task_send_alloc_init(nullptr, nullptr, 1, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_task_send_alloc_init(ends.producer, nullptr, 1, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_producer_task_send_as_task(nullptr), nullptr);
  EXPECT_EQ(doca_cc_producer_task_send_get_buf(nullptr), nullptr);
  EXPECT_EQ(doca_cc_producer_task_send_get_consumer_id(nullptr), 0U);
}

TEST_F(CcProducerTest, IsConfiguredAndDestroyedWhileIdleOnlyAndSendsNoMoreThanItsTasks) {
  Conversation talk(pe);
  talk.begin();
  FastEnds ends(talk);
  doca_cc_producer_task_send* task = nullptr;
  EXPECT_EQ(doca_cc_producer_task_send_alloc_init(ends.producer, nullptr, 1, &task),
            DOCA_ERROR_BAD_STATE);
  ends.begin();
  EXPECT_EQ(doca_cc_producer_destroy(ends.producer), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_cc_producer_task_send_set_conf(ends.producer, on_sent, on_sent, 1),
            DOCA_ERROR_BAD_STATE);
  std::vector<doca_cc_producer_task_send*> tasks(kFastTasks);
  for (doca_cc_producer_task_send*& each : tasks) {
    ASSERT_EQ(doca_cc_producer_task_send_alloc_init(ends.producer, nullptr, 1, &each),
              DOCA_SUCCESS);
  }
  EXPECT_EQ(doca_cc_producer_task_send_alloc_init(ends.producer, nullptr, 1, &task),
            DOCA_ERROR_NO_MEMORY);
  for (auto* each : tasks) doca_task_free(doca_cc_producer_task_send_as_task(each));
}

}  // namespace
}  // namespace comch::test
