// What does not fit into a record: long messages in pieces, from registered memory or by the
// bounce area, and loans.
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t n = 0; n < size; ++n) text[n] = static_cast<char>(n * 7 + n / 251);
  return text;
}

TEST(RdmaLongTest, MessagesOfEveryLengthAroundTheBordersArriveWhole) {
  Ports machines;
  TestConsumer consumer(machines, 4, 32);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  for (std::size_t size : {0UL, 1UL, 7UL, 8UL, 71UL, 72UL, 73UL, 103UL, 104UL, 105UL, 255UL, 256UL,
                           257UL, 4095UL, 65536UL, 200000UL}) {
    for (const std::string_view immediate : {"", "i", "immediate data of thirty-two by."}) {
      const std::string text = pattern(size);
      consumer.post(0, 64, 300000);
      ASSERT_EQ(producer.send(id, text, immediate), Outcome::kUnderWay) << size;
      ASSERT_TRUE(consumer.poll()) << size;
      EXPECT_EQ(consumer.arrivals.back().length, size);
      EXPECT_TRUE(consumer.text(64, size) == text);
      EXPECT_EQ(consumer.immediates.back(), immediate);
      EXPECT_EQ(producer.completed(id), 1U);
    }
  }
  EXPECT_FALSE(consumer.lost);
}

// Lost packets are counted from one acknowledgement to the next, and there are to be few.
TEST(RdmaLongTest, ALongMessageGoesInPiecesThatAreAcknowledgedEachAndInOrder) {
  constexpr std::size_t kSize = std::size_t{8} << 20U;
  Ports machines;
  TestConsumer consumer(machines, 4, 32, kSize);
  TestProducer producer(machines, 1U << 16U, kSize);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, kSize);
  producer.lane(id);
  const std::string text = pattern(kSize);
  machines.link.fabric.reset_counts();
  ASSERT_EQ(producer.send(id, text), Outcome::kUnderWay);
  EXPECT_EQ(machines.link.fabric.counts(kClient).work_requests, 128U + 1U);
  ASSERT_TRUE(consumer.poll());
  ASSERT_EQ(consumer.arrivals.size(), 1U);
  EXPECT_EQ(consumer.arrivals[0].length, kSize);
  EXPECT_TRUE(consumer.text(0, kSize) == text);
  std::size_t completed = 0;
  for (int turns = 0; turns < 1000 && completed == 0; ++turns) completed = producer.completed(id);
  EXPECT_EQ(completed, 1U);
}

TEST(RdmaLongTest, AMessageThatIsTooLongForTheDeviceIsCutIntoWhatItTakes) {
  constexpr std::uint32_t kMost = 16384;
  Ports machines([](test::FakeFabric& fabric) {
    fabric.set_limits({.max_message = kMost, .max_completions = 32767}, 256);
  });
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  const std::string text = pattern(5 * kMost + 1);
  consumer.post(0, 0, 1U << 20U);
  producer.lane(id);
  machines.link.fabric.reset_counts();
  ASSERT_EQ(producer.send(id, text), Outcome::kUnderWay);
  EXPECT_EQ(machines.link.fabric.counts(kClient).work_requests, 6U + 1U);
  ASSERT_TRUE(consumer.poll());
  EXPECT_TRUE(consumer.text(0, text.size()) == text);
  EXPECT_EQ(producer.completed(id), 1U);
  // And by the bounce area.
  consumer.post(0, 0, 1U << 20U);
  const std::string other = pattern(2 * kMost + 1);
  ASSERT_EQ(producer.send_copied(id, other), Outcome::kSent);
  producer.lane(id).publish();
  ASSERT_TRUE(consumer.poll());
  EXPECT_TRUE(consumer.text(0, other.size()) == other);
  EXPECT_FALSE(consumer.lost || producer.lost);
}

// Soft-RoCE's, of one packet each; longer ones fail on this fabric.
struct RdmaShortWritesTest : testing::Test {
  static constexpr std::uint64_t kMost = 1024;
  Ports machines{[](test::FakeFabric& fabric) {
    fabric.set_limits({.max_message = 1U << 23U, .max_write = kMost, .max_completions = 32767},
                      256);
  }};
};

TEST_F(RdmaShortWritesTest, ALongMessageGoesInAsManyAsItTakes) {
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  const std::string text = pattern(5 * kMost + 1);
  consumer.post(0, 0, 1U << 20U);
  producer.lane(id);
  machines.link.fabric.reset_counts();
  ASSERT_EQ(producer.send(id, text), Outcome::kUnderWay);
  EXPECT_EQ(machines.link.fabric.counts(kClient).work_requests, 6U + 1U);
  ASSERT_TRUE(consumer.poll());
  EXPECT_TRUE(consumer.text(0, text.size()) == text);
  EXPECT_EQ(producer.completed(id), 1U);
  consumer.post(0, 0, 1U << 20U);
  ASSERT_EQ(producer.send_copied(id, text), Outcome::kSent);
  producer.lane(id).publish();
  ASSERT_TRUE(consumer.poll());
  EXPECT_TRUE(consumer.text(0, text.size()) == text);
  EXPECT_FALSE(consumer.lost || producer.lost);
}

