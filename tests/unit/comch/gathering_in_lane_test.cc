// Gathering of messages that are too long for a slot: each is copied at once, and the consumer sees
// them together.
#include <poll.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "unit/comch/gathering_fixture.h"

namespace comch::test {
namespace {

// The producer is on an engine of its own, so that the consumer sees what is exposed and no more.
struct GatheringInLaneTest : GatheringTest {
  static constexpr std::size_t kLong = 1000;

  ~GatheringInLaneTest() override {
    if (!apart) return;
    std::ignore = apart->abort();
    EXPECT_TRUE(run_until([&] {
      own->progress();
      return apart->state() == ContextState::kIdle;
    }));
  }

  // A consumer that posts 16 buffers at most, so that four messages are exposed together, and has
  // so many; and a producer that has sent to it: the first message to a consumer goes by itself.
  Consumer& begin(std::size_t count, std::size_t size = kLong, std::uint32_t lane_size = 0) {
    Consumer& to = FastPair::consumer(there, {.depth = 16});
    apart = Producer::create(client.connection()).value();
    apart
        ->configure_send(
            32, [this](ProducerTask& task) { done(task); },
            [this](ProducerTask& task) { done(task); })
        .value();
    apart->set_lane_size(lane_size).value();
    own->connect(*apart).value();
    EXPECT_TRUE(apart->start());
    post(to, there.room(there.range().size() - kRoom, kRoom));
    task(*apart, to.id(), "0").submit().value();
    EXPECT_TRUE(run_until([&] {
      own->progress();
      return texts.size() == 1 && sent.size() == 1;
    }));
    texts.clear();
    sent.clear();
    post_rooms(to, there, count, size);
    return to;
  }
  std::string text(unsigned number, std::size_t size = kLong) const {
    return pattern(size, number);
  }
  ProducerTask& long_task(ConsumerId to, unsigned number, std::size_t size = kLong) {
    return *apart->allocate_send(here.data(offset_ += size, text(number, size)), {}, to).value();
  }
  bool more_long(ConsumerId to, unsigned number, std::size_t size = kLong) {
    ProducerTask& made = long_task(to, number, size);
    if (made.try_submit_more()) return true;
    give_up(made);
    return false;
  }
  bool is_seen(std::size_t count) {
    for (int n = 0; n < 100; ++n) engine->progress();
    return texts.size() >= count;
  }

  std::unique_ptr<ProgressEngine> own = ProgressEngine::create().value();
  std::unique_ptr<Producer> apart;

