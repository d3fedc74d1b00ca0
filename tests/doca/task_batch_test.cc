// doca_task_batch: no context makes one, and every function says so.
#include <doca_pe.h>
#include <gtest/gtest.h>

namespace {

TEST(TaskBatchTest, NullIsRefused) {
  EXPECT_EQ(doca_task_batch_submit(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_task_batch_try_submit(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_task_batch_get_status(nullptr), DOCA_ERROR_INVALID_VALUE);
  doca_task_batch_free(nullptr);
}

TEST(TaskBatchTest, NothingIsABatchOfThisLibrary) {
  long word = 42;  // Never looked into.
  auto* const batch = reinterpret_cast<doca_task_batch*>(&word);
  EXPECT_EQ(doca_task_batch_submit(batch), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_task_batch_try_submit(batch), DOCA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(doca_task_batch_get_status(batch), DOCA_ERROR_NOT_SUPPORTED);
  doca_task_batch_set_user_data(batch, {.u64 = 1});
  EXPECT_EQ(doca_task_batch_get_user_data(batch).u64, 0u);
  EXPECT_EQ(doca_task_batch_get_ctx(batch), nullptr);
  EXPECT_EQ(doca_task_batch_get_ctx_user_data(batch).u64, 0u);
  EXPECT_EQ(doca_task_batch_get_tasks_num(batch), 0);
  doca_task_batch_free(batch);
  EXPECT_EQ(word, 42);
}

}  // namespace