TEST_F(RdmaShortWritesTest, PostsAndMessagesThatGoTogetherGoInAsManyAsItTakes) {
  constexpr std::uint32_t kDepth = 512;
  TestConsumer consumer(machines, kDepth);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  for (std::uint16_t lap = 0; lap < 3; ++lap) {
    for (std::uint16_t n = 0; n < kDepth; ++n) consumer.port->post(n, n * 8UL, 8);
    consumer.port->publish();
    for (std::uint16_t n = 0; n < kDepth; ++n) {
      ASSERT_EQ(producer.send_copied(id, std::to_string(n)), Outcome::kSent) << lap << ' ' << n;
    }
    producer.lane(id).publish();
    consumer.arrivals.clear();
    while (consumer.arrivals.size() < kDepth && consumer.poll()) continue;
    ASSERT_EQ(consumer.arrivals.size(), kDepth) << lap;
    for (std::uint16_t n = 0; n < kDepth; ++n) {
      const Arrival& arrival = consumer.arrivals[n];
      ASSERT_EQ(consumer.text(arrival.index * 8UL, arrival.length), std::to_string(n));
    }
    while (producer.completed(id) != 0) continue;
  }
  EXPECT_FALSE(consumer.lost || producer.lost);
}

// What was registered of its life before is not known to any device any more.
TEST(RdmaLongTest, AMapThatIsStartedAnewIsRegisteredAnew) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  const std::string text = pattern(5000);
  for (std::uint64_t lives = 1; lives <= 3; ++lives) {
    consumer.post(0, 0, 1U << 20U);
    producer.lane(id);
    const std::uint64_t before = machines.link.fabric.counts(kClient).registrations;
    ASSERT_EQ(producer.send(id, text), Outcome::kUnderWay);
    EXPECT_EQ(machines.link.fabric.counts(kClient).registrations, before + 1);
    ASSERT_TRUE(consumer.poll()) << lives;
    EXPECT_EQ(producer.completed(id), 1U);
    producer.life.reset();
    producer.life = std::make_unique<MapLife>(producer.memory);
  }
}

// 256 work requests do not fit a message of more pieces: it goes on in step().
TEST(RdmaLongTest, AMessageOfMorePiecesThanTheQueueHoldsGoesOnByAndBy) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines, 1U << 16U);
  const std::uint32_t id = consumer.port->id();
  const std::string text = pattern(1000000);
  consumer.post(0, 0, 1U << 20U);
  consumer.post(1, 0, 64);
  machines.link.fabric.hold();
  // From memory that no device knows: through a bounce area a sixteenth of its size.
  EXPECT_EQ(producer.send_copied(id, text), Outcome::kUnderWay);
  producer.lane(id).publish();
  EXPECT_EQ(producer.send(id, "behind it"), Outcome::kBusy);
  EXPECT_TRUE(producer.lane(id).under_way());
  machines.link.fabric.release();
  std::size_t completed = 0;
  for (int turns = 0; turns < 1000 && completed == 0; ++turns) completed = producer.completed(id);
  EXPECT_EQ(completed, 1U);
  ASSERT_TRUE(consumer.poll());
  EXPECT_TRUE(consumer.text(0, text.size()) == text);
  EXPECT_FALSE(producer.lane(id).under_way());
  EXPECT_EQ(producer.port->counters().staged, 1U);
  EXPECT_EQ(producer.send(id, "behind it"), Outcome::kUnderWay);
}

TEST(RdmaLongTest, AnArraysMessageIsCompleteWhenItIsCopied) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 1000);
  consumer.post(1, 1000, 1000);
  std::string one = "short";
  std::string two = pattern(800);
  EXPECT_EQ(producer.send_copied(id, one), Outcome::kSent);
  EXPECT_EQ(producer.send_copied(id, two), Outcome::kSent);
  const std::string kept = two;
  one.assign(one.size(), 'x');
  two.assign(two.size(), 'x');
  producer.lane(id).publish();
  ASSERT_TRUE(consumer.poll());
  EXPECT_EQ(consumer.text(0, 5), "short");
  EXPECT_EQ(consumer.text(1000, 800), kept);
  EXPECT_EQ(producer.completed(id), 0U) << "nobody counts them";
  EXPECT_TRUE(producer.lane(id).settled());
}

