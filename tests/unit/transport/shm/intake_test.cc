// Intake: what it hands out, of lanes that tell the truth. intake_lies_test.cc has the others.
#include "transport/shm/intake.h"

#include "unit/transport/shm/consumer_port_fixture.h"

namespace comch::transport::shm {
namespace {

constexpr std::size_t kRoomOfEach = 64;

// An intake of eight posted buffers, each as its index has it, and the lane of one producer.
struct IntakeTest : testing::Test, Intake::Host {
  struct Seen {
    std::size_t number;
    Arrival arrival;
  };

  // `bounce`: of its lane, which has head credit for it.
  explicit IntakeTest(std::uint64_t bounce = kPage)
      : peer(line.first, 7, {.bounce = bounce}), lane(peer.received()) {
    for (std::uint16_t n = 0; n < 8; ++n) {
      intake.table().post(n, static_cast<std::uint16_t>(n + 100), n * kRoomOfEach, kRoomOfEach);
    }
  }
  PeerMap* map_of(std::uint32_t number) override {
    asked_for = number;
    return nullptr;
  }
  const os::PeerFile* file_of(std::uint32_t) override { return nullptr; }
  void post_again(std::uint16_t index, const Intake::Entry& entry) override {
    EXPECT_EQ(entry.capacity(), kRoomOfEach);
    again.push_back(index);
  }
  Intake::Got take(std::size_t first, std::size_t until) {
    const auto sink = [this](std::size_t n, const Arrival& arrival) {
      seen.push_back({n, arrival});
    };
    return intake.take(*lane, first, until, Intake::kLookOnce, sink);
  }
  // Takes a message, if there is one.
  bool asks_for_the_answer() {
    next.lies_at(memory.data());
    take(0, 1);
    return next.slot() == nullptr;
  }

  std::array<std::byte, 8 * kRoomOfEach> memory{};
  NextAnswer next;
  Intake intake{{.names = 128, .immediate_max = kImmediate, .memory = memory}, *this, next};
  std::pair<os::Fd, os::Fd> line = os::pair().value();
  PeerLane peer;
  std::unique_ptr<InLane> lane;
  std::optional<std::uint32_t> asked_for;
  std::vector<std::uint16_t> again;
  std::vector<Seen> seen;
};

TEST_F(IntakeTest, PutsDataIntoTheBufferAndCompletesIt) {
  peer.writer->put_inline(3, kBytes, {});
  peer.writer->publish();
  const Intake::Got got = take(0, 64);
  EXPECT_EQ(got.count, 1U);
  EXPECT_EQ(got.found, Found::kSome);
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].arrival.index, 103) << "the name, which is the poster's own";
  EXPECT_EQ(seen[0].arrival.producer, 7U);
  EXPECT_TRUE(std::ranges::equal(std::span(memory).subspan(3 * kRoomOfEach, 3), kBytes));
  EXPECT_FALSE(intake.table().posted(3));
}

TEST_F(IntakeTest, FindsNothingInAnEmptyLaneAndThatIsNoLie) {
  const Intake::Got got = take(5, 64);
  EXPECT_EQ(got.count, 5U);
  EXPECT_EQ(got.found, Found::kNothing);
}

