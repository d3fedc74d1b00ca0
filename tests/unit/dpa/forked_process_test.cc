// A child of fork() and an accelerator that it inherits: it can neither use it nor wait for it.
#include "dpa/producer_completion_impl.h"
#include "support/child_process.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

// One of each, started.
struct ForkedAcceleratorTest : QueueTest {
  ForkedAcceleratorTest() {
    thread->set_kernel([](dpa::Run&) {}).value();
    thread->start().value();
    notification->start().value();
    operations->set_completion(*producer.completions).value();
    operations->start().value();
  }
  ~ForkedAcceleratorTest() override {
    end(operations);
    end(notification);
    end(thread);
  }

  template <class Face>
  static void expect_out_of_use(std::unique_ptr<Face>& face) {
    EXPECT_TRUE(is_refused(face->start()));
    EXPECT_TRUE(is_refused(face->stop()));
    EXPECT_TRUE(face->started()) << "as in the parent";
    EXPECT_EQ(Face::destroy(face).error().code, Errc::in_use);
  }
  template <class Answer>
  static bool is_refused(const Answer& answer) {
    return !answer && answer.error().code == Errc::not_permitted;
  }

  Queue inward = make_queue(Direction::kToAccelerator, {.consumers = 2, .producers = 1});
  Queue outward = make_queue(Direction::kToCpu, {.consumers = 1, .producers = 2});
  DeviceConsumer consumer{*inward};
  DeviceProducer producer{*accelerator, *outward};
  std::unique_ptr<dpa::Thread> thread = dpa::Thread::create(*accelerator).value();
  std::unique_ptr<dpa::Notification> notification = dpa::Notification::create(*thread).value();
  std::unique_ptr<dpa::AsyncOperations> operations =
      dpa::AsyncOperations::create(*accelerator, 1, {}).value();
};

TEST_F(ForkedAcceleratorTest, CallsOfAChildThatBeginOrEndSomethingAreRefused) {
  const dpa::DeviceAddress memory = accelerator->allocate(1).value();
  ChildProcess child = ChildProcess::run([&] {
    expect_out_of_use(consumer.arrivals);
    expect_out_of_use(consumer.consumer);
    expect_out_of_use(producer.completions);
    expect_out_of_use(producer.producer);
    expect_out_of_use(operations);
    expect_out_of_use(notification);
    EXPECT_TRUE(is_refused(accelerator->start()));
    EXPECT_TRUE(is_refused(accelerator->stop()));
    EXPECT_TRUE(is_refused(accelerator->free(memory)));
    EXPECT_TRUE(is_refused(dpa::Notification::create(*thread)));
    EXPECT_TRUE(is_refused(dpa::Consumer::create(*inward)));
    EXPECT_TRUE(is_refused(dpa::Producer::create(*outward)));
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  EXPECT_TRUE(accelerator->free(memory));
}

// A kernel that is in a call while the program forks holds its lock in the child for ever.
TEST_F(ForkedAcceleratorTest, AChildWaitsForNoLockThatAKernelHeldInFork) {
  ChildProcess child = dpa::ProducerCompletionImpl::of(*producer.completions).locked([&] {
    return ChildProcess::run([&] {
      expect_out_of_use(producer.completions);
      EXPECT_TRUE(is_refused(producer.producer->stop()));
      EXPECT_TRUE(is_refused(operations->stop()));
      return 0;
    });
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
}

TEST_F(ForkedAcceleratorTest, WhatAChildDeletesStaysTheParents) {
  ChildProcess child = ChildProcess::run([&] {
    operations.reset();
    notification.reset();
    producer.producer.reset();
    producer.completions.reset();
    consumer.consumer.reset();
    consumer.arrivals.reset();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  EXPECT_EQ(inward->consumers(), 1U);
  EXPECT_TRUE(notification->notify());
}

}  // namespace
}  // namespace comch::test