TEST(RdmaLongTest, MemoryThatCannotBeRegisteredIsSentAllTheSame) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 5000);
  producer.lane(id);
  const std::string text = pattern(5000);
  machines.link.fabric.fail_call(1, ENOMEM);
  ASSERT_EQ(producer.send(id, text), Outcome::kUnderWay);
  ASSERT_TRUE(consumer.poll());
  EXPECT_EQ(consumer.text(0, 5000), text);
  EXPECT_EQ(producer.completed(id), 1U);
  EXPECT_EQ(producer.port->counters().staged, 1U);
}

TEST(RdmaLongTest, ALoanIsBuiltHereAndSentWhole) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 3000);
  consumer.post(1, 3000, 3000);
  OutLane& lane = producer.lane(id);
  std::uint32_t first = 99, second = 99;
  std::span<std::byte> room, other;
  ASSERT_EQ(lane.reserve(first, room), Outcome::kSent);
  ASSERT_EQ(lane.reserve(second, other), Outcome::kSent);
  EXPECT_EQ(lane.reserve(second, other), Outcome::kNothingPosted);
  EXPECT_EQ(room.size(), 3000U);
  const std::string text = pattern(2500);
  std::memcpy(room.data(), text.data(), text.size());
  std::memcpy(other.data(), "small", 5);
  EXPECT_EQ(lane.commit(second, 5, {}), Outcome::kSent);
  EXPECT_EQ(lane.commit(first, 2500, {}), Outcome::kSent);
  lane.publish();
  EXPECT_FALSE(lane.is_loan(first));
  ASSERT_TRUE(consumer.poll());
  ASSERT_EQ(consumer.arrivals.size(), 2U);
  EXPECT_EQ(consumer.arrivals[0].index, 1);
  EXPECT_EQ(consumer.text(3000, 5), "small");
  EXPECT_EQ(consumer.text(0, 2500), text);
  EXPECT_EQ(producer.completed(id), 0U);
  const LaneCounters counters = producer.port->counters();
  EXPECT_EQ(counters.loaned, 2U);
  EXPECT_EQ(counters.staged, 1U) << "stats say that it went through memory of ours";
}

TEST(RdmaLongTest, AnAbandonedLoanGivesItsPostedBufferBack) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(3, 0, 3000);
  OutLane& lane = producer.lane(id);
  std::uint32_t loan = 99;
  std::span<std::byte> room;
  ASSERT_EQ(lane.reserve(loan, room), Outcome::kSent);
  EXPECT_EQ(producer.send(id, "none"), Outcome::kNothingPosted);
  lane.abandon(loan);
  EXPECT_EQ(producer.send(id, "some"), Outcome::kUnderWay);
  EXPECT_TRUE(consumer.poll());
}

TEST(RdmaLongTest, ThirtyTwoLoansAreOutAtMostAndAPostWithoutRoomIsNone) {
  Ports machines;
  TestConsumer consumer(machines, 64);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  for (std::uint16_t n = 0; n < 33; ++n) consumer.post(n, n * std::uint64_t{64}, 64);
  OutLane& lane = producer.lane(id);
  std::uint32_t loan = 99;
  std::span<std::byte> room;
  for (int n = 0; n < 32; ++n) ASSERT_EQ(lane.reserve(loan, room), Outcome::kSent);
  EXPECT_EQ(lane.reserve(loan, room), Outcome::kBusy);
  EXPECT_EQ(producer.send(id, "the last one"), Outcome::kUnderWay);
  consumer.post(40, comch::shm::kNoBuffer, 0);
  lane.abandon(loan);
  std::uint32_t again = 99;
  ASSERT_EQ(lane.reserve(again, room), Outcome::kSent) << "the abandoned one";
  EXPECT_EQ(lane.reserve(again, room), Outcome::kTooLong);
}

TEST(RdmaLongTest, ALoanThatCannotBePinnedIsRefusedAndItsBufferStaysPosted) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 64);
  OutLane& lane = producer.lane(id);
  std::uint32_t loan = 99;
  std::span<std::byte> room;
  machines.link.fabric.fail_call(1, ENOMEM);
  EXPECT_EQ(lane.reserve(loan, room), Outcome::kNoMemory);
  EXPECT_EQ(producer.send(id, "hello"), Outcome::kUnderWay);
}

TEST(RdmaLongTest, AMessageLongerThanTheRoomIsRefusedAndTheBufferStaysPosted) {
  Ports machines;
  TestConsumer consumer(machines);
  TestProducer producer(machines);
  const std::uint32_t id = consumer.port->id();
  consumer.post(0, 0, 5);
  EXPECT_EQ(producer.send(id, "longer"), Outcome::kTooLong);
  EXPECT_EQ(producer.send(id, "", std::string(33, 'i')), Outcome::kImmediateTooLong);
  EXPECT_EQ(producer.send(id, "right"), Outcome::kUnderWay);
  EXPECT_TRUE(consumer.poll());
  EXPECT_EQ(consumer.text(0, 5), "right");
}

}  // namespace
}  // namespace comch::transport::rdma
