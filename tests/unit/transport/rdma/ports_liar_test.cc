// Machines that lie: about what they have posted, what they have sent, and what was said. Each
// costs its machine the consumer or the connection, and nothing else.
#include "support/encoded.h"
#include "unit/transport/rdma/ports.h"

namespace comch::transport::rdma {
namespace {

// --- A consumer that lies ------------------------------------------------------------------

// The board of a consumer is the test's to write to: at the producers' machine.
struct RdmaLyingConsumerTest : testing::Test {
  RdmaLyingConsumerTest() { announce(terms()); }
  wire::RdmaConsumer terms() {
    return {.id = kId,
            .depth = kDepth,
            .immediate_max = 32,
            .line = line->self(),
            .map_size = 4096,
            .map = {reinterpret_cast<std::uint64_t>(machines.link.server.memory.data()),
                    machines.link.server.region->remote_key}};
  }
  Errc say(const wire::RdmaPacket& packet) {
    const auto news = machines.client.hub->take(wire::encoded(packet));
    return news ? Errc::skipped : news.error().code;
  }
  // What the hub has said, the first letter of its kind.
  template <class Packet>
  Packet answer() {
    machines.client.hub->flush(machines.client.post);
    for (const auto& letter : machines.client.post.letters) {
      const auto packet = wire::decode_rdma(letter).value();
      if (const auto* found = std::get_if<Packet>(&packet)) return *found;
    }
    ADD_FAILURE() << "no such letter";
    return {};
  }
  // Another one instead.
  void announce(const wire::RdmaConsumer& consumer) {
    say(consumer);
    accepted = answer<wire::RdmaAccepted>();
    wanted = answer<wire::RdmaLane>();
    machines.client.post.letters.clear();
  }
  void open_lane(std::uint32_t consumer = kId) {
    lane->connect(there, wanted.pair).value();
    const auto& memory = machines.link.server;
    EXPECT_EQ(say(wire::RdmaLaneReady{
                  .consumer = consumer,
                  .number = wanted.number,
                  .pair = lane->self(),
                  .lane = {reinterpret_cast<std::uint64_t>(memory.memory.data()) + 1024,
                           memory.region->remote_key}}),
              Errc::skipped);
  }
  // Writes a descriptor to the board, whatever it says.
  void post(const Posted& posted) {
    if (position == 0) line->connect(there, accepted.line).value();
    std::vector<std::byte> board(board_size(kDepth));
    write_posted(board.data(), position, posted_slots(kDepth), posted);
    const std::uint64_t offset = board_offset(position++, posted_slots(kDepth));
    std::array<SendRequest, 1> request{
        write_to(accepted.board, offset, {board.data() + offset, comch::shm::kPostedSize, 0}, 256)};
    line->post(request).value();
    line->poll();
  }

