// doca_cc_consumer, function by function; cc_test.cc receives with one.
#include <doca_comch_consumer.h>

#include "doca/cc_conversation.h"
#include "doca/cc_limits.h"

namespace comch::test {
namespace {

using CcConsumerTest = ControlTest;

void on_received(doca_cc_consumer_task_post_recv*, doca_data, doca_data) {}

TEST_F(CcConsumerTest, HasTheLimitsOfItsSuccessor) {
  constexpr std::pair<Limit, Limit> kLimits[] = {
      {doca_cc_consumer_cap_get_max_num_tasks, doca_comch_consumer_cap_get_max_num_tasks},
      {doca_cc_consumer_cap_get_max_buf_size, doca_comch_consumer_cap_get_max_buf_size},
      {doca_cc_consumer_cap_get_max_consumers, doca_comch_consumer_cap_get_max_consumers}};
  expect_same_limits(kLimits);
  OpenDevice device(kDpuPci);
  EXPECT_EQ(doca_cc_consumer_cap_is_supported(device.info()), DOCA_SUCCESS);
  EXPECT_EQ(doca_cc_consumer_cap_is_supported(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(CcConsumerTest, RefusesNull) {
  Conversation talk(pe);
  talk.begin();
  FastEnds ends(talk);
  doca_cc_consumer* made = nullptr;
  EXPECT_EQ(doca_cc_consumer_create(nullptr, ends.into.map(), &made), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_create(talk.at_server, nullptr, &made), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_create(talk.at_server, ends.into.map(), nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  std::uint32_t id = 0;
  EXPECT_EQ(doca_cc_consumer_get_id(nullptr, &id), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_get_id(ends.consumer, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_as_ctx(nullptr), nullptr);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_set_conf(nullptr, on_received, on_received, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_set_conf(ends.consumer, nullptr, on_received, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_set_conf(ends.consumer, on_received, nullptr, 1),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_set_conf(ends.consumer, on_received, on_received, 0),
            DOCA_ERROR_INVALID_VALUE);
  doca_cc_consumer_task_post_recv* task = nullptr;
  EXPECT_EQ(doca_cc_consumer_task_post_recv_alloc_init(nullptr, nullptr, &task),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_alloc_init(ends.consumer, nullptr, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_as_task(nullptr), nullptr);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_get_buf(nullptr), nullptr);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_get_producer_id(nullptr), 0U);
}

TEST_F(CcConsumerTest, IsConfiguredAndDestroyedWhileIdleOnlyAndPostsNoMoreThanItsTasks) {
  Conversation talk(pe);
  talk.begin();
  FastEnds ends(talk);
  doca_cc_consumer_task_post_recv* task = nullptr;
  EXPECT_EQ(doca_cc_consumer_task_post_recv_alloc_init(ends.consumer, nullptr, &task),
            DOCA_ERROR_BAD_STATE);
  ends.begin();
  EXPECT_EQ(doca_cc_consumer_destroy(ends.consumer), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_cc_consumer_task_post_recv_set_conf(ends.consumer, on_received, on_received, 1),
            DOCA_ERROR_BAD_STATE);
  std::vector<doca_cc_consumer_task_post_recv*> tasks(kFastTasks);
  for (doca_cc_consumer_task_post_recv*& each : tasks) {
    ASSERT_EQ(doca_cc_consumer_task_post_recv_alloc_init(ends.consumer, nullptr, &each),
              DOCA_SUCCESS);
  }
  EXPECT_EQ(doca_cc_consumer_task_post_recv_alloc_init(ends.consumer, nullptr, &task),
            DOCA_ERROR_NO_MEMORY);
  for (auto* each : tasks) doca_task_free(doca_cc_consumer_task_post_recv_as_task(each));
}

}  // namespace
}  // namespace comch::test