 private:
  std::size_t offset_ = 0;
};

TEST_F(GatheringInLaneTest, AreSeenWhenTheyAreFlushed) {
  Consumer& to = begin(15);
  Producer& from = *apart;
  for (unsigned n = 0; n < 3; ++n) ASSERT_TRUE(more_long(to.id(), n));
  EXPECT_EQ(from.counters().sent_messages, 4U);
  EXPECT_FALSE(is_seen(1));
  from.flush();
  EXPECT_TRUE(sent.empty()) << "callbacks come from progress()";
  ASSERT_TRUE(arrive({text(0), text(1), text(2)}));
  own->progress();
  EXPECT_EQ(sent.size(), 3U);
  EXPECT_EQ(from.tasks_in_flight(), 0U);
}

TEST_F(GatheringInLaneTest, AreSeenBehindProgress) {
  Consumer& to = begin(15);
  ASSERT_TRUE(more_long(to.id(), 0));
  own->progress();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(sent[0]);
  ASSERT_TRUE(arrive({text(0)}));
}

TEST_F(GatheringInLaneTest, AQuarterOfWhatIsPostedGoesByItself) {
  Consumer& to = begin(15);
  for (unsigned n = 0; n < 3; ++n) ASSERT_TRUE(more_long(to.id(), n));
  EXPECT_FALSE(is_seen(1));
  ASSERT_TRUE(more_long(to.id(), 3));
  ASSERT_TRUE(arrive({text(0), text(1), text(2), text(3)}));
  ASSERT_TRUE(more_long(to.id(), 4));
  EXPECT_FALSE(is_seen(5));
}

TEST_F(GatheringInLaneTest, NobodySleepsWhileOneIsNotSeen) {
  Consumer& to = begin(15);
  ASSERT_TRUE(more_long(to.id(), 0));
  own->request_notification().value();
  pollfd event{.fd = own->event_fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&event, 1, 5'000), 1) << "there is work";
  own->clear_notification().value();
  own->progress();
  ASSERT_TRUE(arrive({text(0)}));
}

TEST_F(GatheringInLaneTest, AreAheadOfWhateverComesBehindThem) {
  Consumer& to = begin(15);
  Producer& from = *apart;
  const ConsumerId id = to.id();
  const auto small = [&](std::string_view what) -> ProducerTask& { return task(from, id, what); };
  ASSERT_TRUE(more_long(id, 0));
  small("1").submit().value();
  EXPECT_TRUE(is_seen(2));
  ASSERT_TRUE(small("2").try_submit_more());
  ASSERT_TRUE(more_long(id, 3));
  EXPECT_TRUE(is_seen(3)) << "that it is held is over when another sort comes";
  ASSERT_TRUE(small("4").try_submit_more());
  ASSERT_TRUE(more_long(id, 5));
  const std::array messages{Outgoing{.data = bytes("6"), .immediate = {}}};
  EXPECT_EQ(from.send(id, messages).value(), 1U);
  ASSERT_TRUE(more_long(id, 7));
  EXPECT_FALSE(from.try_send(id, bytes("8"))) << "send() does it";
  EXPECT_EQ(from.send(id, messages).value(), 1U);
  ASSERT_TRUE(more_long(id, 9));
  const Loan loan = from.reserve(id).value();
  ASSERT_TRUE(more_long(id, 10));
  loan.room[0] = std::byte{'x'};
  from.commit(loan, 1).value();
  ASSERT_TRUE(arrive(
      {text(0), "1", "2", text(3), "4", text(5), "6", text(7), "6", text(9), text(10), "x"}));
}

TEST_F(GatheringInLaneTest, AreSeenOnceOneIsToldToTryAgain) {
  Consumer& to = begin(2);
  ASSERT_TRUE(more_long(to.id(), 0));
  ASSERT_TRUE(more_long(to.id(), 1));
  ProducerTask& late = long_task(to.id(), 2);
  EXPECT_FALSE(late.try_submit_more());
  EXPECT_EQ(code(late.submit()), Errc::again);
  ASSERT_TRUE(arrive({text(0), text(1)})) << "with no progress of the producer";
  post(to, there.room(4096, kLong));
  EXPECT_TRUE(late.try_submit_more());
  own->progress();
  ASSERT_TRUE(arrive({text(0), text(1), text(2)}));
}

TEST_F(GatheringInLaneTest, AreSeenOnceTheLaneIsFull) {
  Consumer& to = begin(8, kLong, 2);
  ASSERT_TRUE(more_long(to.id(), 0));
  ASSERT_TRUE(more_long(to.id(), 1));
  EXPECT_FALSE(more_long(to.id(), 2));
  ASSERT_TRUE(arrive({text(0), text(1)}));
  EXPECT_TRUE(more_long(to.id(), 2));
}

TEST_F(GatheringInLaneTest, OneLongerThanEightKibibytesGoesByItself) {
  constexpr std::size_t kMost = 8192;
  Consumer& to = begin(4, kMost + 1);
  ASSERT_TRUE(more_long(to.id(), 0, kMost));
  EXPECT_FALSE(is_seen(1));
  ASSERT_TRUE(more_long(to.id(), 1, kMost + 1));
  ASSERT_TRUE(arrive({text(0, kMost), text(1, kMost + 1)}));
}

TEST_F(GatheringInLaneTest, WhatIsLongerThanTheRoomIsRefusedAndStaysPosted) {
  Consumer& to = begin(2);
  ASSERT_TRUE(more_long(to.id(), 0));
  ProducerTask& longer = long_task(to.id(), 1, kLong + 1);
  EXPECT_FALSE(longer.try_submit_more());
  EXPECT_EQ(code(longer.submit()), Errc::invalid_value);
  give_up(longer);
  ASSERT_TRUE(more_long(to.id(), 2));
  own->progress();
  ASSERT_TRUE(arrive({text(0), text(2)}));
}

TEST_F(GatheringInLaneTest, WhatHasBeenCopiedAnAbortAndAStopDeliver) {
  for (const bool aborts : {true, false}) {
    texts.clear();
    sent.clear();
    Consumer& to = begin(4);
    Producer& from = *apart;
    ASSERT_TRUE(more_long(to.id(), 0));
    std::ignore = aborts ? from.abort().value() : from.stop().value();
    ASSERT_TRUE(arrive({text(0)})) << aborts;
    ASSERT_TRUE(run_until([&] {
      own->progress();
      return from.state() == ContextState::kIdle;
    }));
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_TRUE(sent[0]) << aborts;
    apart.reset();
  }
}

TEST_F(GatheringInLaneTest, BesideASiblingEachIsSeenAtOnce) {
  Consumer& to = begin(12);
  Producer& other = producer();
  post(to, there.room(20'000, kRoom));
  ASSERT_TRUE(more_long(to.id(), 0));
  task(other, to.id(), "other").submit().value();
  ASSERT_TRUE(run_until([&] { return !texts.empty(); }));
  ASSERT_TRUE(more_long(to.id(), 1));
  ASSERT_TRUE(run_until([&] { return texts.size() == 3; }));
  std::erase(texts, "other");
  EXPECT_EQ(texts, (std::vector<std::string>{text(0), text(1)}));
}

TEST_F(GatheringInLaneTest, OfAConsumerThatIsGoneNoMoreAreTaken) {
  Consumer& to = begin(4);
  const ConsumerId id = to.id();
  ASSERT_TRUE(more_long(id, 0));
  std::ignore = to.abort().value();
  ASSERT_TRUE(run_until_idle(to));
  ASSERT_TRUE(run_until([&] { return !std::ranges::count(client.consumers, id); }));
  EXPECT_FALSE(more_long(id, 1));
  own->progress();
  ASSERT_EQ(sent.size(), 1U) << "it was in the consumer's memory";
}

}  // namespace
}  // namespace comch::test