  static constexpr std::uint32_t kDepth = 4;
  static constexpr std::uint32_t kId = 1000;
  Ports machines;
  wire::RdmaAccepted accepted;
  wire::RdmaLane wanted;
  const Fabric there = Ports::fabric_of(machines.link.server);
  std::unique_ptr<Link> line = Link::make(there, 64).value();
  std::unique_ptr<Link> lane = Link::make(there, 4).value();
  std::uint32_t position = 0;
};

TEST_F(RdmaLyingConsumerTest, ABufferOutsideOfItsMapIsNotWrittenTo) {
  open_lane();
  TestProducer producer(machines);
  post({.offset = 4000, .capacity = 200, .index = 0});
  EXPECT_EQ(producer.send(kId, "hello"), Outcome::kBroken);
  EXPECT_EQ(producer.lane(kId).failure().code, Errc::connection_reset);
  EXPECT_EQ(producer.lane(kId).step(), std::nullopt);
  post({.offset = 0, .capacity = 200, .index = 0});
  EXPECT_EQ(producer.send(kId, "hello"), Outcome::kBroken) << "for good";
}

TEST_F(RdmaLyingConsumerTest, MoreCreditsThanItHasAreNotBelieved) {
  open_lane();
  TestProducer producer(machines);
  for (std::uint16_t n = 0; n < kDepth + 1; ++n) {
    post({.offset = 0, .capacity = 200, .index = static_cast<std::uint16_t>(n % kDepth)});
  }
  EXPECT_EQ(producer.send(kId, "hello"), Outcome::kBroken);
}

TEST_F(RdmaLyingConsumerTest, AnIndexBeyondItsDepthIsNotBelieved) {
  open_lane();
  TestProducer producer(machines);
  post({.offset = 0, .capacity = 200, .index = kDepth});
  EXPECT_EQ(producer.send(kId, "hello"), Outcome::kBroken);
}

TEST_F(RdmaLyingConsumerTest, AWrongKeyFailsTheSendAndNothingElse) {
  TestConsumer honest(machines);
  TestProducer producer(machines);
  const std::uint32_t id = honest.port->id();
  honest.post(0, 0, 64);
  honest.post(1, 0, 64);
  open_lane();
  post({.offset = 0, .capacity = 200, .index = 0});
  machines.link.server.region.reset();  // Its memory is registered no more.
  ASSERT_EQ(producer.send(id, "fine"), Outcome::kUnderWay);
  ASSERT_EQ(producer.send(kId, std::string(150, 'x')), Outcome::kUnderWay);
  EXPECT_EQ(producer.lane(kId).step(), std::nullopt);
  EXPECT_EQ(producer.lane(kId).failure().code, Errc::connection_reset);
  ASSERT_EQ(producer.send(id, "still fine"), Outcome::kUnderWay);
  EXPECT_EQ(producer.completed(id), 2U);
  EXPECT_TRUE(honest.poll());
}

TEST_F(RdmaLyingConsumerTest, LettersThatNoCorrectMachineSendsEndTheConnection) {
  EXPECT_EQ(say(terms()), Errc::connection_reset) << "twice";
  wire::RdmaConsumer ours = terms();
  ours.id = kId + 1;
  EXPECT_EQ(say(ours), Errc::connection_reset) << "an id that is not its to give";
  EXPECT_EQ(say(wire::RdmaLaneReady{kId, 77, lane->self(), {4096, 1}}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaAccepted{kId, line->self(), {4096, 1}}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaLane{kId, 1, lane->self()}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaLaneEnd{kId, 1}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaLaneOver{kId, 1, 0}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaConsumerDone{kId}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaRefused{kId, 0, Errc::no_memory}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaRefused{kId, 77, Errc::no_memory}), Errc::connection_reset);
  EXPECT_FALSE(machines.client.hub->take({}));
}

TEST_F(RdmaLyingConsumerTest, LettersAboutAConsumerThatHasEndedMeanwhileDoNoHarm) {
  EXPECT_EQ(say(wire::RdmaConsumerEnd{kId}), Errc::skipped);
  EXPECT_EQ(say(wire::RdmaConsumerEnd{kId}), Errc::skipped);
  EXPECT_EQ(say(wire::RdmaLaneReady{kId, 1, lane->self(), {4096, 1}}), Errc::skipped);
  EXPECT_EQ(say(wire::RdmaLaneOver{kId, 1, 0}), Errc::skipped);
  EXPECT_EQ(say(wire::RdmaRefused{kId, 1, Errc::no_memory}), Errc::skipped);
}

TEST_F(RdmaLyingConsumerTest, ALaneThatIsRefusedIsNotWaitedFor) {
  EXPECT_EQ(say(wire::RdmaRefused{kId, wanted.number, Errc::no_memory}), Errc::skipped);
  EXPECT_TRUE(machines.client.hub->remote_ids().empty());
}

TEST_F(RdmaLyingConsumerTest, WhoWaitsForALaneIsToldOnceThatItIsRefusedAndMayAskAgain) {
  open_lane();
  TestProducer first(machines);
  TestProducer second(machines);
  first.lane(kId);
  EXPECT_EQ(second.port->lane(kId).error().code, Errc::again);
  machines.settle();
  machines.client.post.letters.clear();
  const int before = second.wakes;
  std::uint32_t number = wanted.number;
  while (say(wire::RdmaRefused{kId, ++number, Errc::no_memory}) == Errc::skipped) continue;
  while (machines.client.reactor.turn()) continue;
  EXPECT_GT(second.wakes, before);
  EXPECT_TRUE(second.port->is_refused(kId));
  EXPECT_EQ(second.port->lane(kId).error().code, Errc::no_memory);
  EXPECT_EQ(second.port->lane(kId).error().code, Errc::again);
  const auto anew = answer<wire::RdmaLane>();
  const auto end = Link::make(there, 4).value();
  EXPECT_EQ(say(wire::RdmaLaneReady{kId, anew.number, end->self(), {4096, 1}}), Errc::skipped);
  EXPECT_TRUE(second.port->lane(kId));
}

TEST_F(RdmaLyingConsumerTest, WhatNobodyHasSentWasNotLost) {
  open_lane();
  TestProducer producer(machines);
  post({.offset = 0, .capacity = 64, .index = 0});
  ASSERT_EQ(producer.send(kId, "one"), Outcome::kUnderWay);
  producer.lane(kId).link().flush();
  producer.port->drop(kId);
  EXPECT_EQ(answer<wire::RdmaLaneEnd>().number, wanted.number);
  constexpr std::uint32_t kLessThanNone = 0U - 3;  // Four of one message.
  EXPECT_EQ(say(wire::RdmaLaneOver{kId, wanted.number, kLessThanNone}), Errc::connection_reset);
}

TEST_F(RdmaLyingConsumerTest, MoreConsumersThanThereMayBeEndTheConnection) {
  wire::RdmaConsumer more = terms();
  Errc answer = Errc::skipped;
  for (std::uint32_t n = 1; n < 1024; ++n) {
    more.id = kId + 2 * n;
    answer = say(more);
    ASSERT_EQ(answer, Errc::skipped) << n;
  }
  more.id = kId + 2 * 1024;
  EXPECT_EQ(say(more), Errc::connection_reset);
}

TEST_F(RdmaLyingConsumerTest, ABufferOfWhateverLengthIsLentUpToABoundAndSentToBeyondIt) {
  wire::RdmaConsumer vast = terms();
  vast.id = kId + 2;
  vast.map_size = std::uint64_t{1} << 46U;
  announce(vast);
  open_lane(vast.id);
  TestProducer producer(machines);
  OutLane& out = producer.lane(vast.id);
  const std::uint64_t before = machines.link.fabric.counts(kClient).region_bytes;
  std::uint32_t loan = 99;
  std::span<std::byte> room;
  post({.offset = 0, .capacity = std::uint64_t{1} << 36U, .index = 0});
  EXPECT_EQ(out.reserve(loan, room), Outcome::kNoMemory);
  EXPECT_EQ(machines.link.fabric.counts(kClient).region_bytes, before);
  EXPECT_EQ(producer.send(vast.id, "hello"), Outcome::kUnderWay);
  post({.offset = 0, .capacity = OutLane::kLoanBytes / 2, .index = 1});
  post({.offset = 0, .capacity = OutLane::kLoanBytes / 2, .index = 2});
  post({.offset = 0, .capacity = OutLane::kLoanBytes, .index = 3});
  ASSERT_EQ(out.reserve(loan, room), Outcome::kSent);
  ASSERT_EQ(out.reserve(loan, room), Outcome::kSent);
  std::uint32_t another = 99;
  EXPECT_EQ(out.reserve(another, room), Outcome::kBusy) << "until others are back";
  out.abandon(0);
  out.abandon(1);
  ASSERT_EQ(out.reserve(loan, room), Outcome::kSent);
  EXPECT_LE(machines.link.fabric.counts(kClient).region_bytes - before, OutLane::kLoanBytes);
}

// --- A producer that lies ------------------------------------------------------------------

// The consumer is ours; the machine with the producers is the test.
struct RdmaLyingProducerTest : testing::Test {
  RdmaLyingProducerTest() {
    machines.settle();
    consumer.post(0, 0, 64);
    consumer.post(1, kMemory - 8, 8);
    lane = &producer.lane(consumer.port->id());
  }
  // Puts a record into the lane, whatever it says, with a sum that is right.
  void write(const LaneRecord& record, std::size_t data = 0) {
    LaneParts parts = machines.client.hub->take_lane(*machines.client.hub->find(id)).value();
    std::vector<std::byte> slot(parts.slots.bytes().size());
    const std::vector<std::byte> bytes(data, std::byte{'!'});
    const std::vector<std::byte> immediate(record.immediate, std::byte{'i'});
    const std::uint32_t size = write_record(slot.data(), 0, record, immediate, bytes);
    std::array<SendRequest, 1> request{
        write_to(parts.target, kLaneSlots, {slot.data(), size, 0}, 256)};
    parts.link->post(request).value();
    held.push_back(std::move(parts));
  }
  void expect_cut_off() {
    consumer.poll();
    EXPECT_TRUE(consumer.arrivals.empty());
    EXPECT_EQ(consumer.lost, Errc::connection_reset);
    EXPECT_TRUE(consumer.port->closed());
    EXPECT_FALSE(consumer.port->has_message()) << "or it would be polled for ever";
    EXPECT_EQ(consumer.port->posted(), 2U) << "what is posted comes back";
  }

