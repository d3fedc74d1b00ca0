// Consumer of a MsgQ: tasks, arrays, sleeping, and how it ends.
#include "comch/queue_consumer.h"

#include <array>
#include <atomic>
#include <thread>

#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

struct QueueConsumerTest : QueueTest {
  std::unique_ptr<Consumer> idle_consumer() { return Consumer::create(*queue).value(); }
  Queue queue = make_queue(Direction::kToCpu);
};

const auto ignore = [](ReceiveTask&) {};

TEST_F(QueueConsumerTest, HasLimits) {
  const auto consumer = idle_consumer();
  for (const std::uint32_t tasks : {0U, MsgQ::kMaxDepth + 1}) {
    EXPECT_EQ(consumer->configure_receive(tasks, ignore, ignore).error().code, Errc::invalid_value);
  }
  EXPECT_EQ(consumer->configure_receive(1, nullptr, ignore).error().code, Errc::invalid_value);
  EXPECT_EQ(consumer->configure_receive(1, ignore, nullptr).error().code, Errc::invalid_value);
  EXPECT_TRUE(consumer->configure_receive(MsgQ::kMaxDepth, ignore, ignore));
  EXPECT_EQ(consumer->tasks(), MsgQ::kMaxDepth);
  EXPECT_EQ(consumer->immediate_size(), MsgQ::kMaxImmediate);
  EXPECT_EQ(consumer->set_immediate_size(33).error().code, Errc::invalid_value);
  EXPECT_TRUE(consumer->set_immediate_size(0));
  EXPECT_TRUE(consumer->set_way(DataWay::kAuto));
  EXPECT_EQ(consumer->set_way(DataWay::kMapped).error().code, Errc::not_supported);
  EXPECT_TRUE(consumer->set_descriptors_kept(false));
  EXPECT_EQ(consumer->set_descriptors_kept(true).error().code, Errc::not_supported);
  EXPECT_EQ(consumer->queue(), queue.get());
}

TEST_F(QueueConsumerTest, RunsAsSoonAsItIsStarted) {
  auto consumer = idle_consumer();
  EXPECT_EQ(consumer->start().error().code, Errc::not_connected);
  engine->connect(*consumer).value();
  EXPECT_EQ(consumer->start().error().code, Errc::bad_state) << "configure_receive() is missing";
  consumer->configure_receive(1, ignore, ignore).value();
  EXPECT_EQ(consumer->allocate_receive(nullptr).error().code, Errc::bad_state);
  EXPECT_EQ(consumer->start().value(), ContextState::kRunning);
  EXPECT_EQ(consumer->configure_receive(1, ignore, ignore).error().code, Errc::bad_state);
  EXPECT_EQ(consumer->set_immediate_size(1).error().code, Errc::bad_state);
  EXPECT_EQ(consumer->set_way(DataWay::kAuto).error().code, Errc::bad_state);
  EXPECT_EQ(Consumer::destroy(consumer).error().code, Errc::in_use);
  EXPECT_EQ(consumer->stop().value(), ContextState::kIdle) << "nothing is outstanding";
  EXPECT_TRUE(Consumer::destroy(consumer));
}

TEST_F(QueueConsumerTest, HasNoViews) {
  const auto consumer = idle_consumer();
  std::array<View, 1> views;
  EXPECT_EQ(consumer->poll_views(views), 0U);
  EXPECT_EQ(consumer->release_views(0).error().code, Errc::not_supported);
}

TEST_F(QueueConsumerTest, TakesNoBuffers) {
  auto map = MemoryMap::create().value();
  map->allocate(64).value();
  map->start().value();
  auto inventory = BufferInventory::create(1).value();
  inventory->start().value();
  Buffer* buffer = inventory->get_by_address(*map, map->range().value()).value();
  {
    CpuConsumer here(*engine, *queue);
    EXPECT_EQ(here->allocate_receive(buffer).error().code, Errc::invalid_value);
    ReceiveTask* task = here->allocate_receive(nullptr).value();
    EXPECT_EQ(task->set_buffer(buffer).error().code, Errc::invalid_value);
    EXPECT_TRUE(task->set_buffer(nullptr));
    EXPECT_TRUE(task->free());
  }
  CpuConsumer here(*engine, *queue);
  EXPECT_EQ(here->post(std::span(&buffer, 1)).value(), 0U);
  EXPECT_EQ(here->give_back({}).error().code, Errc::invalid_value);
  std::ignore = buffer->drop_reference();
  EXPECT_TRUE(BufferInventory::destroy(inventory));
  EXPECT_TRUE(MemoryMap::destroy(map));
}

