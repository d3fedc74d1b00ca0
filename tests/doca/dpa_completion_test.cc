// doca_dpa_completion: size, thread, life. What arrives in it is in the tests of operations.
#include "doca/dpa_parties.h"

namespace comch::test {
namespace {

struct DocaCompletionTest : DpaTest {
  DocaCompletionTest() { EXPECT_EQ(doca_dpa_completion_create(dpa, 5, &completion), DOCA_SUCCESS); }
  ~DocaCompletionTest() override {
    EXPECT_EQ(doca_dpa_completion_destroy(completion), DOCA_SUCCESS);
  }
  doca_dpa_completion* completion = nullptr;
};

TEST_F(DocaCompletionTest, RoundsItsSizeUpToAPowerOfTwo) {
  unsigned int size = 0;
  EXPECT_EQ(doca_dpa_completion_get_queue_size(completion, &size), DOCA_SUCCESS);
  EXPECT_EQ(size, 8U);
  EXPECT_EQ(doca_dpa_completion_get_queue_size(nullptr, &size), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_get_queue_size(completion, nullptr), DOCA_ERROR_INVALID_VALUE);
  doca_dpa_completion* other = nullptr;
  EXPECT_EQ(doca_dpa_completion_create(dpa, 0, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_create(dpa, 65537, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_create(nullptr, 1, &other), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_create(dpa, 1, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_dpa_completion_create(dpa, 65536, &other), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_completion_destroy(other), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_completion_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaCompletionTest, StartsAndStopsInTurns) {
  doca_dpa_dev_completion_t handle = 0;
  EXPECT_EQ(doca_dpa_completion_stop(completion), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_completion_get_dpa_handle(completion, &handle), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_completion_start(completion), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_dpa_completion_get_dpa_handle(completion, &handle), DOCA_SUCCESS);
  EXPECT_NE(handle, 0U);
  EXPECT_EQ(doca_dpa_completion_stop(completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_completion_start(completion), DOCA_SUCCESS);  // And is destroyed like this.
  EXPECT_EQ(doca_dpa_completion_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_get_dpa_handle(nullptr, &handle), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_get_dpa_handle(completion, nullptr), DOCA_ERROR_INVALID_VALUE);
}

TEST_F(DocaCompletionTest, NeedsItsThreadStarted) {
  doca_dpa_thread* thread = nullptr;
  EXPECT_EQ(doca_dpa_completion_get_thread(completion, &thread), DOCA_SUCCESS);
  EXPECT_EQ(thread, nullptr);
  EXPECT_EQ(doca_dpa_completion_get_thread(nullptr, &thread), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_get_thread(completion, nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_completion_set_thread(completion, nullptr), DOCA_ERROR_INVALID_VALUE);

  doca_dpa_completion* other = nullptr;
  ASSERT_EQ(doca_dpa_completion_create(dpa, 1, &other), DOCA_SUCCESS);
  {
    const DeviceThread running(dpa, [] {});
    EXPECT_EQ(doca_dpa_completion_set_thread(nullptr, running), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(doca_dpa_completion_set_thread(other, running), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_get_thread(other, &thread), DOCA_SUCCESS);
    EXPECT_EQ(thread, static_cast<doca_dpa_thread*>(running));
    ASSERT_EQ(doca_dpa_thread_stop(running), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_start(other), DOCA_ERROR_BAD_STATE);
    ASSERT_EQ(doca_dpa_thread_start(running), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_start(other), DOCA_SUCCESS);
    EXPECT_EQ(doca_dpa_completion_set_thread(other, running), DOCA_ERROR_BAD_STATE);
    EXPECT_EQ(doca_dpa_completion_destroy(other), DOCA_SUCCESS);
  }
}

}  // namespace
}  // namespace comch::test
