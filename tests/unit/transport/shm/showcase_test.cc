// Showcase: what it shows of lanes, and for how long. consumer_view_test.cc has lanes that lie.
#include "transport/shm/showcase.h"

#include "unit/transport/shm/consumer_port_fixture.h"

namespace comch::transport::shm {
namespace {

struct ShowcaseTest : testing::Test {
  void send(int messages) {
    for (int n = 0; n < messages; ++n) peer.writer->put_inline(0, kBytes, {});
    peer.writer->publish();
  }
  Showcase::Got show(std::size_t budget = 64) {
    return showcase.show(*lane, budget, [this](std::size_t n, const Shown& message) {
      numbers.push_back(n);
      seen.push_back(message);
    });
  }
  // Slots that the producer may write.
  std::uint32_t room() {
    peer.writer->look_again();
    return peer.writer->room();
  }

  NextAnswer next;
  Showcase showcase{next};
  std::pair<os::Fd, os::Fd> line = os::pair().value();
  PeerLane peer{line.first, 7, {.viewed = true}};
  std::unique_ptr<InLane> lane = peer.received();
  std::vector<std::size_t> numbers;
  std::vector<Shown> seen;
};

TEST_F(ShowcaseTest, FindsNothingInAnEmptyLaneAndThatIsNoLie) {
  const Showcase::Got got = show();
  EXPECT_FALSE(got.shown);
  EXPECT_EQ(got.found, Found::kNothing);
}

TEST_F(ShowcaseTest, NumbersMessagesAndCountsTheirBytes) {
  send(2);
  peer.writer->put_immediate(0, kBytes);
  peer.writer->publish();
  const Showcase::Got got = show();
  EXPECT_EQ(got.shown.messages, 3U);
  EXPECT_EQ(got.shown.bytes, 2 * kBytes.size()) << "immediate data is none";
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(std::ranges::equal(seen[0].data, kBytes));
  EXPECT_TRUE(std::ranges::equal(seen[2].immediate, kBytes));
  EXPECT_EQ(seen[2].producer, 7U);
  EXPECT_EQ(showcase.shown(), 3U);
}

TEST_F(ShowcaseTest, AsksForWhereTheAnswerGoesWhenThereIsAMessage) {
  const std::array<std::byte, NextAnswer::kBytes> slot{};
  next.lies_at(slot.data());
  EXPECT_FALSE(show().shown);
  EXPECT_EQ(next.slot(), slot.data());
  send(1);
  EXPECT_TRUE(show().shown);
  EXPECT_EQ(next.slot(), nullptr);
}

TEST_F(ShowcaseTest, StopsAtTheBudgetAndGoesOnBehindIt) {
  send(3);
  EXPECT_EQ(show(2).shown.messages, 2U);
  EXPECT_EQ(show(2).shown.messages, 1U);
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 1, 0})) << "each call counts from 0";
}

TEST_F(ShowcaseTest, CountsARowAmongTheOthers) {
  peer.write_row(0, 3, 8);
  const Showcase::Got got = show(2);
  EXPECT_EQ(got.shown.messages, 2U);
  EXPECT_EQ(got.shown.bytes, 16U);
  EXPECT_EQ(show().shown.messages, 1U);
  EXPECT_EQ(seen[2].data[0], std::byte{3});
}

TEST_F(ShowcaseTest, GivesNoSlotBackBeforeItsMessageIsReleased) {
  send(static_cast<int>(kPortDepth));
  EXPECT_EQ(show().shown.messages, kPortDepth);
  EXPECT_EQ(room(), 0U);
  EXPECT_FALSE(showcase.release(kPortDepth + 1));
  EXPECT_EQ(showcase.shown(), kPortDepth) << "nothing was done";
  EXPECT_TRUE(showcase.release(1));
  EXPECT_EQ(room(), 1U);
  EXPECT_TRUE(showcase.release(kPortDepth - 1));
  EXPECT_EQ(room(), kPortDepth);
}

TEST_F(ShowcaseTest, ShowsWhatCameBeforeALieAndThenTheLie) {
  send(1);
  peer.writer->put_direct(0, 8, {});
  peer.writer->publish();
  EXPECT_EQ(show().shown.messages, 1U);
  const Showcase::Got got = show();
  EXPECT_FALSE(got.shown);
  EXPECT_EQ(got.found, Found::kBroken);
}

}  // namespace
}  // namespace comch::transport::shm
