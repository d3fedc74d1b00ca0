// dpa::Producer: sending, holding, copying, and how it ends.
#include "unit/dpa/memory.h"

namespace comch::test {
namespace {

struct DeviceProducerTest : QueueTest {
  Queue queue = make_queue(Direction::kToCpu);
};

TEST_F(DeviceProducerTest, HasLimits) {
  auto producer = dpa::Producer::create(*queue).value();
  EXPECT_EQ(producer->set_max_sends(0).error().code, Errc::invalid_value);
  EXPECT_EQ(producer->set_max_sends(MsgQ::kMaxDepth + 1).error().code, Errc::invalid_value);
  EXPECT_TRUE(producer->set_max_sends(MsgQ::kMaxDepth));
  EXPECT_EQ(producer->max_sends(), MsgQ::kMaxDepth);
  EXPECT_EQ(&producer->queue(), queue.get());
}

TEST_F(DeviceProducerTest, StartsWithASizeAndAStartedCompletionContext) {
  auto producer = dpa::Producer::create(*queue).value();
  auto completion = dpa::ProducerCompletion::create(*accelerator, 1).value();
  EXPECT_EQ(producer->start().error().code, Errc::bad_state);
  producer->set_max_sends(1).value();
  EXPECT_EQ(producer->start().error().code, Errc::bad_state);
  producer->set_completion(*completion).value();
  EXPECT_EQ(producer->start().error().code, Errc::bad_state) << "the context is not started";
  completion->start().value();
  EXPECT_EQ(producer->stop().error().code, Errc::bad_state);
  EXPECT_EQ(producer->post_immediate(kFirst, {}).error().code, Errc::bad_state);
  EXPECT_EQ(producer->is_consumer_empty(kFirst).error().code, Errc::bad_state);
  EXPECT_TRUE(producer->start());
  EXPECT_EQ(producer->start().error().code, Errc::bad_state);
  EXPECT_EQ(producer->set_max_sends(1).error().code, Errc::bad_state);
  EXPECT_EQ(producer->set_completion(*completion).error().code, Errc::bad_state);
  EXPECT_EQ(producer->set_user_data({}).error().code, Errc::bad_state);
  EXPECT_EQ(dpa::Producer::destroy(producer).error().code, Errc::in_use);
  end(producer);
  EXPECT_EQ(dpa::Producer::destroy(producer).error().code, Errc::invalid_value);
  end(completion);
}

TEST_F(DeviceProducerTest, HoldsWhatNothingIsPostedForAndDropsNone) {
  CpuConsumer here(*engine, *queue, {.tasks = 1});
  DeviceProducer there(*accelerator, *queue, {.sends = 3});
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(there.post(text));
  EXPECT_EQ(there.post("d").error().code, Errc::again) << "three are held";
  for (std::size_t n = 1; n <= 3; ++n) {
    here.post();
    ASSERT_TRUE(here.has(n));
  }
  EXPECT_EQ(here.texts, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(there.post("d"));
}

TEST_F(DeviceProducerTest, HasRoomAgainAsSoonAsAMessageIsDelivered) {
  CpuConsumer here(*engine, *queue, {.tasks = 2});
  DeviceProducer there(*accelerator, *queue, {.sends = 1});
  ASSERT_TRUE(there.post("held"));
  ASSERT_EQ(there.post("more").error().code, Errc::again);
  here.post();
  EXPECT_TRUE(there.post("more")) << "though the consumer's program has not looked";
}

TEST_F(DeviceProducerTest, CountsAMessageUntilItsCompletionIsGot) {
  CpuConsumer here(*engine, *queue, {.posted = 4});
  DeviceProducer there(*accelerator, *queue, {.sends = 1});
  ASSERT_TRUE(there.post("a", kFirst, {.report = true, .user_data = 5}));
  EXPECT_EQ(there.post("b").error().code, Errc::again);
  EXPECT_EQ(there.get(), 5U);
  EXPECT_TRUE(there.post("b"));
}

TEST_F(DeviceProducerTest, NeverHasMoreUnderWayThanItsLaneHolds) {
  // Held and delivered at once, round and round: as many as there can be.
  CpuConsumer here(*engine, *queue, {.tasks = 3, .posted = 3, .again = true});
  DeviceProducer there(*accelerator, *queue, {.sends = 2});
  const Deadline deadline;
  std::size_t sent = 0;
  for (std::size_t round = 0; round < 200 && !deadline.passed(); ++round) {
    while (there.post(std::to_string(sent))) ++sent;
    ASSERT_GE(sent, (round == 0 ? 5U : 1U));
    ASSERT_TRUE(here.has(sent - 2));
  }
  ASSERT_TRUE(here.has(sent));
  for (std::size_t n = 0; n < sent; ++n) ASSERT_EQ(here.texts[n], std::to_string(n));
}

TEST_F(DeviceProducerTest, RefusesAConsumerThatIsNotThereAndMoreThanItTakes) {
  DeviceProducer there(*accelerator, *queue);
  for (const std::uint32_t id : {0U, 1U, 0xffffU, ~0U}) {
    EXPECT_EQ(there.post("x", ConsumerId{id}).error().code, Errc::invalid_value) << id;
    EXPECT_EQ(there.producer->is_consumer_empty(ConsumerId{id}).error().code, Errc::invalid_value);
  }
  CpuConsumer here(*engine, *queue, {.immediate = 1, .posted = 1});
  EXPECT_EQ(there.post("xy").error().code, Errc::invalid_value);
  EXPECT_EQ(there.post(std::string(33, 'x')).error().code, Errc::invalid_value);
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(there.post("x")) << "a refusal uses up nothing";
}

TEST_F(DeviceProducerTest, SeesWhetherAConsumerHasAReceiveToSpare) {
  CpuConsumer here(*engine, *queue);
  DeviceProducer there(*accelerator, *queue);
  EXPECT_TRUE(there.producer->is_consumer_empty(kFirst).value());
  here.post();
  EXPECT_FALSE(there.producer->is_consumer_empty(kFirst).value());
  ASSERT_TRUE(there.post("x"));
  EXPECT_TRUE(there.producer->is_consumer_empty(kFirst).value());
}

TEST_F(DeviceProducerTest, DeliversWhatItHeldAfterItsStop) {
  CpuConsumer here(*engine, *queue);
  DeviceProducer there(*accelerator, *queue, {.user_data = 8});
  ASSERT_TRUE(there.post("held", kFirst, {.report = true, .user_data = 5}));
  there.producer->stop().value();
  EXPECT_EQ(there.post("late").error().code, Errc::bad_state);
  EXPECT_EQ(there.get(), std::nullopt);
  here.post();
  EXPECT_TRUE(here.has(1));
  EXPECT_EQ(there.get(), 5U);
  EXPECT_TRUE(there.last.status);
  EXPECT_EQ(there.last.owner_user_data.value, 8U);
  EXPECT_EQ(there.last.producer, there.id());
}

TEST_F(DeviceProducerTest, IsToldOfHeldMessagesWhoseConsumerEnds) {
  auto here = std::make_unique<CpuConsumer>(*engine, *queue, CpuConsumer::Options{.posted = 1});
  DeviceProducer there(*accelerator, *queue);
  ASSERT_TRUE(there.post("delivered", kFirst, {.report = true, .user_data = 1}));
  ASSERT_TRUE(there.post("held", kFirst, {.report = true, .user_data = 2}));
  ASSERT_TRUE(there.post("held in silence"));
  here.reset();
  EXPECT_EQ(there.get(), 1U);
  EXPECT_TRUE(there.last.status);
  EXPECT_EQ(there.get(), 2U);
  EXPECT_EQ(there.last.status.error().code, Errc::shutdown);
  EXPECT_EQ(there.get(), std::nullopt);
  CpuConsumer next(*engine, *queue, {.tasks = 8, .posted = 8});
  for (int n = 0; n < 4; ++n) EXPECT_TRUE(there.post("x", next.id())) << "all are free again";
}

// --- dma_copy ----------------------------------------------------------------------------

struct DmaCopyTest : DeviceProducerTest {
  DmaCopyTest() { source.write("payload"); }

  Status copy(const dpa::MapAddress& to, const dpa::MapAddress& from, std::size_t size,
              std::string_view immediate = "done") {
    return there.producer->dma_copy(kFirst, to, from, size, bytes(immediate));
  }
  void expect_nothing_done(std::string_view why) {
    EXPECT_EQ(target.text(7), std::string(7, '\0')) << why;
    EXPECT_FALSE(there.producer->is_consumer_empty(kFirst).value()) << why;
  }

  DeviceMemoryMap source{64};
  DeviceMemoryMap target{64};
  Queue another = make_queue(Direction::kToCpu);
  CpuConsumer here{*engine, *queue, {.posted = 1}};
  DeviceProducer there{*accelerator, *queue};
};

TEST_F(DmaCopyTest, CopiesFirstAndThenSendsTheMessage) {
  ASSERT_TRUE(copy(target.at(0), source.at(0), 7));
  ASSERT_TRUE(here.has(1));
  EXPECT_EQ(here.texts.front(), "done");
  EXPECT_EQ(target.text(7), "payload");
}

TEST_F(DmaCopyTest, RefusesARangeThatLeavesItsMap) {
  EXPECT_EQ(copy(target.at(60), source.at(0), 7).error().code, Errc::invalid_value);
  EXPECT_EQ(copy(target.at(0), source.at(60), 7).error().code, Errc::invalid_value);
  EXPECT_EQ(copy(target.at(~0ULL), source.at(0), 7).error().code, Errc::invalid_value);
  EXPECT_EQ(copy(target.at(0), source.at(0), ~std::size_t{0}).error().code, Errc::invalid_value);
  expect_nothing_done("of a range that is not all there");
}

TEST_F(DmaCopyTest, RefusesToWriteWithoutPermission) {
  const DeviceMemoryMap read_only(64, Access::kLocalReadOnly);
  EXPECT_EQ(copy(read_only.at(0), source.at(0), 7).error().code, Errc::not_permitted);
  EXPECT_EQ(read_only.text(7), std::string(7, '\0'));
  expect_nothing_done("without permission");
}

TEST_F(DmaCopyTest, RefusesRangesThatOverlap) {
  EXPECT_EQ(copy(source.at(3), source.at(0), 7).error().code, Errc::invalid_value);
  EXPECT_EQ(source.text(7), "payload");
  expect_nothing_done("of ranges that overlap");
}

TEST_F(DmaCopyTest, CopiesNothingWhenItCannotSend) {
  EXPECT_EQ(there.producer->dma_copy(ConsumerId{9}, target.at(0), source.at(0), 7, {}).error().code,
            Errc::invalid_value);
  EXPECT_EQ(copy(target.at(0), source.at(0), 7, std::string(33, 'x')).error().code,
            Errc::invalid_value);
  expect_nothing_done("without a consumer that takes it");
  CpuConsumer other(*engine, *another, {.tasks = 1});
  DeviceProducer full(*accelerator, *another, {.sends = 1});
  ASSERT_TRUE(full.post("held"));
  EXPECT_EQ(full.producer->dma_copy(kFirst, target.at(0), source.at(0), 7, {}).error().code,
            Errc::again);
  expect_nothing_done("while as many as may be are held");
}

TEST_F(DmaCopyTest, IsCompletedWithItsUserData) {
  ASSERT_TRUE(there.producer->dma_copy(kFirst, target.at(0), source.at(0), 7, {},
                                       {.report = true, .user_data = 3}));
  EXPECT_EQ(there.get(), 3U);
  EXPECT_TRUE(there.last.status);
}

}  // namespace
}  // namespace comch::test
