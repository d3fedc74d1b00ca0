// PeerPlan: what one process writes is what the other one reads.
#include "tool/bench/peer_plan.h"

#include <gtest/gtest.h>

namespace comch::tool {
namespace {

constexpr const char* kOddName = "a \"device\"\n";

CommonOptions odd_options() {
  return {.device = kOddName, .representor = "fd77::1", .max_message_size = 77, .json = true};
}
void expect_odd(const CommonOptions& common) {
  EXPECT_EQ(common.device, kOddName);
  EXPECT_EQ(common.representor, "fd77::1");
  EXPECT_EQ(common.max_message_size, 77u);
  EXPECT_TRUE(common.json);
}

TEST(PeerPlanTest, FastPlanArrivesWhole) {
  const FastPlan sent{.common = odd_options(),
                      .api = Api::kDoca,
                      .size = 1U << 26U,
                      .memory = Storage::kProgram,
                      .way = Way::kLoan,
                      .by = By::kArrays,
                      .reads = true,
                      .waiting = Waiting::kSleep,
                      .producers = 3,
                      .consumers = 5,
                      .seconds = 0.1,
                      .cpus = {.own = 2, .peer = -1}};
  const auto arrived = parse_peer_plan(to_text(sent));
  ASSERT_TRUE(arrived);
  const auto& plan = std::get<FastPlan>(*arrived);
  expect_odd(plan.common);
  EXPECT_EQ(plan.api, sent.api);
  EXPECT_EQ(plan.size, sent.size);
  EXPECT_EQ(plan.memory, sent.memory);
  EXPECT_EQ(plan.way, sent.way);
  EXPECT_EQ(plan.by, sent.by);
  EXPECT_EQ(plan.reads, sent.reads);
  EXPECT_EQ(plan.waiting, sent.waiting);
  EXPECT_EQ(plan.producers, sent.producers);
  EXPECT_EQ(plan.consumers, sent.consumers);
  EXPECT_EQ(plan.seconds, sent.seconds);
  EXPECT_EQ(plan.cpus, sent.cpus);
}

TEST(PeerPlanTest, RespondersOptionsArriveWhole) {
  const ResponderOptions sent{
      .common = odd_options(), .reply = Reply::kFencesOnly, .waiting = Waiting::kSleep, .cpu = 7};
  const auto arrived = parse_peer_plan(to_text(sent));
  ASSERT_TRUE(arrived);
  const auto& options = std::get<ResponderOptions>(*arrived);
  expect_odd(options.common);
  EXPECT_EQ(options.reply, sent.reply);
  EXPECT_EQ(options.waiting, sent.waiting);
  EXPECT_EQ(options.cpu, sent.cpu);
}

TEST(PeerPlanTest, WordsOfAnybodyElseAreAComplaint) {
  for (const char* text : {"", "{}", "[]", "fast", R"({"fast":3})", R"({"fast":{"size":8}})"}) {
    const auto plan = parse_peer_plan(text);
    ASSERT_FALSE(plan) << text;
    EXPECT_EQ(plan.error().text,
              "this is no plan that comch bench has written; run comch bench itself");
  }
}

}  // namespace
}  // namespace comch::tool