TEST_F(QueueConsumerTest, IsUsedThroughTasksOrThroughArraysNotBoth) {
  Buffer* const none = nullptr;
  std::array<Received, 4> out;
  DeviceProducer there(*accelerator, *queue);
  {
    CpuConsumer tasks(*engine, *queue, {.tasks = 2, .posted = 1});
    ASSERT_TRUE(there.post("a task's"));
    EXPECT_EQ(tasks->post(std::span(&none, 1)).error().code, Errc::bad_state);
    EXPECT_EQ(tasks->poll(out), 0U) << "a task's message is its callback's";
    ASSERT_TRUE(tasks.has(1));
  }
  CpuConsumer arrays(*engine, *queue);
  EXPECT_EQ(arrays->post({}).value(), 0U) << "is a use, too";
  EXPECT_EQ(arrays->allocate_receive(nullptr).error().code, Errc::bad_state);
}

TEST_F(QueueConsumerTest, PostsATaskOnceAndFreesItOnce) {
  CpuConsumer here(*engine, *queue, {.tasks = 1});
  ReceiveTask* task = here->allocate_receive(nullptr).value();
  EXPECT_EQ(here->allocate_receive(nullptr).error().code, Errc::no_memory);
  EXPECT_EQ(&task->context(), static_cast<Context*>(here.operator->()));
  ASSERT_TRUE(task->submit());
  EXPECT_EQ(here->posted(), 1U);
  EXPECT_EQ(task->status().error().code, Errc::in_progress);
  EXPECT_EQ(task->submit().error().code, Errc::bad_state);
  EXPECT_EQ(task->free().error().code, Errc::bad_state);
  EXPECT_EQ(task->set_buffer(nullptr).error().code, Errc::bad_state);
}

TEST_F(QueueConsumerTest, ReceivesForEverIntoOneTaskThatIsPostedAgain) {
  CpuConsumer here(*engine, *queue, {.tasks = 1, .posted = 1, .again = true});
  DeviceProducer there(*accelerator, *queue);
  for (std::size_t n = 1; n <= 100; ++n) {
    ASSERT_TRUE(there.post(std::to_string(n)));
    ASSERT_TRUE(here.has(n));
    ASSERT_EQ(here.texts.back(), std::to_string(n));
  }
  EXPECT_EQ(here->counters().received_messages, 100U);
}

TEST_F(QueueConsumerTest, ReturnsEveryTaskOnceWhenItStops) {
  CpuConsumer here(*engine, *queue, {.tasks = 4, .posted = 3});
  DeviceProducer there(*accelerator, *queue);
  ASSERT_TRUE(there.post("arrived"));
  EXPECT_EQ(here->stop().value(), ContextState::kStopping);
  EXPECT_EQ(there.post("late").error().code, Errc::invalid_value);
  ReceiveTask* late = here->allocate_receive(nullptr).value();
  EXPECT_TRUE(late->submit()) << "it comes back through the error callback";
  ASSERT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
  EXPECT_EQ(here.texts, (std::vector<std::string>{"arrived"}));
  ASSERT_EQ(here.returned.size(), 3U);
  for (const Status& status : here.returned) EXPECT_EQ(status.error().code, Errc::shutdown);
}

TEST_F(QueueConsumerTest, StaysStoppingUntilItsTasksAreFree) {
  CpuConsumer here(*engine, *queue);
  ReceiveTask* task = here->allocate_receive(nullptr).value();
  EXPECT_EQ(here->stop().value(), ContextState::kStopping);
  settle(*engine);
  EXPECT_EQ(here->state(), ContextState::kStopping);
  ASSERT_TRUE(task->free());
  EXPECT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
}

TEST_F(QueueConsumerTest, MayStopInItsCallback) {
  auto consumer = idle_consumer();
  int received = 0;
  int returned = 0;
  consumer
      ->configure_receive(
          4,
          [&](ReceiveTask& task) {
            ++received;
            std::ignore = task.context().stop();
            EXPECT_TRUE(task.free());
          },
          [&](ReceiveTask& task) {
            ++returned;
            EXPECT_TRUE(task.free());
          })
      .value();
  engine->connect(*consumer).value();
  consumer->start().value();
  for (int n = 0; n < 3; ++n) consumer->allocate_receive(nullptr).value()->submit().value();
  DeviceProducer there(*accelerator, *queue);
  for (int n = 0; n < 2; ++n) ASSERT_TRUE(there.post("x"));
  EXPECT_TRUE(until(*engine, [&] { return consumer->state() == ContextState::kIdle; }));
  EXPECT_EQ(received, 2) << "both were delivered";
  EXPECT_EQ(returned, 1);
  EXPECT_TRUE(Consumer::destroy(consumer));
}

TEST_F(QueueConsumerTest, StartsAgainWithOtherLimitsAndANewId) {
  CpuConsumer here(*engine, *queue, {.posted = 1});
  std::ignore = here->stop();
  ASSERT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
  EXPECT_EQ(here.id(), ConsumerId{});
  here->configure_receive(9, ignore, [](ReceiveTask& task) { task.free().value(); }).value();
  EXPECT_EQ(here->start().value(), ContextState::kRunning);
  EXPECT_NE(here.id(), kFirst);
  here.post(9);
  EXPECT_EQ(here->posted(), 9U);
}

