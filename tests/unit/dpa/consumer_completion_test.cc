// ConsumerCompletion: getting, acknowledging and being notified, in any order.
#include <array>
#include <atomic>

#include "comch/dpa_queue.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

using dpa::ConsumerCompletion;

struct ConsumerCompletionTest : QueueTest {
  std::unique_ptr<ConsumerCompletion> completion = ConsumerCompletion::create().value();
};

TEST_F(ConsumerCompletionTest, HasLimits) {
  EXPECT_EQ(completion->set_max_consumers(0).error().code, Errc::invalid_value);
  EXPECT_EQ(completion->set_max_consumers(ConsumerCompletion::kMaxConsumers + 1).error().code,
            Errc::invalid_value);
  EXPECT_TRUE(completion->set_max_consumers(ConsumerCompletion::kMaxConsumers));
  EXPECT_EQ(completion->max_consumers(), ConsumerCompletion::kMaxConsumers);
  EXPECT_EQ(completion->set_max_receives(0).error().code, Errc::invalid_value);
  EXPECT_EQ(completion->set_max_receives(MsgQ::kMaxDepth + 1).error().code, Errc::invalid_value);
  EXPECT_TRUE(completion->set_max_receives(MsgQ::kMaxDepth));
  EXPECT_EQ(completion->max_receives(), MsgQ::kMaxDepth);
  EXPECT_EQ(completion->immediate_size(), MsgQ::kMaxImmediate);
  EXPECT_EQ(completion->set_immediate_size(33).error().code, Errc::invalid_value);
  EXPECT_TRUE(completion->set_immediate_size(0));
  EXPECT_EQ(completion->immediate_size(), 0U);
}

TEST_F(ConsumerCompletionTest, StartsWithItsSizeAndAStartedThread) {
  EXPECT_EQ(completion->start().error().code, Errc::bad_state);
  completion->set_max_receives(1).value();
  auto thread = dpa::Thread::create(*accelerator).value();
  thread->set_kernel([](dpa::Run&) {}).value();
  completion->set_thread(*thread).value();
  EXPECT_EQ(completion->thread(), thread.get());
  EXPECT_EQ(completion->start().error().code, Errc::bad_state) << "the thread is not started";
  thread->start().value();
  EXPECT_TRUE(completion->start());
  EXPECT_EQ(completion->start().error().code, Errc::bad_state);
  EXPECT_EQ(ConsumerCompletion::destroy(completion).error().code, Errc::in_use);
  EXPECT_TRUE(completion->stop());
  EXPECT_EQ(completion->stop().error().code, Errc::bad_state);
  EXPECT_TRUE(ConsumerCompletion::destroy(completion));
  EXPECT_EQ(ConsumerCompletion::destroy(completion).error().code, Errc::invalid_value);
  end(thread);
}

TEST_F(ConsumerCompletionTest, IsConfiguredOnlyWhileItIsNotStarted) {
  completion->set_max_receives(1).value();
  completion->start().value();
  EXPECT_EQ(completion->set_max_consumers(1).error().code, Errc::bad_state);
  EXPECT_EQ(completion->set_max_receives(1).error().code, Errc::bad_state);
  EXPECT_EQ(completion->set_immediate_size(1).error().code, Errc::bad_state);
  completion->stop().value();
}

TEST_F(ConsumerCompletionTest, HasNothingToGetBeforeItIsStarted) {
  EXPECT_EQ(completion->get_completion(), nullptr);
  EXPECT_EQ(completion->acknowledge(0).error().code, Errc::bad_state);
  EXPECT_EQ(completion->request_notification().error().code, Errc::bad_state);
  completion->set_max_receives(1).value();
  completion->start().value();
  EXPECT_EQ(completion->get_completion(), nullptr);
  EXPECT_EQ(completion->request_notification().error().code, Errc::bad_state)
      << "there is no thread";
  completion->stop().value();
}

TEST_F(ConsumerCompletionTest, KeepsAnElementUntilItIsAcknowledged) {
  const Queue queue = make_queue(Direction::kToAccelerator);
  DeviceConsumer there(*queue, {.receives = 4, .elements = 2, .posted = 4});
  CpuProducer here(*engine, *queue);
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(here.send(text));
  const dpa::ReceiveElement* first = there.arrivals->get_completion();
  const dpa::ReceiveElement* second = there.arrivals->get_completion();
  EXPECT_EQ(there.arrivals->get_completion(), nullptr) << "both elements are out";
  EXPECT_EQ(text_of(first->immediate), "a");
  EXPECT_EQ(text_of(second->immediate), "b");
  EXPECT_EQ(there.arrivals->acknowledge(3).error().code, Errc::invalid_value);
  EXPECT_TRUE(there.arrivals->acknowledge(1));
  EXPECT_EQ(text_of(there.arrivals->get_completion()->immediate), "c");
  EXPECT_EQ(text_of(second->immediate), "b") << "the younger one is still kept";
  EXPECT_TRUE(there.arrivals->acknowledge(2));
}

// As a kernel does that works on it while the program stops things.
TEST_F(ConsumerCompletionTest, KeepsAnElementThroughItsStopAndStartsAgainOnlyAfterwards) {
  const Queue queue = make_queue(Direction::kToAccelerator);
  DeviceConsumer there(*queue, {.posted = 1});
  CpuProducer here(*engine, *queue);
  ASSERT_TRUE(here.send("kept"));
  const dpa::ReceiveElement* element = there.arrivals->get_completion();
  ASSERT_NE(element, nullptr);
  there.consumer->stop().value();
  there.arrivals->stop().value();
  EXPECT_EQ(there.arrivals->start().error().code, Errc::in_use);
  EXPECT_FALSE(there.arrivals->started());
  EXPECT_EQ(text_of(element->immediate), "kept");
  EXPECT_EQ(there.arrivals->acknowledge(2).error().code, Errc::invalid_value);
  EXPECT_TRUE(there.arrivals->acknowledge(1));
  EXPECT_EQ(there.arrivals->acknowledge(0).error().code, Errc::bad_state);
  EXPECT_TRUE(there.arrivals->start());
}

