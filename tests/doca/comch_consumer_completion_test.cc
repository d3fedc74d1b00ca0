// doca_comch_consumer_completion: settings and life. What arrives in one is in
// dpa_dev_comch_msgq_test.cc.
#include "doca/dpa_parties.h"
#include "doca/fast_parties.h"

namespace comch::test {
namespace {

struct DocaConsumerCompletionTest : DpaTest {
  DocaConsumerCompletionTest() {
    EXPECT_EQ(doca_comch_consumer_completion_create(&completion), DOCA_SUCCESS);
  }
  ~DocaConsumerCompletionTest() override {
    if (completion == nullptr) return;
    EXPECT_EQ(doca_comch_consumer_completion_destroy(completion), DOCA_SUCCESS);
  }
  doca_comch_consumer_completion* completion = nullptr;
};

struct Number {
  doca_error_t (*set)(doca_comch_consumer_completion*, uint32_t);
  doca_error_t (*get)(const doca_comch_consumer_completion*, uint32_t*);
  uint32_t usual;
  uint32_t least;
  uint32_t most;
};
const Number kNumbers[] = {{doca_comch_consumer_completion_set_max_num_consumers,
                            doca_comch_consumer_completion_get_max_num_consumers, 64, 1, 1024},
                           {doca_comch_consumer_completion_set_max_num_recv,
                            doca_comch_consumer_completion_get_max_num_recv, 0, 1, 8192},
                           {doca_comch_consumer_completion_set_imm_data_len,
                            doca_comch_consumer_completion_get_imm_data_len, 32, 0, 32}};

TEST_F(DocaConsumerCompletionTest, KeepsItsNumbersWithinTheirLimits) {
  for (const Number& each : kNumbers) {
    uint32_t value = 9;
    EXPECT_EQ(each.get(completion, &value), DOCA_SUCCESS);
    EXPECT_EQ(value, each.usual);
    EXPECT_EQ(each.set(completion, 0), each.least == 0 ? DOCA_SUCCESS : DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(each.set(completion, each.most + 1), DOCA_ERROR_INVALID_VALUE);
    for (const uint32_t wanted : {each.least, each.most}) {
      EXPECT_EQ(each.set(completion, wanted), DOCA_SUCCESS);
      EXPECT_EQ(each.get(completion, &value), DOCA_SUCCESS);
      EXPECT_EQ(value, wanted);
    }
    EXPECT_EQ(each.set(nullptr, 1), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(each.get(nullptr, &value), DOCA_ERROR_INVALID_VALUE);
    EXPECT_EQ(each.get(completion, nullptr), DOCA_ERROR_INVALID_VALUE);
  }
}

TEST_F(DocaConsumerCompletionTest, StartsAndStopsInTurns) {
  doca_dpa_dev_comch_consumer_completion_t handle = 0;
  EXPECT_EQ(doca_comch_consumer_completion_start(completion), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_comch_consumer_completion_set_max_num_recv(completion, 4), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_get_dpa_handle(completion, &handle),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_completion_stop(completion), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_completion_start(completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_start(completion), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_completion_get_dpa_handle(completion, &handle), DOCA_SUCCESS);
  EXPECT_NE(handle, 0U);
  for (const Number& each : kNumbers) EXPECT_EQ(each.set(completion, 1), DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_completion_stop(completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_start(completion), DOCA_SUCCESS);  // Destroyed so.
}

TEST_F(DocaConsumerCompletionTest, NeedsItsThreadStarted) {
  const DeviceThread thread(dpa, [] {});
  ASSERT_EQ(doca_comch_consumer_completion_set_max_num_recv(completion, 4), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_set_dpa_thread(nullptr, thread),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_set_dpa_thread(completion, nullptr),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_set_dpa_thread(completion, thread), DOCA_SUCCESS);
  ASSERT_EQ(doca_dpa_thread_stop(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_start(completion), DOCA_ERROR_BAD_STATE);
  ASSERT_EQ(doca_dpa_thread_start(thread), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_start(completion), DOCA_SUCCESS);
  EXPECT_EQ(doca_comch_consumer_completion_set_dpa_thread(completion, thread),
            DOCA_ERROR_BAD_STATE);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(completion), DOCA_SUCCESS);
  completion = nullptr;
}

TEST_F(DocaConsumerCompletionTest, NeedsItsPointers) {
  doca_dpa_dev_comch_consumer_completion_t handle = 0;
  EXPECT_EQ(doca_comch_consumer_completion_create(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_destroy(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_start(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_stop(nullptr), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_get_dpa_handle(nullptr, &handle),
            DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_comch_consumer_completion_get_dpa_handle(completion, nullptr),
            DOCA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace comch::test
