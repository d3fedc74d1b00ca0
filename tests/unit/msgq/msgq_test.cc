// MsgQ: how it is configured, started and stopped, and what its ends may be.
#include "comch/msgq.h"

#include "support/child_process.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

struct MsgQTest : QueueTest {
  std::unique_ptr<MsgQ> queue = MsgQ::create(host()).value();
};

TEST_F(MsgQTest, NeedsADevice) {
  EXPECT_EQ(MsgQ::create(nullptr).error().code, Errc::invalid_value);
  EXPECT_EQ(queue->device()->info().name, host()->info().name);
}

TEST_F(MsgQTest, StartsOnceItIsSaidWhichEndRunsOnAnAccelerator) {
  EXPECT_EQ(queue->start().error().code, Errc::bad_state);
  queue->set_accelerator_consumer(*accelerator).value();
  EXPECT_TRUE(queue->start());
  EXPECT_TRUE(queue->started());
  EXPECT_EQ(queue->start().error().code, Errc::bad_state);
  EXPECT_TRUE(queue->stop());
  EXPECT_EQ(queue->stop().error().code, Errc::bad_state);
}

TEST_F(MsgQTest, HasOneDirectionTheLastOneThatWasSet) {
  queue->set_accelerator_consumer(*accelerator).value();
  EXPECT_EQ(queue->accelerator_consumer(), accelerator.get());
  queue->set_accelerator_producer(*accelerator).value();
  EXPECT_EQ(queue->accelerator_consumer(), nullptr);
  EXPECT_EQ(queue->accelerator_producer(), accelerator.get());
}

TEST_F(MsgQTest, TakesOneTo1024ConsumersAndProducers) {
  for (const std::uint32_t limit : {0U, MsgQ::kMaxConsumers + 1}) {
    EXPECT_EQ(queue->set_max_consumers(limit).error().code, Errc::invalid_value);
    EXPECT_EQ(queue->set_max_producers(limit).error().code, Errc::invalid_value);
  }
  EXPECT_EQ(queue->max_consumers(), 1U);
  EXPECT_EQ(queue->max_producers(), 1U);
  EXPECT_TRUE(queue->set_max_consumers(MsgQ::kMaxConsumers));
  EXPECT_TRUE(queue->set_max_producers(MsgQ::kMaxProducers));
}