TEST_F(QueueConsumerTest, IsCutOffWithItsEngine) {
  auto consumer = idle_consumer();
  consumer->configure_receive(1, ignore, ignore).value();
  {
    auto short_lived = ProgressEngine::create().value();
    short_lived->connect(*consumer).value();
    consumer->start().value();
    consumer->allocate_receive(nullptr).value()->submit().value();
  }
  EXPECT_EQ(consumer->state(), ContextState::kIdle);
  EXPECT_EQ(consumer->tasks_in_flight(), 0U);
  EXPECT_TRUE(Consumer::destroy(consumer));
}

TEST_F(QueueConsumerTest, ReceivesInArrays) {
  CpuConsumer here(*engine, *queue, {.tasks = 4});
  const std::array<Buffer*, 6> none{};
  EXPECT_EQ(here->post(none).value(), 4U) << "as many as there are tasks";
  DeviceProducer there(*accelerator, *queue);
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(there.post(text));
  std::array<Received, 2> received;
  ASSERT_EQ(here->poll(received), 2U);
  EXPECT_EQ(text_of(received[0].immediate), "a");
  EXPECT_EQ(received[0].producer, there.id());
  EXPECT_EQ(received[0].buffer, nullptr);
  EXPECT_EQ(text_of(received[1].immediate), "b");
  std::ignore = here->stop();
  EXPECT_EQ(here->poll(received), 1U);
  std::array<Buffer*, 4> back{};
  std::size_t taken = 0;
  EXPECT_TRUE(until(*engine, [&] { return (taken += here->take_back(back)) == 1; }));
  EXPECT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
  EXPECT_EQ(here->post(none).error().code, Errc::bad_state);
  EXPECT_EQ(here->poll(received), 0U);
}

TEST_F(QueueConsumerTest, ReceivesIntoRecords) {
  CpuConsumer here(*engine, *queue, {.tasks = 2});
  const std::array<Buffer*, 2> none{};
  ASSERT_EQ(here->post(none).value(), 2U);
  DeviceProducer there(*accelerator, *queue);
  for (const char* text : {"a", "b"}) ASSERT_TRUE(there.post(text));
  std::array<Incoming, 4> records;
  std::memset(static_cast<void*>(records.data()), 0xff, sizeof records);
  ASSERT_EQ(here->poll(records, 9, 4), 2U);
  for (const Incoming& record : std::span(records).first(2)) {
    EXPECT_EQ(record.user_data, 9U);
    EXPECT_EQ(record.flags, 4U);
    EXPECT_EQ(record.res, 0);
    EXPECT_EQ(record.producer, there.id());
    EXPECT_EQ(record.buffer, nullptr);
    EXPECT_TRUE(record.contents().empty());
  }
  EXPECT_EQ(text_of(records[0].immediate()), "a");
  EXPECT_EQ(text_of(records[1].immediate()), "b");
  EXPECT_EQ(here->poll(records, 9, 4), 0U);
}

TEST_F(QueueConsumerTest, OneThatStopsWithAMessageUnreadLetsWhoDoesNotHeedItSleep) {
  CpuConsumer here(*engine, *queue, {.tasks = 1});
  Buffer* const none = nullptr;
  ASSERT_EQ(here->post({&none, 1}).value_or(0), 1U);
  DeviceProducer there(*accelerator, *queue);
  ASSERT_TRUE(there.post("unread"));
  engine->heed_none();
  ASSERT_EQ(here->stop().value(), ContextState::kStopping);
  EXPECT_TRUE(falls_asleep(*engine, 64));
  engine->heed_all();
  EXPECT_FALSE(falls_asleep(*engine, 64));
  Received received;
  ASSERT_EQ(here->poll({&received, 1}), 1U);
  EXPECT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
}

// The engine sleeps between messages; a lost wake-up would show as a wait that lasts.
TEST_F(QueueConsumerTest, IsWokenFromItsSleepByEveryMessage) {
  CpuConsumer here(*engine, *queue, {.tasks = 1, .posted = 1, .again = true});
  DeviceProducer there(*accelerator, *queue);
  std::atomic<std::size_t> seen{0};
  std::jthread sender([&] {
    for (std::size_t n = 0; n < 500; ++n) {
      if (!eventually([&] { return seen == n; }) || !there.post("x")) return;
    }
  });
  const Deadline deadline;
  while (here.texts.size() < 500 && !deadline.passed()) {
    EXPECT_TRUE(engine->wait(patience())) << "nobody rang";
    seen = here.texts.size();
  }
  EXPECT_EQ(here.texts.size(), 500U);
}

}  // namespace
}  // namespace comch::test