TEST_F(ConsumerCompletionTest, ServesItsConsumersInTurnsAndTellsThemApart) {
  const Queue queue = make_queue(Direction::kToAccelerator, {.consumers = 2, .producers = 1});
  completion->set_max_receives(4).value();
  completion->set_max_consumers(2).value();
  completion->start().value();
  std::array<std::unique_ptr<dpa::Consumer>, 2> consumers;
  for (std::uint32_t n = 0; n < 2; ++n) {
    consumers[n] = dpa::Consumer::create(*queue).value();
    consumers[n]->set_max_receives(2).value();
    consumers[n]->set_completion(*completion, 70 + n).value();
    consumers[n]->start().value();
    consumers[n]->ack(2).value();
  }
  CpuProducer here(*engine, *queue);
  for (int n = 0; n < 2; ++n) ASSERT_TRUE(here.send("first", consumers[0]->id()));
  for (int n = 0; n < 2; ++n) ASSERT_TRUE(here.send("second", consumers[1]->id()));
  for (const std::uint32_t n : {0U, 1U, 0U, 1U}) {
    const dpa::ReceiveElement* element = completion->get_completion();
    ASSERT_NE(element, nullptr);
    EXPECT_EQ(element->user_data, 70 + n);
    EXPECT_EQ(element->consumer, consumers[n]->id());
  }
  EXPECT_EQ(completion->stop().error().code, Errc::in_use);
  for (auto& consumer : consumers) end(consumer);
  end(completion);
}

TEST_F(ConsumerCompletionTest, TakesAsManyConsumersAsItMayHave) {
  const Queue queue = make_queue(Direction::kToAccelerator, {.consumers = 2, .producers = 1});
  completion->set_max_receives(1).value();
  completion->set_max_consumers(1).value();
  completion->set_immediate_size(4).value();
  completion->start().value();
  std::array<std::unique_ptr<dpa::Consumer>, 2> consumers;
  for (auto& consumer : consumers) {
    consumer = dpa::Consumer::create(*queue).value();
    consumer->set_max_receives(1).value();
    consumer->set_completion(*completion, 0).value();
    EXPECT_EQ(consumer->start().error().code, Errc::invalid_value) << "32 bytes do not fit";
    consumer->set_immediate_size(4).value();
  }
  EXPECT_TRUE(consumers[0]->start());
  EXPECT_EQ(consumers[1]->start().error().code, Errc::full);
  end(consumers[0]);
  EXPECT_TRUE(consumers[1]->start());
  end(consumers[1]);
  end(completion);
}

// --- Notifications: acknowledge, request and post may come in any order -------------------

// The kernel gets all there is, then does the three in the order given, and counts. Elements and
// receives are fewer than messages, so that each of the three is what the next message waits for.
enum class Step : std::uint8_t { kAcknowledge, kRequest, kPost };
using Order = std::array<Step, 3>;

struct NotificationOrderTest : QueueTest, testing::WithParamInterface<Order> {};

TEST_P(NotificationOrderTest, LosesNoMessage) {
  constexpr int kMessages = 1000;
  const Queue queue = make_queue(Direction::kToAccelerator);
  auto thread = dpa::Thread::create(*accelerator).value();
  std::atomic<int> got{0};
  DeviceConsumer* there = nullptr;
  thread
      ->set_kernel([&](dpa::Run& run) {
        std::uint32_t count = 0;
        while (there->arrivals->get_completion() != nullptr) ++count;
        for (const Step step : GetParam()) {
          Status done;
          if (step == Step::kAcknowledge) done = there->arrivals->acknowledge(count);
          if (step == Step::kRequest) done = there->arrivals->request_notification();
          if (step == Step::kPost) done = there->consumer->ack(count);
          if (!done) run.accelerator().report_failure(done.error());
        }
        got += static_cast<int>(count);
      })
      .value();
  thread->start().value();
  {
    DeviceConsumer consumer(*queue,
                            {.receives = 3, .elements = 2, .posted = 3, .thread = thread.get()});
    there = &consumer;
    thread->run().value();
    CpuProducer here(*engine, *queue);
    const Deadline deadline;
    for (int n = 0; n < kMessages && !deadline.passed();) {
      const Status sent = here.send("x");
      if (sent) ++n;
      ASSERT_TRUE(sent || sent.error().code == Errc::again);
      engine->progress();
    }
    EXPECT_TRUE(eventually([&] { return got == kMessages; })) << got;
    EXPECT_TRUE(accelerator->failure());
    thread->stop().value();
  }
  EXPECT_TRUE(dpa::Thread::destroy(thread));
}

using enum Step;
INSTANTIATE_TEST_SUITE_P(
    EveryOrder, NotificationOrderTest,
    testing::Values(Order{kAcknowledge, kRequest, kPost}, Order{kAcknowledge, kPost, kRequest},
                    Order{kRequest, kAcknowledge, kPost}, Order{kRequest, kPost, kAcknowledge},
                    Order{kPost, kAcknowledge, kRequest}, Order{kPost, kRequest, kAcknowledge}));

}  // namespace
}  // namespace comch::test