TEST_F(MsgQTest, IsOutOfUseInAChildOfFork) {
  queue->set_accelerator_consumer(*accelerator).value();
  queue->start().value();
  ChildProcess child = ChildProcess::run([&] {
    const auto is_refused = [](const auto& answer) {
      return !answer && answer.error().code == Errc::not_permitted;
    };
    EXPECT_TRUE(is_refused(queue->start()));
    EXPECT_TRUE(is_refused(queue->stop()));
    EXPECT_TRUE(is_refused(Producer::create(*queue)));
    EXPECT_TRUE(is_refused(dpa::Consumer::create(*queue)));
    EXPECT_EQ(MsgQ::destroy(queue).error().code, Errc::in_use);
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  EXPECT_TRUE(queue->started());
  queue->stop().value();
}

TEST_F(MsgQTest, IsConfiguredOnlyWhileItIsStopped) {
  queue->set_accelerator_consumer(*accelerator).value();
  queue->start().value();
  EXPECT_EQ(queue->set_accelerator_consumer(*accelerator).error().code, Errc::bad_state);
  EXPECT_EQ(queue->set_accelerator_producer(*accelerator).error().code, Errc::bad_state);
  EXPECT_EQ(queue->set_max_consumers(2).error().code, Errc::bad_state);
  EXPECT_EQ(queue->set_max_producers(2).error().code, Errc::bad_state);
  EXPECT_EQ(MsgQ::destroy(queue).error().code, Errc::in_use);
  ASSERT_NE(queue, nullptr);
  queue->stop().value();
  EXPECT_TRUE(MsgQ::destroy(queue));
  EXPECT_EQ(MsgQ::destroy(queue).error().code, Errc::invalid_value);
}

TEST_F(MsgQTest, KeepsTheUserData) {
  queue->set_user_data({.value = 7});
  EXPECT_EQ(queue->user_data().value, 7U);
}

TEST_F(MsgQTest, MakesEndsOnlyWhileItIsStarted) {
  queue->set_accelerator_consumer(*accelerator).value();
  EXPECT_EQ(Producer::create(*queue).error().code, Errc::bad_state);
  EXPECT_EQ(dpa::Consumer::create(*queue).error().code, Errc::bad_state);
}

TEST_F(MsgQTest, MakesEachEndOnlyWhereItRuns) {
  const Queue down = make_queue(Direction::kToAccelerator);
  EXPECT_EQ(Consumer::create(*down).error().code, Errc::not_permitted);
  EXPECT_EQ(dpa::Producer::create(*down).error().code, Errc::not_permitted);
  const Queue up = make_queue(Direction::kToCpu);
  EXPECT_EQ(Producer::create(*up).error().code, Errc::not_permitted);
  EXPECT_EQ(dpa::Consumer::create(*up).error().code, Errc::not_permitted);
}

TEST_F(MsgQTest, MakesAsManyEndsAsItMayHave) {
  const Queue two = make_queue(Direction::kToCpu, {.consumers = 2, .producers = 1});
  auto first = Consumer::create(*two).value();
  auto second = Consumer::create(*two).value();
  EXPECT_EQ(Consumer::create(*two).error().code, Errc::full);
  EXPECT_EQ(two->consumers(), 2U);
  auto producer = dpa::Producer::create(*two).value();
  EXPECT_EQ(dpa::Producer::create(*two).error().code, Errc::full);
  EXPECT_EQ(two->producers(), 1U);
  EXPECT_TRUE(Consumer::destroy(first));
  EXPECT_TRUE(Consumer::create(*two));
}

TEST_F(MsgQTest, DoesNotStopWhileItHasEnds) {
  const Queue used = make_queue(Direction::kToAccelerator);
  auto producer = Producer::create(*used).value();
  EXPECT_EQ(used->stop().error().code, Errc::in_use);
  EXPECT_TRUE(Producer::destroy(producer));
  auto consumer = dpa::Consumer::create(*used).value();
  EXPECT_EQ(used->stop().error().code, Errc::in_use);
  EXPECT_TRUE(used->started());
  EXPECT_TRUE(dpa::Consumer::destroy(consumer));
}

TEST_F(MsgQTest, GivesTheFirstConsumerTheIdOneAndNoIdTwice) {
  const Queue up = make_queue(Direction::kToCpu);
  {
    CpuConsumer consumer(*engine, *up);
    EXPECT_EQ(consumer.id(), kFirst);
  }
  CpuConsumer consumer(*engine, *up);
  EXPECT_NE(consumer.id(), kFirst);
}

TEST_F(MsgQTest, CountsIdsFromOneAgainWhenItIsStartedAgain) {
  queue->set_accelerator_producer(*accelerator).value();
  for (int round = 0; round < 2; ++round) {
    queue->start().value();
    {
      CpuConsumer consumer(*engine, *queue);
      EXPECT_EQ(consumer.id(), kFirst);
    }
    queue->stop().value();
  }
}

TEST_F(MsgQTest, CarriesMessagesFromTheCpuToTheAccelerator) {
  const Queue down = make_queue(Direction::kToAccelerator);
  DeviceConsumer there(*down, {.posted = 2, .user_data = 7});
  CpuProducer here(*engine, *down);
  ASSERT_TRUE(here.send("one"));
  ASSERT_TRUE(here.send(""));
  const dpa::ReceiveElement* element = there.arrivals->get_completion();
  ASSERT_NE(element, nullptr);
  EXPECT_EQ(text_of(element->immediate), "one");
  EXPECT_EQ(element->producer, here.id());
  EXPECT_EQ(element->consumer, kFirst);
  EXPECT_EQ(element->user_data, 7U);
  EXPECT_EQ(there.get(), "");
  EXPECT_TRUE(there.arrivals->acknowledge(1));
}

TEST_F(MsgQTest, CarriesMessagesFromTheAcceleratorToTheCpu) {
  const Queue up = make_queue(Direction::kToCpu);
  CpuConsumer here(*engine, *up, {.posted = 2});
  DeviceProducer there(*accelerator, *up);
  ASSERT_TRUE(there.post("one"));
  ASSERT_TRUE(there.post("two"));
  ASSERT_TRUE(here.has(2));
  EXPECT_EQ(here.texts, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(here.producers, (std::vector{there.id(), there.id()}));
}

}  // namespace
}  // namespace comch::test
