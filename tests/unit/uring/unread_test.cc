// Messages that a ring does not take, because of views that are shown, or since they are not its
// own: its waits sleep over them, and nothing that ends a wait is missed for it.

#include <atomic>
#include <deque>
#include <thread>

#include "support/processor_time.h"
#include "unit/uring/ring_pair.h"

namespace comch::uring::test {
namespace {

constexpr std::uint64_t kLook = 1, kCancel = 2, kTimer = 3, kSend = 100;

struct UnreadTest : RingPair, testing::WithParamInterface<Place> {
  // No spinning: every wait that finds nothing sleeps.
  explicit UnreadTest(DataWay way)
      : RingPair(GetParam(), {.entries = 16, .completions = 64, .spin = 0ns}, way) {}

  void look_at(std::uint32_t most) {
    next(kLook).prep_view_multishot(*from, most);
    ring->submit().value();
  }
  void send_now(std::string_view text) {
    send(text, kSend, kSkipSuccess);
    ring->submit().value();
  }
  // Two messages are shown, and no more can be; the third lies unread.
  void fill_the_views() {
    look_at(2);
    for (const char* text : {"first", "second", "third"}) send_now(text);
    ASSERT_EQ(ring->submit_and_wait(2, 10s).value_or(0), 2U);
  }
  std::string viewed(std::uint32_t n) const {
    std::vector<std::string> all;
    ring->for_each([&](const Completion& c) { all.push_back(text_of(c.viewed())); });
    return all.at(n);
  }
  // Whether a wait for more than is ready comes to the end of its time, and used no processor.
  bool sleeps() const {
    const auto used = processor_time(RUSAGE_THREAD);
    const std::uint32_t before = ring->ready();
    const auto ready = ring->submit_and_wait(before + 1, 80ms);
    EXPECT_TRUE(ready || ready.error().code == Errc::time_out) << describe(ready.error());
    EXPECT_EQ(ring->ready(), before);
    return processor_time(RUSAGE_THREAD) - used < 20ms;
  }
};

struct UnreadViewsTest : UnreadTest {
  UnreadViewsTest() : UnreadTest(DataWay::kView) {}
};

TEST_P(UnreadViewsTest, AWaitSleepsWhileAllViewsAreShown) {
  fill_the_views();
  EXPECT_TRUE(sleeps());
  send_now("fourth");
  EXPECT_TRUE(sleeps());
}

TEST_P(UnreadViewsTest, AWaitSleepsOverMessagesThatNobodyLooksAt) {
  send_now("first");
  EXPECT_TRUE(sleeps());
  look_at(1);
  EXPECT_EQ(ring->submit_and_wait(1, 10s).value_or(0), 1U);
  next(kCancel, kSkipSuccess).prep_cancel(kLook);
  send_now("second");
  EXPECT_EQ(ring->submit_and_wait(2, 10s).value_or(0), 2U);
  ring->advance(2);
  EXPECT_TRUE(sleeps());
  look_at(1);
  EXPECT_EQ(ring->submit_and_wait(1, 10s).value_or(0), 1U);
  EXPECT_EQ(viewed(0), "second");
}

TEST_P(UnreadViewsTest, WhatHasComeMeanwhileIsShownWhenThereIsRoom) {
  fill_the_views();
  EXPECT_TRUE(sleeps());
  ring->advance(1);
  EXPECT_EQ(ring->submit_and_wait(2, 10s).value_or(0), 2U);
  EXPECT_EQ(viewed(1), "third");
  ring->advance(2);
  EXPECT_TRUE(sleeps());
  send_now("fourth");
  EXPECT_EQ(ring->submit_and_wait(1, 10s).value_or(0), 1U);
  EXPECT_EQ(viewed(0), "fourth");
}

TEST_P(UnreadViewsTest, TimersAndControlMessagesEndAWait) {
  fill_the_views();
  next(kTimer).prep_timeout(20ms);
  EXPECT_EQ(ring->submit_and_wait(3, 10s).value_or(0), 3U);
  std::array<std::byte, 64> room{};
  next(kTimer).prep_ctrl_recv(*at_server, room);
  next(kSend, kSkipSuccess).prep_ctrl_send(*at_client, bytes("control"));
  EXPECT_EQ(ring->submit_and_wait(4, 10s).value_or(0), 4U);
  reap();  // As long as there is the room.
}

TEST_P(UnreadViewsTest, ItsEndEndsAWait) {
  fill_the_views();
  bool ended = false;
  consumer->on_state_changed([&](Context&, ContextState, ContextState) {
    if (std::exchange(ended, true)) return;
    next(kTimer).prep_nop();
    ring->submit().value();
  });
  ASSERT_TRUE(client->abort());
  EXPECT_EQ(ring->submit_and_wait(3, 10s).value_or(0), 3U);
  EXPECT_TRUE(ended);
  EXPECT_TRUE(sleeps());
  ring->advance(3);
  EXPECT_EQ(ring->submit_and_wait(2, 10s).value_or(0), 2U);
  EXPECT_EQ(viewed(0), "third");
  EXPECT_EQ(ring->peek()->user_data, kLook);
  consumer->on_state_changed([](Context&, ContextState, ContextState) {});
}

// Nothing was posted that would have to come back: who progresses next finds nothing to do.
TEST_P(UnreadViewsTest, AnEndThatWasOverAheadOfAWaitEndsIt) {
  look_at(2);
  ASSERT_EQ(consumer->stop().value(), ContextState::kIdle);
  EXPECT_TRUE(falls_asleep(*engine, 64)) << "all that others hear of it is over";
  next(kTimer).prep_timeout(10s);
  EXPECT_EQ(ring->submit_and_wait(1, 20s).value_or(0), 1U);
  ASSERT_NE(ring->peek(), nullptr);
  EXPECT_EQ(ring->peek()->user_data, kLook);
  EXPECT_EQ(ring->peek()->res, -ESHUTDOWN);
}

// The engine is the application's again between waits.
TEST_P(UnreadViewsTest, BehindAWaitTheEngineTellsOfWhatIsUnread) {
  fill_the_views();
  EXPECT_TRUE(sleeps());
  EXPECT_TRUE(engine->progress());
  EXPECT_TRUE(engine->wait(0ns));
}

// --- Beside others ---------------------------------------------------------------------------

// A second consumer of the server.
struct UnreadBesideTest : UnreadTest {
  static constexpr std::uint64_t kReceive = 7;

