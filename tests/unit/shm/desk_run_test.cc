// The contract of a Desk's sole producer that takes by the run.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "unit/shm/desk_of.h"

namespace comch::shm {
namespace {

struct DeskRunTest : testing::Test, DeskOf<FastMachine> {
  void tell_of_more_than_can_be_posted() {
    PostedRun<> lie;
    for (std::uint32_t n = 0; n <= kDepth; ++n) lie.add(true, 1);
    FastMachine::store_word(run.data(), 0, lie.word());
  }
};

// What a take by the run of up to `most` shows, and what it answers.
struct ByRun {
  RunTake answer;
  std::vector<std::uint64_t> indexes;
};
template <class Desk>
ByRun take_by_run(Desk& desk, std::size_t most, std::uint64_t bytes = 1) {
  ByRun taken;
  taken.answer = desk.use_run(most, [&](auto slots, std::size_t count, std::uint64_t room) {
    std::size_t used = 0;
    for (; used != count && bytes <= room; ++used) taken.indexes.push_back(slots[used]);
    return used;
  });
  return taken;
}

// The index that a message of `bytes` by itself is sent to.
template <class Desk>
std::optional<std::uint64_t> take_one(Desk& desk, std::uint64_t bytes = 1) {
  std::optional<std::uint64_t> taken;
  desk.use_one([&](std::uint16_t index, std::uint64_t room) {
    if (bytes <= room) taken = index;
    return taken.has_value();
  });
  return taken;
}

TEST_F(DeskRunTest, ASoleProducerTakesByTheRunWhatItWouldHaveReadInTheRing) {
  const SeatId seat = attach();
  EXPECT_EQ(take_by_run(desk, 4).answer, RunTake::kNothing);
  post(5);
  const ByRun some = take_by_run(desk, 3);
  EXPECT_EQ(some.answer, RunTake::kDone);
  EXPECT_EQ(some.indexes, (Offsets{0, 1, 2}));
  EXPECT_EQ(take(seat), (Offsets{3})) << "both ways go on where the other one ended";
  const ByRun rest = take_by_run(desk, 3);
  EXPECT_EQ(rest.answer, RunTake::kNothing);
  EXPECT_EQ(rest.indexes, (Offsets{4}));
}

TEST_F(DeskRunTest, TheRunIsLeftWhereItEndsAndWhereTheRoomIsTooSmall) {
  const SeatId seat = attach();
  post(1);
  writer.post(9, 1, 1);
  writer.post(2, 2, 1);
  writer.publish();
  EXPECT_EQ(take_by_run(desk, 1).answer, RunTake::kOther) << "the run begins behind it";
  EXPECT_EQ(desk.ready(seat), true);
  std::array<Posted, 2> out;
  ASSERT_EQ(desk.take(seat, out), 2U);
  EXPECT_EQ(out[1].index, 9U);
  EXPECT_EQ(take_by_run(desk, 1, 2).answer, RunTake::kOther) << "longer than the room";
  EXPECT_EQ(take_by_run(desk, 1, 1).indexes, (Offsets{2}));
}

TEST_F(DeskRunTest, ARunOfMoreThanCanBePostedBreaksTheDesk) {
  const SeatId seat = attach();
  tell_of_more_than_can_be_posted();
  EXPECT_EQ(take_by_run(desk, 1).answer, RunTake::kNothing);
  EXPECT_TRUE(desk.broken());
  EXPECT_EQ(take(seat), Offsets{});
}

// Descriptors are published ahead of it.
TEST_F(DeskRunTest, ARunThatIsBehindWhatWasTakenByItsDescriptorIsNoLie) {
  const SeatId seat = attach();
  post(3);
  const std::uint64_t late = FastMachine::load_word(run.data(), 0);
  PostedRun<> earlier;
  earlier.add(true, 1);
  FastMachine::store_word(run.data(), 0, earlier.word());
  EXPECT_EQ(take(seat, 2), (Offsets{0, 1}));
  EXPECT_EQ(take_by_run(desk, 1).answer, RunTake::kNothing);
  EXPECT_FALSE(desk.broken());
  FastMachine::store_word(run.data(), 0, late);
  EXPECT_EQ(take_by_run(desk, 1).indexes, (Offsets{2}));
}

TEST_F(DeskRunTest, OneIsTakenByTheRunWhereItCoversAndElseByItsDescriptor) {
  const SeatId seat = attach();
  for (std::uint64_t n = 0; n != 5; ++n) {  // Each ahead of the look behind the first.
    post(1);
    EXPECT_EQ(take_one(desk), n);
    EXPECT_EQ(take_one(desk), std::nullopt);
  }
  post(kDepth);
  for (std::uint64_t n = 5; n != 5 + kDepth; ++n) {
    EXPECT_EQ(take_one(desk, 2), std::nullopt) << "longer than the room, it stays";
    EXPECT_EQ(take_one(desk), n);
  }
  writer.post(9, 1, 1);
  writer.publish();
  EXPECT_EQ(take_one(desk), 9U);
  EXPECT_EQ(take(seat), Offsets{});
  attach();
  post(1);
  EXPECT_EQ(take_one(desk), std::nullopt) << "it has siblings";
  EXPECT_FALSE(desk.broken());
}

// What is used of what next() says; nothing: it knows of none, or the desk is not one's alone.
template <class Desk>
std::optional<std::uint64_t> take_next(Desk& desk) {
  const auto next = desk.next();
  std::optional<std::uint64_t> taken;
  if (next.room != 0) desk.use_next([&] { taken = next.index; });
  return taken;
}

TEST_F(DeskRunTest, WhatIsNextIsKnownAsFarAsTheRunIs) {
  const SeatId seat = attach();
  post(3);
  EXPECT_EQ(take_next(desk), std::nullopt) << "ahead of a look";
  desk.look();
  EXPECT_EQ(desk.next().room, 1U);
  EXPECT_EQ(take_next(desk), 0U);
  EXPECT_EQ(take_one(desk), 1U) << "both ways go on where the other one ended";
  EXPECT_EQ(take_next(desk), 2U);
  post(1);
  EXPECT_EQ(take_next(desk), std::nullopt);
  desk.look();
  EXPECT_EQ(take_next(desk), 3U);
  EXPECT_EQ(take(seat), Offsets{});
}

TEST_F(DeskRunTest, WhatIsNextIsNotTakenOnceThereAreSiblings) {
  const SeatId first = attach();
  post(2);
  desk.look();
  EXPECT_EQ(desk.next().room, 1U);
  const SeatId second = attach();
  EXPECT_FALSE(desk.use_next([] { FAIL() << "it is somebody else's, too"; }));
  EXPECT_EQ(take(second), Offsets{0});
  EXPECT_EQ(take(first), Offsets{1});
}

TEST_F(DeskRunTest, LooksAheadAsFarAsTheRunIsKnownAndTakesNothing) {
  attach();
  EXPECT_EQ(desk.look_ahead(4).buffers, 0U);
  post(3);
  EXPECT_EQ(desk.look_ahead(2).buffers, 2U);
  EXPECT_EQ(desk.look_ahead(4).buffers, 3U);
  EXPECT_EQ(desk.look_ahead(4).room, 1U);
  post(1);
  EXPECT_EQ(desk.look_ahead(4).buffers, 3U) << "as far as is known";
  EXPECT_EQ(take_by_run(desk, 4).indexes, (Offsets{0, 1, 2, 3}));
  EXPECT_EQ(desk.look_ahead(4).buffers, 0U);
}

TEST_F(DeskRunTest, ALieOfTheRunIsSeenByWhoLooksAhead) {
  attach();
  tell_of_more_than_can_be_posted();
  EXPECT_EQ(desk.look_ahead(4).buffers, 0U);
  EXPECT_TRUE(desk.broken());
}

TEST_F(DeskRunTest, WhoHasSiblingsDoesNotTakeByTheRun) {
  attach();
  attach();
  post(2);
  EXPECT_EQ(take_by_run(desk, 1).answer, RunTake::kSiblings);
  EXPECT_EQ(desk.look_ahead(1).buffers, 0U);
}

}  // namespace
}  // namespace comch::shm
