// dpa::Consumer: posting receives, and how it ends.
#include <poll.h>

#include <string>
#include <vector>

#include "comch/dpa_queue.h"
#include "support/child_process.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

struct DeviceConsumerTest : QueueTest {
  Queue queue = make_queue(Direction::kToAccelerator);
};

TEST_F(DeviceConsumerTest, HasLimits) {
  auto consumer = dpa::Consumer::create(*queue).value();
  EXPECT_EQ(consumer->set_max_receives(0).error().code, Errc::invalid_value);
  EXPECT_EQ(consumer->set_max_receives(MsgQ::kMaxDepth + 1).error().code, Errc::invalid_value);
  EXPECT_TRUE(consumer->set_max_receives(MsgQ::kMaxDepth));
  EXPECT_EQ(consumer->max_receives(), MsgQ::kMaxDepth);
  EXPECT_EQ(consumer->immediate_size(), MsgQ::kMaxImmediate);
  EXPECT_EQ(consumer->set_immediate_size(33).error().code, Errc::invalid_value);
  EXPECT_TRUE(consumer->set_immediate_size(0));
  EXPECT_EQ(&consumer->queue(), queue.get());
}

TEST_F(DeviceConsumerTest, StartsWithASizeAndAStartedCompletionContext) {
  auto consumer = dpa::Consumer::create(*queue).value();
  auto completion = dpa::ConsumerCompletion::create().value();
  completion->set_max_receives(1).value();
  EXPECT_EQ(consumer->start().error().code, Errc::bad_state);
  consumer->set_max_receives(1).value();
  EXPECT_EQ(consumer->start().error().code, Errc::bad_state);
  consumer->set_completion(*completion, 0).value();
  EXPECT_EQ(consumer->start().error().code, Errc::bad_state) << "the context is not started";
  completion->start().value();
  EXPECT_EQ(consumer->stop().error().code, Errc::bad_state);
  EXPECT_TRUE(consumer->start());
  EXPECT_EQ(consumer->start().error().code, Errc::bad_state);
  EXPECT_EQ(consumer->set_max_receives(1).error().code, Errc::bad_state);
  EXPECT_EQ(consumer->set_immediate_size(1).error().code, Errc::bad_state);
  EXPECT_EQ(consumer->set_completion(*completion, 0).error().code, Errc::bad_state);
  EXPECT_EQ(dpa::Consumer::destroy(consumer).error().code, Errc::in_use);
  end(consumer);
  EXPECT_EQ(dpa::Consumer::destroy(consumer).error().code, Errc::invalid_value);
  end(completion);
}

TEST_F(DeviceConsumerTest, DoesNotStartOnARuinedAccelerator) {
  auto consumer = dpa::Consumer::create(*queue).value();
  auto completion = dpa::ConsumerCompletion::create().value();
  completion->set_max_receives(1).value();
  completion->start().value();
  consumer->set_max_receives(1).value();
  consumer->set_completion(*completion, 0).value();
  accelerator->report_failure({Errc::io_failed, 0, "for the test"});
  EXPECT_EQ(consumer->start().error().code, Errc::bad_state);
  end(consumer);
  end(completion);
}

TEST_F(DeviceConsumerTest, PostsNoMoreThanItsQueueHolds) {
  DeviceConsumer there(*queue, {.receives = 4, .elements = 8});
  CpuProducer here(*engine, *queue);
  EXPECT_EQ(there.consumer->ack(5).error().code, Errc::invalid_value);
  EXPECT_EQ(here.send("x").error().code, Errc::again) << "nothing was posted";
  EXPECT_TRUE(there.consumer->ack(3));
  EXPECT_EQ(there.consumer->ack(2).error().code, Errc::invalid_value);
  EXPECT_EQ(there.consumer->ack(~0U).error().code, Errc::invalid_value);
  EXPECT_TRUE(there.consumer->ack(1));
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(here.send("x"));
  EXPECT_EQ(here.send("x").error().code, Errc::again);
  ASSERT_TRUE(there.get());
  EXPECT_TRUE(there.consumer->ack(1)) << "one was filled";
}

