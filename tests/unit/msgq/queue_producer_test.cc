// Producer of a MsgQ: tasks, arrays, waiting for space, and how it ends.
#include "comch/queue_producer.h"

#include <array>
#include <atomic>
#include <thread>

#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

struct QueueProducerTest : QueueTest {
  Queue queue = make_queue(Direction::kToAccelerator);
};

const auto ignore_sent = [](ProducerTask&) {};

TEST_F(QueueProducerTest, HasLimits) {
  const auto producer = Producer::create(*queue).value();
  for (const std::uint32_t tasks : {0U, MsgQ::kMaxDepth + 1}) {
    EXPECT_EQ(producer->configure_send(tasks, ignore_sent, ignore_sent).error().code,
              Errc::invalid_value);
  }
  EXPECT_EQ(producer->configure_send(1, nullptr, ignore_sent).error().code, Errc::invalid_value);
  EXPECT_EQ(producer->configure_send(1, ignore_sent, nullptr).error().code, Errc::invalid_value);
  EXPECT_TRUE(producer->configure_send(MsgQ::kMaxDepth, ignore_sent, ignore_sent));
  EXPECT_EQ(producer->tasks(), MsgQ::kMaxDepth);
  EXPECT_EQ(producer->id(), ProducerId{1});
  EXPECT_EQ(producer->queue(), queue.get());
}

TEST_F(QueueProducerTest, RunsAsSoonAsItIsStarted) {
  auto producer = Producer::create(*queue).value();
  EXPECT_EQ(producer->start().error().code, Errc::not_connected);
  engine->connect(*producer).value();
  EXPECT_EQ(producer->start().error().code, Errc::bad_state) << "configure_send() is missing";
  producer->configure_send(1, ignore_sent, ignore_sent).value();
  EXPECT_EQ(producer->allocate_send(nullptr, {}, kFirst).error().code, Errc::bad_state);
  EXPECT_EQ(producer->send(kFirst, {}).error().code, Errc::bad_state);
  EXPECT_EQ(producer->request_space(kFirst).error().code, Errc::bad_state);
  EXPECT_FALSE(producer->has_space(kFirst));
  EXPECT_FALSE(producer->reaches(kFirst));
  EXPECT_EQ(producer->start().value(), ContextState::kRunning);
  EXPECT_EQ(producer->configure_send(1, ignore_sent, ignore_sent).error().code, Errc::bad_state);
  EXPECT_EQ(producer->on_space(nullptr).error().code, Errc::bad_state);
  EXPECT_EQ(Producer::destroy(producer).error().code, Errc::in_use);
  EXPECT_EQ(producer->stop().value(), ContextState::kIdle);
  EXPECT_TRUE(Producer::destroy(producer));
}

TEST_F(QueueProducerTest, CompletesEachTaskOnceFromProgress) {
  DeviceConsumer there(*queue, {.posted = 1});
  CpuProducer here(*engine, *queue);
  ProducerTask* task = here->allocate_send(nullptr, bytes("x"), kFirst).value();
  EXPECT_EQ(&task->context(), static_cast<Context*>(here.operator->()));
  ASSERT_TRUE(task->submit());
  EXPECT_EQ(task->status().error().code, Errc::in_progress);
  EXPECT_EQ(task->submit().error().code, Errc::bad_state);
  EXPECT_EQ(task->free().error().code, Errc::bad_state);
  EXPECT_TRUE(here.completions.empty());
  EXPECT_EQ(there.get(), "x") << "it has arrived all the same";
  ASSERT_TRUE(until(*engine, [&] { return here.completions.size() == 1; }));
  EXPECT_TRUE(here.completions.front());
}

TEST_F(QueueProducerTest, AsksToTryAgainWhileNothingIsPostedAndThatClearsByItself) {
  DeviceConsumer there(*queue);
  CpuProducer here(*engine, *queue);
  ProducerTask* task = here->allocate_send(nullptr, bytes("x"), kFirst).value();
  EXPECT_EQ(task->submit().error().code, Errc::again);
  there.consumer->ack(1).value();
  EXPECT_TRUE(task->submit()) << "without progress";
  EXPECT_EQ(here->counters().nothing_posted, 1U);
  EXPECT_EQ(here->counters().sent_messages, 1U);
}

TEST_F(QueueProducerTest, SendsNoBuffersAndNoMoreThan32Bytes) {
  DeviceConsumer there(*queue, {.posted = 1});
  CpuProducer here(*engine, *queue);
  auto map = MemoryMap::create().value();
  map->allocate(64).value();
  map->start().value();
  auto inventory = BufferInventory::create(1).value();
  inventory->start().value();
  Buffer* buffer = inventory->get_by_data(*map, map->range().value()).value();
  EXPECT_EQ(here->allocate_send(buffer, {}, kFirst).error().code, Errc::invalid_value);
  ProducerTask* task = here->allocate_send(nullptr, {}, kFirst).value();
  task->set_buffer(buffer).value();
  EXPECT_EQ(task->submit().error().code, Errc::invalid_value);
  task->set_buffer(nullptr).value();
  const std::string long_text(33, 'x');
  task->set_immediate(bytes(long_text)).value();
  EXPECT_EQ(task->submit().error().code, Errc::invalid_value);
  EXPECT_TRUE(task->free());
  const std::array outgoing{Outgoing{bytes("data"), {}}};
  EXPECT_EQ(here->send(kFirst, outgoing).error().code, Errc::invalid_value);
  EXPECT_EQ(here->reserve(kFirst).error().code, Errc::not_supported);
  EXPECT_EQ(here->hand_over(kFirst, *buffer).error().code, Errc::not_supported);
  EXPECT_EQ(there.get(), std::nullopt);
  std::ignore = buffer->drop_reference();
  EXPECT_TRUE(BufferInventory::destroy(inventory));
  EXPECT_TRUE(MemoryMap::destroy(map));
}

