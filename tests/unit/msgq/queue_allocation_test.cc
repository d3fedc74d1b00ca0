// A MsgQ costs no allocation per message, in either direction.
#include "support/counting_allocator.h"
#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

struct QueueAllocationTest : QueueTest {};

TEST_F(QueueAllocationTest, AllocatesNothingOnTheWayToTheAccelerator) {
  const Queue queue = make_queue(Direction::kToAccelerator);
  DeviceConsumer there(*queue, {.posted = 4});
  auto here = Producer::create(*queue).value();
  const auto free_it = [](ProducerTask& task) { task.free().value(); };
  here->configure_send(8, free_it, free_it).value();
  engine->connect(*here).value();
  here->start().value();
  const auto round = [&] {
    here->allocate_send(nullptr, bytes("x"), kFirst).value()->submit().value();
    engine->progress();
    ASSERT_NE(there.arrivals->get_completion(), nullptr);
    there.arrivals->acknowledge(1).value();
    there.consumer->ack(1).value();
  };
  round();
  const AllocationCount before = allocations();
  for (int n = 0; n < 1000; ++n) round();
  EXPECT_EQ(allocations(), before);
  end(here);
}

TEST_F(QueueAllocationTest, AllocatesNothingOnTheWayToTheCpu) {
  const Queue queue = make_queue(Direction::kToCpu);
  DeviceProducer there(*accelerator, *queue);
  auto here = Consumer::create(*queue).value();
  int received = 0;
  here->configure_receive(
          4,
          [&](ReceiveTask& task) {
            ++received;
            task.submit().value();
          },
          [](ReceiveTask& task) { task.free().value(); })
      .value();
  engine->connect(*here).value();
  here->start().value();
  here->allocate_receive(nullptr).value()->submit().value();
  const auto round = [&] {
    ASSERT_TRUE(there.post("x", kFirst, {.report = true, .user_data = 1}));
    engine->progress();
    ASSERT_NE(there.completions->get_completion(), nullptr);
    ASSERT_TRUE(there.completions->acknowledge(1));
  };
  round();
  const AllocationCount before = allocations();
  for (int n = 0; n < 1000; ++n) round();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(received, 1001);
  std::ignore = here->stop();
  EXPECT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
  EXPECT_TRUE(Consumer::destroy(here));
}

}  // namespace
}  // namespace comch::test