TEST_F(DeviceConsumerTest, PostsNothingBeforeItStartsOrAfterItStopped) {
  auto consumer = dpa::Consumer::create(*queue).value();
  EXPECT_EQ(consumer->ack(1).error().code, Errc::bad_state);
  EXPECT_TRUE(dpa::Consumer::destroy(consumer));
  DeviceConsumer there(*queue);
  there.consumer->stop().value();
  EXPECT_EQ(there.consumer->ack(1).error().code, Errc::bad_state);
}

TEST_F(DeviceConsumerTest, TakesNoMoreThanItsImmediateSize) {
  DeviceConsumer there(*queue, {.immediate = 2, .posted = 1});
  CpuProducer here(*engine, *queue);
  EXPECT_EQ(here.send("abc").error().code, Errc::invalid_value);
  EXPECT_TRUE(here.send("ab"));
  EXPECT_EQ(there.get(), "ab");
}

TEST_F(DeviceConsumerTest, HandsOutWhatHasArrivedAfterItsStop) {
  DeviceConsumer there(*queue, {.posted = 2});
  CpuProducer here(*engine, *queue);
  ASSERT_TRUE(here.send("arrived"));
  there.consumer->stop().value();
  EXPECT_EQ(here.send("late").error().code, Errc::invalid_value);
  EXPECT_EQ(there.get(), "arrived");
  EXPECT_EQ(there.get(), std::nullopt);
}

TEST_F(DeviceConsumerTest, HasANewIdEachTimeItStarts) {
  DeviceConsumer there(*queue);
  EXPECT_EQ(there.id(), kFirst);
  there.consumer->stop().value();
  there.consumer->start().value();
  EXPECT_NE(there.id(), kFirst);
  CpuProducer here(*engine, *queue);
  there.consumer->ack(1).value();
  EXPECT_EQ(here.send("old", kFirst).error().code, Errc::invalid_value);
  EXPECT_TRUE(here.send("new", there.id()));
  EXPECT_EQ(there.get(), "new");
}

// A program's ends on both sides of a MsgQ, and a child that has the like of them deleted.
struct ForkedEndsTest : QueueTest {
  ForkedEndsTest() {
    const auto free = [](ReceiveTask& task) { std::ignore = task.free(); };
    here->configure_receive(
            4,
            [this, free](ReceiveTask& task) {
              texts.push_back(text_of(task.immediate()));
              free(task);
            },
            free)
        .value();
    engine->connect(*here).value();
    EXPECT_TRUE(here->start());
    EXPECT_TRUE(here->allocate_receive(nullptr).value()->submit());
  }
  ~ForkedEndsTest() override {
    std::ignore = here->stop();
    EXPECT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
  }

  Queue queue = make_queue(Direction::kToCpu);
  std::vector<std::string> texts;
  std::unique_ptr<Consumer> here = Consumer::create(*queue).value();
  DeviceProducer there{*accelerator, *queue};
};

TEST_F(ForkedEndsTest, StillWakeTheirParent) {
  ChildProcess child = ChildProcess::run([&] {
    EXPECT_EQ(here->stop().error().code, Errc::not_permitted);
    here.reset();
    there.producer.reset();
    there.completions.reset();
    std::unique_ptr<MsgQ>(queue.release()).reset();
    engine.reset();
    return 0;
  });
  EXPECT_EQ(child.wait(), Exit::with(0));
  settle(*engine);
  ASSERT_TRUE(engine->request_notification());
  ASSERT_TRUE(there.post("hello", here->id()));
  pollfd woken{.fd = engine->event_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&woken, 1, Deadline().left_ms()), 1);
  EXPECT_TRUE(until(*engine, [&] { return texts == std::vector<std::string>{"hello"}; }));
}

}  // namespace
}  // namespace comch::test
