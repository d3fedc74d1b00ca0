// ReceiveEnd: indexes that are posted, filled in order, and taken back.
#include "msgq/receive_end.h"

#include "msgq/send_end.h"
#include "unit/dpa/ends.h"

namespace comch::msgq {
namespace {

struct ReceiveEndTest : test::QueueTest {
  void post(std::initializer_list<std::uint16_t> indexes) {
    for (const std::uint16_t index : indexes) end->post(index);
    end->publish();
  }
  std::vector<std::uint16_t> poll() {
    std::vector<std::uint16_t> indexes;
    end->poll(8, [&](const Delivery& each) {
      indexes.push_back(each.index);
      texts.push_back(test::text_of(each.immediate));
    });
    return indexes;
  }

  Queue queue = make_queue(test::Direction::kToCpu);
  std::unique_ptr<ReceiveEnd> end = ReceiveEnd::create(*queue).value();
  std::vector<std::string> texts;
};

TEST_F(ReceiveEndTest, OpensWithOneTo8192IndexesAndUpTo32Bytes) {
  EXPECT_EQ(end->open(0, 32).error().code, Errc::invalid_value);
  EXPECT_EQ(end->open(kMaxDepth + 1, 32).error().code, Errc::invalid_value);
  EXPECT_EQ(end->open(1, kMaxImmediate + 1).error().code, Errc::invalid_value);
  EXPECT_TRUE(end->open(kMaxDepth, kMaxImmediate));
  EXPECT_EQ(end->open(1, 0).error().code, Errc::bad_state);
}

TEST_F(ReceiveEndTest, FillsIndexesInTheOrderTheyWerePosted) {
  ASSERT_TRUE(end->open(4, 32));
  test::DeviceProducer from(*accelerator, *queue);
  post({2, 0, 3});
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(from.post(text));
  EXPECT_EQ(poll(), (std::vector<std::uint16_t>{2, 0, 3}));
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(end->posted(), 0U);
}

TEST_F(ReceiveEndTest, TakesBackWhatWasNotFilledWhenItIsClosed) {
  ASSERT_TRUE(end->open(4, 32));
  test::DeviceProducer from(*accelerator, *queue);
  post({1, 2, 3});
  ASSERT_TRUE(from.post("a"));
  end->close();
  EXPECT_FALSE(end->drained());
  EXPECT_EQ(poll(), (std::vector<std::uint16_t>{1}));
  EXPECT_TRUE(end->drained());
  EXPECT_EQ(end->take_back(), 2U);
  EXPECT_EQ(end->take_back(), 3U);
  EXPECT_EQ(end->take_back(), std::nullopt);
}

TEST_F(ReceiveEndTest, HasANewIdEachTimeItIsOpened) {
  ASSERT_TRUE(end->open(4, 32));
  EXPECT_EQ(end->id(), test::kFirst);
  end->close();
  ASSERT_TRUE(end->open(4, 32));
  EXPECT_NE(end->id(), test::kFirst);
}

TEST_F(ReceiveEndTest, RingsItsDescriptorOnlyForWhoSleeps) {
  ASSERT_TRUE(end->open(4, 32));
  test::DeviceProducer from(*accelerator, *queue, {.sends = 4});
  post({0, 1});
  ASSERT_TRUE(from.post("awake"));
  EXPECT_TRUE(end->ready());
  poll();
  EXPECT_FALSE(end->arm());
  EXPECT_FALSE(end->ready());
  ASSERT_TRUE(from.post("asleep"));
  EXPECT_TRUE(end->ready());
  EXPECT_GE(end->wake_fd(), 0);
  end->disarm();
  poll();
  EXPECT_EQ(texts.size(), 2U);
}

}  // namespace
}  // namespace comch::msgq