  explicit UnreadBesideTest(DataWay way = DataWay::kAuto) : UnreadTest(way) {
    other = Consumer::create(server.connection(), there.map()).value();
    ring->prepare(*other, kDepth).value();
    start_beside(*other);
  }
  ~UnreadBesideTest() override {
    if (other->state() != ContextState::kIdle) std::ignore = other->abort();
    std::array<Buffer*, kDepth> back{};
    EXPECT_TRUE(run_until([&] {
      reap();
      for (Buffer* buffer : std::span(back).first(other->take_back(back))) {
        std::ignore = buffer->drop_reference();
      }
      return other->state() == ContextState::kIdle;
    }));
  }
  static bool send_by(Producer& through, ConsumerId id, std::string_view text) {
    const Outgoing message{.data = bytes(text), .immediate = {}};
    const Result<std::size_t> sent = through.send(id, {&message, 1});
    return sent.value_or(0) == 1;
  }

  std::unique_ptr<Consumer> other;
};

TEST_P(UnreadBesideTest, AWaitSleepsOverWhatIsPolledWithoutARing) {
  std::array<Buffer*, 2> buffers{room(100), room(101)};
  ASSERT_EQ(other->post(buffers).value_or(0), 2U);
  Destination* const beside = ring->register_destination(*producer, other->id()).value();
  next(kSend, kSkipSuccess).prep_send(*beside, bytes("another's"));
  ring->submit().value();
  EXPECT_TRUE(sleeps());
  std::array<Received, 2> received;
  ASSERT_EQ(other->poll(received), 1U);
  EXPECT_EQ(contents(*received[0].buffer), "another's");
  std::ignore = received[0].buffer->drop_reference();
  EXPECT_TRUE(sleeps());
}

TEST_P(UnreadBesideTest, AWaitSleepsOverWhatIsNotPolledOfOneThatStops) {
  std::array<Buffer*, 1> buffer{room(100)};
  ASSERT_EQ(other->post(buffer).value_or(0), 1U);
  Destination* const beside = ring->register_destination(*producer, other->id()).value();
  next(kSend, kSkipSuccess).prep_send(*beside, bytes("another's"));
  ring->submit().value();
  ASSERT_TRUE(other->stop());
  EXPECT_TRUE(sleeps());
  EXPECT_EQ(other->state(), ContextState::kStopping);
  std::array<Received, 1> received;
  ASSERT_EQ(other->poll(received), 1U);
  std::ignore = buffer[0]->drop_reference();
  EXPECT_TRUE(sleeps());
  EXPECT_EQ(other->state(), ContextState::kIdle);
}

TEST_P(UnreadBesideTest, AWaitSleepsOverTheMessagesOfAnotherRing) {
  const auto second = Ring::create(*engine, {.spin = 0ns}).value();
  Source* const its = second->register_source(*other).value();
  Submission& receive = next_submission(*second, kReceive, 0);
  receive.prep_post_recv(*its, room(100));
  second->submit().value();
  Destination* const beside = ring->register_destination(*producer, other->id()).value();
  next(kSend, kSkipSuccess).prep_send(*beside, bytes("another's"));
  ring->submit().value();
  EXPECT_TRUE(sleeps());
  ASSERT_EQ(second->submit_and_wait(1, 10s).value_or(0), 1U);
  EXPECT_EQ(text_of(second->peek()->contents()), "another's");
  std::ignore = second->peek()->buffer->drop_reference();
  second->advance(1);
}

struct UnreadViewsBesideTest : UnreadBesideTest {
  UnreadViewsBesideTest() : UnreadBesideTest(DataWay::kView) {}
};

// Each message is answered by leave to send the next: one that is missed is missed for ever.
TEST_P(UnreadViewsBesideTest, MessagesToAnotherConsumerEndEveryWait) {
  constexpr int kRounds = 200;
  fill_the_views();
  Source* const second = ring->register_source(*other).value();
  auto apart = Producer::create(client.connection()).value();
  apart->configure_send(1, [](ProducerTask&) {}, [](ProducerTask&) {}).value();
  std::atomic<int> asked = 0;
  std::thread sender([&, id = other->id()] {
    const auto own = ProgressEngine::create().value();
    own->connect(*apart).value();
    EXPECT_TRUE(apart->start());
    const Deadline deadline;
    for (int sent = 0; sent < kRounds && !deadline.passed();) {
      if (asked.load() > sent && send_by(*apart, id, "x")) ++sent;
      own->progress();
      std::this_thread::yield();
    }
    std::ignore = apart->stop();
    EXPECT_TRUE(until(*own, [&] { return apart->state() == ContextState::kIdle; }));
    apart.reset();
  });
  Buffer* const buffer = room(100);
  int heard = 0;
  for (; heard < kRounds; ++heard) {
    next(kReceive).prep_post_recv(*second, buffer);
    ring->submit().value();
    ++asked;
    if (ring->submit_and_wait(3, 20s).value_or(0) != 3) break;
    // Other views, and another one unread.
    ring->advance(3);
    send_now("first");
    send_now("second");
    buffer->reset_data_length();
    ASSERT_EQ(ring->submit_and_wait(2, 20s).value_or(0), 2U);
  }
  EXPECT_EQ(heard, kRounds);
  asked = kRounds;
  sender.join();
  ring->advance(ring->ready());
  std::ignore = buffer->drop_reference();
  EXPECT_TRUE(ring->unregister(*second));
}

constexpr std::array kEvery{Place::kOwnRing, Place::kJoinedRing, Place::kTimerDescriptor,
                            Place::kPoll, Place::kNoFutex};
std::string place_name(const testing::TestParamInfo<Place>& given) { return name_of(given.param); }
INSTANTIATE_TEST_SUITE_P(In, UnreadViewsTest, testing::ValuesIn(kEvery), place_name);
INSTANTIATE_TEST_SUITE_P(In, UnreadViewsBesideTest, testing::ValuesIn(kEvery), place_name);
INSTANTIATE_TEST_SUITE_P(In, UnreadBesideTest, testing::ValuesIn(kEvery), place_name);

}  // namespace
}  // namespace comch::uring::test
