// doca_dpa_async_ops: size, user data, life. The copies are in dpa_dev_buf_test.cc.
#include "doca/dpa_parties.h"

namespace comch::test {
namespace {

struct DocaAsyncOpsTest : DpaTest {
  DocaAsyncOpsTest() {
    EXPECT_EQ(doca_dpa_async_ops_create(dpa, 3, 0xffffff, &operations), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_create(dpa, 4, &completion), DOCA_SUCCESS);
  }
  ~DocaAsyncOpsTest() override {
    EXPECT_EQ(doca_dpa_async_ops_destroy(operations), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
  }
  doca_dpa_async_ops* operations = nullptr;
  doca_dpa_completion* completion = nullptr;
};

TEST_F(DocaAsyncOpsTest, KeepItsSizeAndUserData) {
  unsigned int size = 0;
  uint64_t data = 0;
  EXPECT_EQ(doca_dpa_async_ops_get_queue_size(operations, &size), DOCA_SUCCESS);
  EXPECT_EQ(size, 4U);
  EXPECT_EQ(doca_dpa_async_ops_get_user_data(operations, &data), DOCA_SUCCESS);
  EXPECT_EQ(data, 0xffffffU);
  EXPECT_EQ(doca_dpa_async_ops_get_queue_size(nullptr, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_get_queue_size(operations, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_get_user_data(nullptr, &data), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_get_user_data(operations, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaAsyncOpsTest, HaveLimits) {
  doca_dpa_async_ops* other = nullptr;
  EXPECT_EQ(doca_dpa_async_ops_create(dpa, 0, 0, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_create(dpa, 8193, 0, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_create(dpa, 1, 1U << 24U, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_create(nullptr, 1, 0, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_create(dpa, 1, 0, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_dpa_async_ops_create(dpa, 8192, 0, &other), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_async_ops_destroy(other), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_async_ops_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaAsyncOpsTest, StartWithACompletionContextThatIsStarted) {
  doca_dpa_dev_async_ops_t handle = 0;
  EXPECT_EQ(doca_dpa_async_ops_start(operations), DOCA_ERROR_BAD_STATE) << "nothing attached";
  EXPECT_EQ(doca_dpa_async_ops_attach(operations, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_attach(nullptr, completion), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_attach(operations, completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_async_ops_start(operations), DOCA_ERROR_BAD_STATE) << "not started";
  ASSERT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_async_ops_get_dpa_handle(operations, &handle), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_async_ops_stop(operations), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_async_ops_start(operations), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_async_ops_start(operations), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_async_ops_attach(operations, completion), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_async_ops_get_dpa_handle(operations, &handle), DOCA_SUCCESS);
  EXPECT_NE(handle, 0U);
  EXPECT_EQ(doca_dpa_completion_stop(completion), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_ERROR_IN_USE);
  EXPECT_EQ(doca_dpa_async_ops_stop(operations), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_async_ops_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_get_dpa_handle(nullptr, &handle), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_async_ops_get_dpa_handle(operations, nullptr), DOCA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace comch::test