  static constexpr std::size_t kMemory = 4096;
  Ports machines;
  TestConsumer consumer{machines, 4, 32, kMemory};
  TestProducer producer{machines};
  TestProducer second{machines};  // So that there is a lane to take.
  const std::uint32_t id = consumer.port->id();
  OutLane* lane = nullptr;
  std::vector<LaneParts> held;
};

// The line is the consumer's thread's by then.
TEST_F(RdmaLyingProducerTest, ASecondAnswerForAConsumerEndsTheConnection) {
  const auto line = Link::make(Ports::fabric_of(machines.link.client), 4).value();
  const auto say = [&](const wire::RdmaPacket& packet) {
    const auto news = machines.server.hub->take(wire::encoded(packet));
    return news ? Errc::skipped : news.error().code;
  };
  EXPECT_EQ(say(wire::RdmaAccepted{id, line->self(), {4096, 1}}), Errc::connection_reset);
  EXPECT_EQ(say(wire::RdmaRefused{id, 0, Errc::no_memory}), Errc::connection_reset);
  machines.settle();
  EXPECT_FALSE(consumer.lost);
}

TEST_F(RdmaLyingProducerTest, ABufferThatIsNotPostedIsNotFilled) {
  write({.index = 2, .kind = LaneKind::kInline, .producer = 9, .length = 5}, 5);
  expect_cut_off();
}

TEST_F(RdmaLyingProducerTest, AnIndexBeyondTheDepthIsNotLookedUp) {
  write({.index = 0xffff, .kind = LaneKind::kInline, .producer = 9, .length = 5}, 5);
  expect_cut_off();
}

TEST_F(RdmaLyingProducerTest, DataLongerThanTheRoomIsNotCopied) {
  write({.index = 1, .kind = LaneKind::kInline, .producer = 9, .length = 9}, 9);
  expect_cut_off();
}

TEST_F(RdmaLyingProducerTest, ALengthBeyondTheRoomIsNotReported) {
  write({.index = 0, .kind = LaneKind::kDirect, .producer = 9, .length = kMaxLength});
  expect_cut_off();
}

TEST_F(RdmaLyingProducerTest, MoreImmediateDataThanWasAgreedIsNotTaken) {
  write({.index = 0, .kind = LaneKind::kInline, .producer = 9, .immediate = 33});
  expect_cut_off();
}

TEST_F(RdmaLyingProducerTest, AKindThatIsNoneIsNotGuessed) {
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): what a peer may write.
  write({.index = 0, .kind = static_cast<LaneKind>(3), .producer = 9});
  expect_cut_off();
}

TEST_F(RdmaLyingProducerTest, ARecordOfWhichTheSumIsWrongIsNotThereAndHoldsUpItsOwnLaneAlone) {
  write({.index = 0, .kind = LaneKind::kInline, .producer = 9, .length = 5}, 5);
  LaneParts& parts = held.back();
  const std::uint64_t garbage = 1;  // Sequence 1, and no sum.
  std::array<SendRequest, 1> request{
      write_to(parts.target, kLaneSlots,
               {reinterpret_cast<const std::byte*>(&garbage), sizeof garbage, 0}, 256)};
  parts.link->post(request).value();
  EXPECT_FALSE(consumer.port->ready()) << "nobody stays awake for it";
  EXPECT_FALSE(consumer.poll());
  EXPECT_FALSE(consumer.lost);
  ASSERT_EQ(producer.send(id, "honest"), Outcome::kUnderWay);
  EXPECT_TRUE(consumer.poll());
  EXPECT_EQ(consumer.text(0, 6), "honest");
}

}  // namespace
}  // namespace comch::transport::rdma
