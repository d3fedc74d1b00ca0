// SendEnd: a producer on the CPU, without tasks.
#include "msgq/send_end.h"

#include "unit/dpa/ends.h"

namespace comch::msgq {
namespace {

struct SendEndTest : test::QueueTest {
  Queue queue = make_queue(test::Direction::kToAccelerator);
  std::unique_ptr<SendEnd> end = SendEnd::create(*queue).value();
};

TEST_F(SendEndTest, HasItsIdBeforeItIsOpenAndOpensOnce) {
  EXPECT_EQ(end->id(), ProducerId{1});
  ASSERT_TRUE(end->open());
  EXPECT_EQ(end->open().error().code, Errc::bad_state);
}

TEST_F(SendEndTest, PutsWhatIsTakenOnlyOnceItIsPublished) {
  test::DeviceConsumer to(*queue, {.posted = 2});
  ASSERT_TRUE(end->open());
  ASSERT_TRUE(end->put(test::kFirst, test::bytes("a")));
  EXPECT_EQ(to.get(), std::nullopt);
  end->publish();
  EXPECT_EQ(to.get(), "a");
  ASSERT_TRUE(end->put(test::kFirst, test::bytes("b")));
  end->close();
  EXPECT_EQ(to.get(), "b");
}

TEST_F(SendEndTest, SeesSpaceAsSoonAsItIsPosted) {
  test::DeviceConsumer to(*queue);
  ASSERT_TRUE(end->open());
  EXPECT_FALSE(end->has_space(test::kFirst).value());
  EXPECT_EQ(end->put(test::kFirst, {}).error().code, Errc::again);
  EXPECT_FALSE(end->arm());
  ASSERT_TRUE(to.consumer->ack(1));
  EXPECT_TRUE(end->has_space(test::kFirst).value());
  end->disarm();
  EXPECT_TRUE(end->put(test::kFirst, {}));
  EXPECT_EQ(end->has_space(ConsumerId{9}).error().code, Errc::invalid_value);
}

}  // namespace
}  // namespace comch::msgq
