// ConsumerPort: messages that are looked at where they lie, in the slots of lanes that may lie.
#include "unit/transport/shm/consumer_port_fixture.h"

namespace comch::transport::shm {
namespace {

struct ConsumerViewTest : ConsumerPortTest {
  ConsumerViewTest() : ConsumerPortTest(wire::Way::kView) {}

  PeerLane viewed(std::uint32_t producer = 1) { return lane(producer, {.viewed = true}); }
  std::size_t view(std::size_t most = 64) {
    const auto show = [this](std::size_t, const Shown& message) { shown.push_back(message); };
    return port->view(most, show).messages;
  }
  void expect_lie() {
    EXPECT_EQ(view(), 0U);
    EXPECT_EQ(owner.lost, Errc::connection_reset);
    EXPECT_TRUE(port->closed());
  }

  std::vector<Shown> shown;
};

TEST_F(ConsumerViewTest, ShowsNothingButWhatLiesInTheSlot) {
  PeerLane from = viewed();
  from.writer->put_inline(0, kBytes, {});
  from.writer->put_inline(77, kBytes, kBytes);
  from.writer->publish();
  EXPECT_EQ(view(), 2U);
  EXPECT_TRUE(std::ranges::equal(shown[0].data, kBytes));
  EXPECT_TRUE(std::ranges::equal(shown[1].immediate, kBytes));
  EXPECT_EQ(port->shown(), 2U);
  EXPECT_FALSE(port->release(3));
  EXPECT_TRUE(port->release(2));
}

TEST_F(ConsumerViewTest, ShowsTheMessagesOfARowEachInItsSlot) {
  const PeerLane from = viewed();
  from.write_row(77, 3, 8);
  EXPECT_EQ(view(2), 2U);
  EXPECT_EQ(view(), 1U);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(shown[n].data.size(), 8U);
    EXPECT_EQ(shown[n].data[0], static_cast<std::byte>(n + 1));
  }
  EXPECT_EQ(port->shown(), 3U);
  EXPECT_TRUE(port->release(3));
}

TEST_F(ConsumerViewTest, IsPatientForWhoAnswersWhatItIsShown) {
  PeerLane from = viewed();
  const auto show_one = [&] {
    from.writer->put_inline(0, kBytes, {});
    from.writer->publish();
    EXPECT_EQ(view(), 1U);
  };
  Patience& patience = reactor.patience();
  show_one();
  EXPECT_FALSE(patience.is_near(port.get()));
  patience.answered();
  show_one();
  EXPECT_TRUE(patience.is_near(port.get()));
  for (int n = 0; n < Patience::kCalls; ++n) EXPECT_EQ(view(), 0U);
  EXPECT_FALSE(patience.is_near(port.get()));
  EXPECT_TRUE(port->release(2));
}

TEST_F(ConsumerViewTest, RefusesDataThatIsSaidToBeInABuffer) {
  PeerLane from = viewed();
  from.writer->put_direct(0, 8, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(ConsumerViewTest, RefusesAHandOver) {
  PeerLane from = viewed();
  from.writer->put_hand_over(0, 0, 0, {.offset = 0, .length = 8}, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(ConsumerViewTest, RefusesAJob) {
  PeerLane from = viewed();
  std::ignore = from.writer->put_job(0, 0, {.offset = 0, .length = 1U << 20U}, 15, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(ConsumerViewTest, RefusesAStagedMessage) {
  PeerLane from = lane(1, {.bounce = kPage, .viewed = true});
  from.writer->put_staged(0, 8, {.offset = 0, .length = 8}, {});
  from.writer->publish();
  expect_lie();
}

TEST_F(ConsumerViewTest, RefusesDataAboveASlot) {
  PeerLane from = viewed();
  from.writer->put_inline(0, kBytes, {});
  from.word(0, 1) = comch::shm::kLanePayload + 1;
  from.writer->publish();
  expect_lie();
}

TEST_F(ConsumerViewTest, KeepsTheLaneOfWhatIsShownWhenItsProducerEnds) {
  PeerLane from = viewed();
  from.writer->put_inline(0, kBytes, {});
  from.writer->publish();
  EXPECT_EQ(view(), 1U);
  ASSERT_TRUE(say_packet(line, wire::LaneEnd{.producer = 1}));
  settle();
  EXPECT_EQ(view(), 0U);
  EXPECT_FALSE(port->ready()) << "nothing can be done, so that whoever waits may sleep";
  EXPECT_TRUE(std::ranges::equal(shown[0].data, kBytes));
  EXPECT_TRUE(port->release(1));
  EXPECT_TRUE(port->ready());
  EXPECT_EQ(view(), 0U);
  EXPECT_FALSE(port->ready()) << "the lane is swept away";
}

TEST_F(ConsumerViewTest, TakesTurnsOfSixtyFourProducersAndThenWaits) {
  std::vector<PeerLane> lanes;
  for (std::uint32_t n = 0; n < 66; ++n) {
    lanes.push_back(viewed(n + 1));
    lanes.back().writer->put_inline(0, kBytes, {});
    lanes.back().writer->publish();
  }
  std::size_t seen = 0;
  for (int n = 0; n < 100; ++n) seen += view();
  EXPECT_EQ(seen, 64U);
  EXPECT_FALSE(port->ready()) << "nothing can be done before a release";
  EXPECT_TRUE(port->release(2));
  EXPECT_TRUE(port->ready());
  for (int n = 0; n < 100; ++n) seen += view();
  EXPECT_EQ(seen, 66U);
  EXPECT_TRUE(port->release(64));
  EXPECT_EQ(port->shown(), 0U);
}

}  // namespace
}  // namespace comch::transport::shm