TEST_F(IntakeTest, AsksForWhereTheAnswerGoesWhenThereIsAMessage) {
  EXPECT_FALSE(asks_for_the_answer()) << "there is none";
  peer.writer->put_inline(0, kBytes, {});
  peer.writer->put_immediate(1, kBytes);
  peer.writer->publish();
  EXPECT_TRUE(asks_for_the_answer());
  EXPECT_TRUE(asks_for_the_answer()) << "one that is not plain";
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(IntakeTest, AsksForWhereTheAnswerGoesWhenThereIsARow) {
  peer.write_row(4, 3, 8);
  EXPECT_TRUE(asks_for_the_answer());
}

TEST_F(IntakeTest, CountsOnFromTheFirstNumberAndStopsWhenThereAreSoMany) {
  for (std::uint16_t n = 0; n < 4; ++n) peer.writer->put_direct(n, 1, {});
  peer.writer->publish();
  EXPECT_EQ(take(10, 12).count, 12U);
  EXPECT_EQ(take(12, 64).count, 14U);
  ASSERT_EQ(seen.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(seen[n].number, 10 + n);
}

TEST_F(IntakeTest, KeepsTheOrderOfMessagesThatArePlainAndThatAreNot) {
  peer.writer->put_direct(0, 1, {});
  peer.writer->put_immediate(1, kBytes);
  peer.writer->put_direct(2, 1, {});
  peer.writer->put_inline(3, kBytes, kBytes);
  peer.writer->publish();
  EXPECT_EQ(take(0, 64).count, 4U);
  ASSERT_EQ(seen.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(seen[n].arrival.index, 100 + n);
  EXPECT_EQ(seen[1].arrival.passage, Passage::kNone);
  EXPECT_TRUE(std::ranges::equal(seen[1].arrival.immediate, kBytes));
  EXPECT_TRUE(std::ranges::equal(seen[3].arrival.immediate, kBytes));
}

TEST_F(IntakeTest, ARowMayBeTakenInPartsAndWhatFollowsItComesBehindIt) {
  peer.write_row(4, 3, 8);
  EXPECT_EQ(take(0, 2).count, 2U);
  EXPECT_EQ(take(2, 64).count, 3U);
  ASSERT_EQ(seen.size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(seen[n].arrival.index, 104 + n);
    EXPECT_EQ(memory[(4 + n) * kRoomOfEach], static_cast<std::byte>(n + 1));
  }
}

// What a sink that calls nobody has been handed.
struct Ledger {
  std::vector<std::uint16_t> alone;
  std::vector<std::uint16_t> in_rows;
  std::size_t messages = 0;  // Of rows.
  std::uint64_t bytes = 0;
};
struct WritesDown {
  static constexpr bool kCallsNobody = true;
  Ledger& ledger;
  void put(std::size_t, const PlainArrival& arrival) const {
    ledger.in_rows.push_back(arrival.index);
  }
  void count_row(std::size_t messages, std::uint64_t bytes) const {
    ledger.messages += messages;
    ledger.bytes += bytes;
  }
  void operator()(std::size_t, const Arrival& arrival) const {
    ledger.alone.push_back(arrival.index);
  }
  void operator()(std::size_t, const PlainArrival& arrival) const {
    ledger.alone.push_back(arrival.index);
  }
};

TEST_F(IntakeTest, WhoCallsNobodyIsToldOfARowAsAWhole) {
  Ledger ledger;
  const auto take_some = [&](std::size_t most) {
    return intake.take(*lane, 0, most, Intake::kLookOnce, WritesDown{ledger}).count;
  };
  peer.write_row(4, 3, 8);
  EXPECT_EQ(take_some(2), 2U);
  EXPECT_EQ(ledger.messages, 2U);
  EXPECT_EQ(ledger.bytes, 16U);
  EXPECT_EQ(lane->reader.position(), 2U);
  EXPECT_EQ(take_some(64), 1U);
  EXPECT_EQ(ledger.messages, 3U);
  EXPECT_EQ(ledger.in_rows, (std::vector<std::uint16_t>{104, 105, 106}));
  EXPECT_TRUE(ledger.alone.empty());
  for (std::uint16_t n = 4; n < 7; ++n) EXPECT_FALSE(intake.table().posted(n));
}

// One that looks at the lane while it is told.
struct LooksUp {
  static constexpr bool kCallsNobody = false;
  const InLane& lane;
  std::vector<std::uint32_t>& passed;
  std::size_t& messages;
  void put(std::size_t, const PlainArrival&) const { passed.push_back(lane.reader.position()); }
  void count_row(std::size_t count, std::uint64_t) const { messages += count; }
  void operator()(std::size_t, const Arrival&) const {}
  void operator()(std::size_t, const PlainArrival&) const {}
};

TEST_F(IntakeTest, WhoCallsBackIsToldOfARowAsAWholeAndFindsEachMessagePassed) {
  std::vector<std::uint32_t> passed;
  std::size_t messages = 0;
  peer.write_row(4, 3, 8);
  intake.take(*lane, 0, 64, Intake::kLookOnce,
              LooksUp{.lane = *lane, .passed = passed, .messages = messages});
  EXPECT_EQ(passed, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(messages, 3U);
}

// One that writes down ahead.
struct Foresees : WritesDown {
  std::vector<std::uint16_t>& expected;
  std::vector<std::uint64_t>& came;
  void expect(std::size_t, const PlainArrival& arrival) const { expected.push_back(arrival.index); }
  void put_expected(std::size_t, std::uint64_t length) const { came.push_back(length); }
};

struct IntakeAwaitsTest : IntakeTest {
  IntakeAwaitsTest() : IntakeTest(0) { send(0); }
  void send(std::uint16_t index, std::size_t bytes = 3) {
    peer.writer->put_inline(index, std::span(data).first(bytes), {});
    peer.writer->publish();
  }
  Found take_one() {
    const Intake::Got got =
        intake.take(*lane, 0, 1, Intake::kLookOnce, Foresees{{ledger}, expected, came});
    EXPECT_EQ(got.count, got.found == Found::kSome ? 1U : 0U);
    return got.found;
  }

  const std::array<std::byte, 100> data{std::byte{7}, std::byte{8}, std::byte{9}};
  Ledger ledger;
  std::vector<std::uint16_t> expected;
  std::vector<std::uint64_t> came;
};

TEST_F(IntakeAwaitsTest, OneForTheNextBufferIsExpectedAndPutThere) {
  EXPECT_EQ(take_one(), Found::kSome);
  EXPECT_TRUE(expected.empty()) << "of the first one nothing is known";
  EXPECT_EQ(take_one(), Found::kNothing);
  send(1, kRoomOfEach);
  EXPECT_EQ(take_one(), Found::kSome);
  EXPECT_EQ(expected, (std::vector<std::uint16_t>{101, 101}));
  EXPECT_EQ(came, std::vector<std::uint64_t>{kRoomOfEach});
  EXPECT_EQ(ledger.alone, std::vector<std::uint16_t>{100});
  EXPECT_TRUE(std::ranges::equal(std::span(memory).subspan(kRoomOfEach, kRoomOfEach),
                                 std::span(data).first(kRoomOfEach)));
  EXPECT_FALSE(intake.table().posted(1));
  EXPECT_EQ(lane->reader.position(), 2U);
}

TEST_F(IntakeAwaitsTest, OneForAnotherBufferIsTakenAsAny) {
  take_one();
  send(5);
  EXPECT_EQ(take_one(), Found::kSome);
  EXPECT_EQ(expected, std::vector<std::uint16_t>{101});
  EXPECT_TRUE(came.empty());
  EXPECT_EQ(ledger.alone, (std::vector<std::uint16_t>{100, 105}));
  EXPECT_TRUE(intake.table().posted(1));
  send(6);
  EXPECT_EQ(take_one(), Found::kSome);
  EXPECT_EQ(came.size(), 1U);
}

TEST_F(IntakeAwaitsTest, WhereNothingIsPostedNothingIsExpected) {
  intake.table().complete(1);
  take_one();
  send(2);
  EXPECT_EQ(take_one(), Found::kSome);
  EXPECT_TRUE(expected.empty());
}

TEST_F(IntakeAwaitsTest, OneThatIsLongerThanItsBufferIsALie) {
  take_one();
  send(1, kRoomOfEach + 1);
  EXPECT_EQ(take_one(), Found::kBroken);
  EXPECT_TRUE(came.empty());
  EXPECT_EQ(memory[2 * kRoomOfEach], std::byte{0});
}

TEST_F(IntakeAwaitsTest, OneWithoutDataOrWithMoreThanDataIsNoneThatIsAwaited) {
  take_one();
  peer.writer->put_inline(1, {}, {});
  peer.writer->put_inline(2, kBytes, kBytes);
  peer.writer->publish();
  EXPECT_EQ(take_one(), Found::kSome);
  EXPECT_EQ(take_one(), Found::kSome);
  EXPECT_TRUE(came.empty());
  EXPECT_EQ(ledger.alone, (std::vector<std::uint16_t>{100, 101, 102}));
}

TEST_F(IntakeAwaitsTest, BehindOneThatWasWaitedForTheOthersAreTakenWithIt) {
  take_one();
  EXPECT_EQ(take_one(), Found::kNothing);
  send(1);
  send(2);
  peer.writer->put_immediate(3, kBytes);
  send(5);
  const Intake::Got got =
      intake.take(*lane, 0, 64, Intake::kLookOnce, Foresees{{ledger}, expected, came});
  EXPECT_EQ(got.count, 4U);
  EXPECT_EQ(got.found, Found::kSome);
  EXPECT_EQ(came.size(), 1U);
  EXPECT_EQ(ledger.alone, (std::vector<std::uint16_t>{100, 102, 103, 105}));
}

TEST_F(IntakeTest, WhereSlotsAreGivenBackByTheHeadNothingIsAwaited) {
  for (std::uint16_t n = 0; n < 8; ++n) {
    ASSERT_NE(peer.writer->room(), 0U);
    peer.writer->put_inline(n, kBytes, {});
    peer.writer->publish();
    EXPECT_EQ(take(0, 1).found, Found::kSome);
    EXPECT_FALSE(comch::shm::LaneReader<>::Awaited(lane->reader).is_possible());
  }
  peer.writer->look_again();
  EXPECT_EQ(peer.writer->room(), peer.layout.shape.slots);
}

TEST_F(IntakeTest, OfARowWithALieWhatWasTrueIsTakenAndCounted) {
  Ledger ledger;
  intake.table().complete(5);
  peer.write_row(4, 3, 8);
  const Intake::Got got = intake.take(*lane, 0, 64, Intake::kLookOnce, WritesDown{ledger});
  EXPECT_EQ(got.count, 1U);
  EXPECT_EQ(ledger.messages, 1U);
  EXPECT_EQ(ledger.bytes, 8U);
  EXPECT_EQ(intake.take(*lane, 0, 64, Intake::kLookOnce, WritesDown{ledger}).found, Found::kBroken);
  EXPECT_EQ(ledger.in_rows, (std::vector<std::uint16_t>{104}));
}

TEST_F(IntakeTest, ALieBehindWhatIsTrueIsFoundNext) {
  peer.writer->put_direct(0, 1, {});
  peer.writer->put_direct(0, 1, {});
  peer.writer->publish();
  EXPECT_EQ(take(0, 64).found, Found::kSome);
  EXPECT_EQ(take(0, 64).found, Found::kBroken);
  EXPECT_EQ(seen.size(), 1U);
}

TEST_F(IntakeTest, APartOfALongMessageIsSomethingAndItsBufferIsKnownAsBegun) {
  EXPECT_EQ(intake.begun(*lane), nullptr);
  peer.writer->put_staged(5, 3, {0, 2}, {});
  peer.writer->publish();
  const Intake::Got got = take(0, 64);
  EXPECT_EQ(got.count, 0U);
  EXPECT_EQ(got.found, Found::kSome);
  ASSERT_NE(intake.begun(*lane), nullptr);
  EXPECT_EQ(intake.begun(*lane)->offset, 5 * kRoomOfEach);
  peer.writer->put_staged_next(5, {2, 1});
  peer.writer->publish();
  EXPECT_EQ(take(0, 64).count, 1U);
  EXPECT_EQ(seen[0].arrival.length, 3U);
  EXPECT_EQ(intake.begun(*lane), nullptr);
}

TEST_F(IntakeTest, AsksForTheMapThatAMessageSpeaksOf) {
  std::ignore = peer.writer->put_job(0, 9, {0, 1}, comch::shm::kChunkShiftMin, {});
  peer.writer->publish();
  EXPECT_EQ(take(0, 64).found, Found::kBroken) << "it was not shown";
  EXPECT_EQ(asked_for, 9U);
}

}  // namespace
}  // namespace comch::transport::shm
