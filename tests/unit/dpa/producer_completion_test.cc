// ProducerCompletion: completions of those who asked for them, and notifications.
#include <atomic>

#include "comch/dpa_queue.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

using dpa::ProducerCompletion;

struct ProducerCompletionTest : QueueTest {
  Queue queue = make_queue(Direction::kToCpu);
};

TEST_F(ProducerCompletionTest, HasOneTo65536ElementsRoundedUp) {
  for (const std::uint32_t elements : {0U, ProducerCompletion::kMaxElements + 1}) {
    EXPECT_EQ(ProducerCompletion::create(*accelerator, elements).error().code, Errc::invalid_value);
  }
  EXPECT_EQ(ProducerCompletion::create(*accelerator, 1).value()->elements(), 1U);
  EXPECT_EQ(ProducerCompletion::create(*accelerator, 5).value()->elements(), 8U);
  EXPECT_EQ(ProducerCompletion::create(*accelerator, ProducerCompletion::kMaxElements)
                .value()
                ->elements(),
            ProducerCompletion::kMaxElements);
}

TEST_F(ProducerCompletionTest, StartsWithAStartedThreadAndStopsWhenNothingIsAttached) {
  auto thread = dpa::Thread::create(*accelerator).value();
  thread->set_kernel([](dpa::Run&) {}).value();
  auto completion = ProducerCompletion::create(*accelerator, 1).value();
  completion->set_thread(*thread).value();
  EXPECT_EQ(completion->thread(), thread.get());
  EXPECT_EQ(completion->start().error().code, Errc::bad_state);
  EXPECT_EQ(completion->stop().error().code, Errc::bad_state);
  EXPECT_EQ(completion->get_completion(), nullptr);
  EXPECT_EQ(completion->acknowledge(0).error().code, Errc::bad_state);
  EXPECT_EQ(completion->request_notification().error().code, Errc::bad_state);
  thread->start().value();
  EXPECT_TRUE(completion->start());
  EXPECT_EQ(completion->start().error().code, Errc::bad_state);
  EXPECT_EQ(completion->set_thread(*thread).error().code, Errc::bad_state);
  EXPECT_EQ(ProducerCompletion::destroy(completion).error().code, Errc::in_use);
  end(completion);
  EXPECT_EQ(ProducerCompletion::destroy(completion).error().code, Errc::invalid_value);
  end(thread);

  DeviceProducer attached(*accelerator, *queue);
  EXPECT_EQ(attached.completions->stop().error().code, Errc::in_use);
}

TEST_F(ProducerCompletionTest, TellsOnlyOfWhatAskedForIt) {
  CpuConsumer here(*engine, *queue, {.posted = 4});
  DeviceProducer there(*accelerator, *queue);
  ASSERT_TRUE(there.post("silent"));
  ASSERT_TRUE(there.post("reported", kFirst, {.report = true, .user_data = 9}));
  ASSERT_TRUE(there.post("silent"));
  EXPECT_EQ(there.get(), 9U);
  EXPECT_EQ(there.get(), std::nullopt);
}

TEST_F(ProducerCompletionTest, TellsOnceAMessageIsInAPostedReceive) {
  CpuConsumer here(*engine, *queue);
  DeviceProducer there(*accelerator, *queue);
  ASSERT_TRUE(there.post("held", kFirst, {.report = true, .user_data = 9}));
  EXPECT_EQ(there.get(), std::nullopt);
  here.post();
  EXPECT_EQ(there.get(), 9U);
}

TEST_F(ProducerCompletionTest, KeepsAnElementUntilItIsAcknowledged) {
  CpuConsumer here(*engine, *queue, {.posted = 4});
  DeviceProducer there(*accelerator, *queue, {.sends = 4, .elements = 2});
  for (std::uint64_t n = 1; n <= 3; ++n) {
    ASSERT_TRUE(there.post("x", kFirst, {.report = true, .user_data = n}));
  }
  const dpa::SendElement* first = there.completions->get_completion();
  ASSERT_NE(first, nullptr);
  ASSERT_NE(there.completions->get_completion(), nullptr);
  EXPECT_EQ(there.completions->get_completion(), nullptr);
  EXPECT_EQ(first->user_data, 1U);
  EXPECT_EQ(there.completions->acknowledge(3).error().code, Errc::invalid_value);
  EXPECT_TRUE(there.completions->acknowledge(1));
  EXPECT_EQ(there.completions->get_completion()->user_data, 3U);
}

TEST_F(ProducerCompletionTest, KeepsAnElementThroughItsStopAndStartsAgainOnlyAfterwards) {
  CpuConsumer here(*engine, *queue, {.posted = 1});
  DeviceProducer there(*accelerator, *queue);
  ASSERT_TRUE(there.post("x", kFirst, {.report = true, .user_data = 7}));
  const dpa::SendElement* element = there.completions->get_completion();
  ASSERT_NE(element, nullptr);
  there.producer->stop().value();
  there.completions->stop().value();
  EXPECT_EQ(there.completions->start().error().code, Errc::in_use);
  EXPECT_EQ(element->user_data, 7U);
  EXPECT_TRUE(there.completions->acknowledge(1));
  EXPECT_EQ(there.completions->acknowledge(0).error().code, Errc::bad_state);
  EXPECT_TRUE(there.completions->start());
}

// The kernel learns of completions only by notification, gets them all, and asks again, before or
// behind the acknowledgement. Elements are few, so that an acknowledgement is what makes room.
struct CompletionOrderTest : ProducerCompletionTest, testing::WithParamInterface<bool> {};

TEST_P(CompletionOrderTest, LosesNoCompletion) {
  constexpr std::uint64_t kMessages = 1000;
  auto thread = dpa::Thread::create(*accelerator).value();
  std::atomic<std::uint64_t> got{0};
  ProducerCompletion* completions = nullptr;
  thread
      ->set_kernel([&](dpa::Run&) {
        std::uint64_t count = 0;
        while (completions->get_completion() != nullptr) ++count;
        if (GetParam()) std::ignore = completions->request_notification();
        std::ignore = completions->acknowledge(count);
        if (!GetParam()) std::ignore = completions->request_notification();
        got += count;
      })
      .value();
  thread->start().value();
  {
    CpuConsumer here(*engine, *queue, {.tasks = 3, .posted = 3, .again = true});
    DeviceProducer there(*accelerator, *queue, {.sends = 8, .elements = 2, .thread = thread.get()});
    completions = there.completions.get();
    thread->run().value();
    const Deadline deadline;
    for (std::uint64_t n = 0; n < kMessages && !deadline.passed();) {
      if (there.post("x", kFirst, {.report = true, .user_data = 0})) ++n;
      engine->progress();
    }
    EXPECT_TRUE(here.has(kMessages));
    EXPECT_TRUE(eventually([&] { return got == kMessages; })) << got;
    thread->stop().value();
  }
  EXPECT_TRUE(dpa::Thread::destroy(thread));
}

INSTANTIATE_TEST_SUITE_P(BothOrders, CompletionOrderTest, testing::Bool());

}  // namespace
}  // namespace comch::test