TEST_F(QueueProducerTest, RefusesAConsumerThatIsNotThere) {
  CpuProducer here(*engine, *queue);
  for (const std::uint32_t id : {0U, 1U, 0xffffU, ~0U}) {
    EXPECT_EQ(here.send("x", ConsumerId{id}).error().code, Errc::invalid_value) << id;
    EXPECT_EQ(here->request_space(ConsumerId{id}).error().code, Errc::invalid_value) << id;
    EXPECT_FALSE(here->has_space(ConsumerId{id})) << id;
    EXPECT_FALSE(here->reaches(ConsumerId{id})) << id;
  }
}

TEST_F(QueueProducerTest, SendsInArraysAsManyAsFit) {
  DeviceConsumer there(*queue, {.posted = 2});
  CpuProducer here(*engine, *queue);
  const std::array outgoing{Outgoing{{}, bytes("a")}, Outgoing{{}, bytes("b")},
                            Outgoing{{}, bytes("c")}};
  EXPECT_EQ(here->send(kFirst, outgoing).value(), 2U);
  EXPECT_FALSE(here->busy(kFirst));
  EXPECT_EQ(here->send(kFirst, outgoing).error().code, Errc::again);
  EXPECT_EQ(there.get(), "a");
  EXPECT_EQ(there.get(), "b");
}

TEST_F(QueueProducerTest, IsToldOnceWhenSpaceIsPosted) {
  DeviceConsumer there(*queue);
  CpuProducer here(*engine, *queue);
  ASSERT_TRUE(here->request_space(kFirst));
  ASSERT_TRUE(here->request_space(kFirst));
  settle(*engine);
  EXPECT_TRUE(here.spaces.empty());
  there.consumer->ack(2).value();
  ASSERT_TRUE(until(*engine, [&] { return !here.spaces.empty(); }));
  settle(*engine);
  EXPECT_EQ(here.spaces, (std::vector{kFirst}));
  EXPECT_TRUE(here->has_space(kFirst));
}

TEST_F(QueueProducerTest, WaitsNoMoreForAConsumerThatHasEnded) {
  DeviceConsumer there(*queue);
  CpuProducer here(*engine, *queue);
  EXPECT_TRUE(here->reaches(kFirst));
  ASSERT_TRUE(here->request_space(kFirst));
  there.consumer->stop().value();
  EXPECT_FALSE(here->reaches(kFirst));
  settle(*engine);
  EXPECT_TRUE(here.spaces.empty());
}

TEST_F(QueueProducerTest, IsWokenFromItsSleepByEveryPost) {
  DeviceConsumer there(*queue, {.receives = 1, .elements = 1});
  CpuProducer here(*engine, *queue);
  std::atomic<std::size_t> asked{0};
  std::jthread poster([&] {
    for (std::size_t n = 1; n <= 500; ++n) {
      if (!eventually([&] { return asked == n; }) || !there.consumer->ack(1)) return;
      if (!eventually([&] { return there.get().has_value(); })) return;
    }
  });
  const Deadline deadline;
  for (std::size_t n = 1; n <= 500 && !deadline.passed(); ++n) {
    ASSERT_TRUE(here->request_space(kFirst));
    asked = n;
    while (here.spaces.size() < n && !deadline.passed()) {
      EXPECT_TRUE(engine->wait(patience())) << "nobody rang";
    }
    ASSERT_TRUE(here.send("x"));
  }
  EXPECT_EQ(here.spaces.size(), 500U);
}

TEST_F(QueueProducerTest, FinishesWhatWasSubmittedWhenItStops) {
  DeviceConsumer there(*queue, {.posted = 2});
  CpuProducer here(*engine, *queue);
  ASSERT_TRUE(here.send("a"));
  ProducerTask* task = here->allocate_send(nullptr, {}, kFirst).value();
  EXPECT_EQ(here->stop().value(), ContextState::kStopping);
  EXPECT_EQ(task->submit().error().code, Errc::shutdown);
  EXPECT_TRUE(task->free());
  ASSERT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
  EXPECT_EQ(here.completions.size(), 1U);
  EXPECT_EQ(there.get(), "a");
  EXPECT_EQ(here->start().value(), ContextState::kRunning);
  EXPECT_TRUE(here.send("b"));
  EXPECT_EQ(there.get(), "b");
}

TEST_F(QueueProducerTest, IsCutOffWithItsEngine) {
  DeviceConsumer there(*queue, {.posted = 1});
  auto producer = Producer::create(*queue).value();
  producer->configure_send(1, ignore_sent, ignore_sent).value();
  {
    auto short_lived = ProgressEngine::create().value();
    short_lived->connect(*producer).value();
    producer->start().value();
    producer->allocate_send(nullptr, bytes("x"), kFirst).value()->submit().value();
  }
  EXPECT_EQ(producer->state(), ContextState::kIdle);
  EXPECT_EQ(producer->tasks_in_flight(), 0U);
  EXPECT_TRUE(Producer::destroy(producer));
  EXPECT_EQ(there.get(), "x");
}

}  // namespace
}  // namespace comch::test
