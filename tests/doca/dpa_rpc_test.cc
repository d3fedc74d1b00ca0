// doca_dpa_rpc(): arguments, the answer, what goes wrong.
#include "doca/dpa_parties.h"

// As programs declare what is in device_functions.c.
extern "C" {
extern doca_dpa_app* app_in_c;
extern doca_dpa_func_t add_in_c;
extern doca_dpa_func_t reschedule_in_c;
}

namespace comch::test {
namespace {

using DocaRpcTest = DpaTest;

std::uint64_t nothing() { return 42; }

std::uint64_t of_small_words(std::uint8_t a, std::int32_t b, std::uint16_t c) {
  const int sum = a + b + c;
  return static_cast<std::uint64_t>(sum);
}

// One more than registers hold, on every machine comch runs on.
std::uint64_t of_twelve(std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t d,
                        std::uint64_t e, std::uint64_t f, std::uint64_t g, std::uint64_t h,
                        std::uint64_t i, std::uint64_t j, std::uint64_t k, const std::uint64_t* l) {
  std::uint64_t all = 0;
  for (const std::uint64_t each : {a, b, c, d, e, f, g, h, i, j, k, *l}) all = all * 10 + each;
  return all;
}

std::uint64_t ends_early(std::uint64_t) {
  doca_dpa_dev_thread_reschedule();
  return 1;
}

TEST_F(DocaRpcTest, AnswersWhatTheFunctionAnswers) {
  std::uint64_t answer = 0;
  EXPECT_EQ(doca_dpa_rpc(dpa, device_function(nothing), &answer), DOCA_SUCCESS);
  EXPECT_EQ(answer, 42U);
}

TEST_F(DocaRpcTest, PassesWordsOfAnySize) {
  std::uint64_t answer = 0;
  EXPECT_EQ(doca_dpa_rpc(dpa, device_function(of_small_words), &answer, std::uint8_t{200}, -100,
                         std::uint16_t{50000}),
            DOCA_SUCCESS);
  EXPECT_EQ(answer, 50100U);
}

TEST_F(DocaRpcTest, PassesTwelveArguments) {
  std::uint64_t answer = 0;
  const std::uint64_t last = 3;
  EXPECT_EQ(doca_dpa_rpc(dpa, device_function(of_twelve), &answer, std::uint64_t{1},
                         std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4}, std::uint64_t{5},
                         std::uint64_t{6}, std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{9},
                         std::uint64_t{1}, std::uint64_t{2}, &last),
            DOCA_SUCCESS);
  EXPECT_EQ(answer, 123456789123U);
}

TEST_F(DocaRpcTest, AnswersZeroForAFunctionThatEndsItsRun) {
  std::uint64_t answer = 7;
  EXPECT_EQ(doca_dpa_rpc(dpa, device_function(ends_early), &answer), DOCA_SUCCESS);
  EXPECT_EQ(answer, 0U);
}

TEST_F(DocaRpcTest, CallsFunctionsInC) {
  EXPECT_STREQ(app_in_c->name, "app_in_c");
  std::uint64_t answer = 7;
  EXPECT_EQ(doca_dpa_rpc(dpa, add_in_c, &answer, std::uint64_t{40}, 2U), DOCA_SUCCESS);
  EXPECT_EQ(answer, 42U);
  EXPECT_EQ(doca_dpa_rpc(dpa, reschedule_in_c, &answer, std::uint64_t{9}), DOCA_SUCCESS);
  EXPECT_EQ(answer, 0U) << "it went on";
  EXPECT_EQ(doca_dpa_peek_at_last_error(dpa), DOCA_SUCCESS);
}

TEST_F(DocaRpcTest, NeedsItsPointersAndAStartedAccelerator) {
  std::uint64_t answer = 0;
  doca_dpa_func_t* const function = device_function(nothing);
  EXPECT_EQ(doca_dpa_rpc(nullptr, function, &answer), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_rpc(dpa, nullptr, &answer), DOCA_ERROR_INVALID_VALUE);
  EXPECT_EQ(doca_dpa_rpc(dpa, function, nullptr), DOCA_ERROR_INVALID_VALUE);
  ASSERT_EQ(doca_dpa_stop(dpa), DOCA_SUCCESS);
  EXPECT_EQ(doca_dpa_rpc(dpa, function, &answer), DOCA_ERROR_BAD_STATE);
}

}  // namespace
}  // namespace comch::test
