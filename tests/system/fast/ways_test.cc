// Two processes send to each other at once: every way that data can go, at every length where
// something changes.
#include <gtest/gtest.h>

#include <string>

#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

// What each size is sent with; without data the immediate data is the message.
Plan every_size() {
  Plan plan;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{112}, std::size_t{113},
        std::size_t{4096}, std::size_t{65'536}, kMiB, 8 * kMiB + 1}) {
    for (const std::size_t immediate :
         {std::size_t{0}, std::size_t{8}, std::size_t{33}, std::size_t{Consumer::kMaxImmediate}}) {
      plan.push_back({.size = size, .immediate = immediate});
    }
  }
  return plan;
}

// Where data of the default, of each way, goes through.
bool went(DataWay way, const ProducerCounters& sent) {
  const bool mapped = sent.mapped_messages + sent.cooperative_messages != 0;
  const bool staged = sent.staged_messages != 0;
  const bool cma = sent.cma_messages != 0;
  return mapped == (way == DataWay::kMapped) && staged == (way == DataWay::kStaged) &&
         cma == (way == DataWay::kCma);
}

// One side's part: all that the other sends, and all that it sends to the other.
void exchange(Partner& side, const Receiver::Options& options, std::size_t cooperative) {
  const Plan plan = every_size();
  Receiver receiver(side.connection(), side.engine(), plan, options);
  Sender sender(side.connection(), side.engine(), plan, {.cooperative = cooperative});
  ASSERT_TRUE(receiver.start());
  ASSERT_TRUE(sender.start());
  const std::optional<ConsumerId> to = side.consumer();
  ASSERT_TRUE(to);
  sender.send_to({*to});
  EXPECT_TRUE(side.run_until([&] { return sender.done() && receiver.heard() == plan.size(); }))
      << sender.sent() << " sent, " << receiver.heard() << " received";
  EXPECT_EQ(sender.sent(), plan.size()) << sender.why();
  EXPECT_EQ(receiver.wrong(), 0u);
  const DataWay way = receiver->way();
  EXPECT_TRUE(options.way == DataWay::kAuto || way == options.way);
  EXPECT_TRUE(went(way, sender->counters())) << name(way);
  EXPECT_EQ(receiver->counters().received_messages, plan.size());
  EXPECT_TRUE(side.agree("received"));
  EXPECT_TRUE(sender.stop());
  EXPECT_TRUE(receiver.stop());
  EXPECT_EQ(receiver.returned().size(), options.depth);
  EXPECT_TRUE(side.agree("stopped"));
}

struct Case {
  std::string name;
  Receiver::Options options;
  std::size_t cooperative = Producer::kDefaultCooperative;
};

struct Ways : testing::TestWithParam<Case> {
  RuntimeDirectory runtime;
};

TEST_P(Ways, MessagesOfEverySizeArriveWholeInOrderInBothDirectionsAtOnce) {
  as_two([](Partner& side) { exchange(side, GetParam().options, GetParam().cooperative); });
}

using Kind = Rooms::Kind;
INSTANTIATE_TEST_SUITE_P(
    All, Ways,
    testing::Values(Case{"auto_shared", {.way = DataWay::kAuto, .kind = Kind::kShared}},
                    Case{"auto_private", {.way = DataWay::kAuto, .kind = Kind::kPrivate}},
                    Case{"mapped", {.way = DataWay::kMapped, .kind = Kind::kShared}},
                    Case{"mapped_alone", {.way = DataWay::kMapped, .kind = Kind::kShared}, 0},
                    Case{"staged", {.way = DataWay::kStaged, .kind = Kind::kPrivate}},
                    Case{"staged_shared", {.way = DataWay::kStaged, .kind = Kind::kShared}},
                    Case{"cma", {.way = DataWay::kCma, .kind = Kind::kPrivate}}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace comch::test
