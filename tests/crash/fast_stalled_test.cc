// Peers and producers that stand still: a process that is stopped in the middle of a message and
// goes on later, one that never polls, a producer's thread that sleeps while the consumer ends.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "support/child_process.h"
#include "support/process_counters.h"
#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

using namespace std::chrono_literals;

struct Stream {
  std::string name;
  Plan plan;
  DataWay way = DataWay::kMapped;
  std::size_t cooperative = Producer::kDefaultCooperative;

  Receiver::Options receiving() const {
    const bool mapped = way == DataWay::kMapped;
    return {.way = way, .kind = mapped ? Rooms::Kind::kShared : Rooms::Kind::kPrivate};
  }
};

struct FastStalledTest : testing::TestWithParam<Stream> {
  FastStalledTest() { std::cout << "COMCH_TEST_SEED=" << seed << '\n'; }

  const Plan& plan() const { return GetParam().plan; }

  const std::uint64_t seed = test::seed();
  std::mt19937_64 random{seed};
  const Settings settings{.queue = 16};
  RuntimeDirectory runtime;
};

// The client sends and receives; the server, here, stops and continues it, and is itself stopped
// by nothing: its own ends wait, and then go on as if nothing had been.
TEST_P(FastStalledTest, APeerThatIsStoppedAndContinuedLosesNothing) {
  const Gate serving;
  const std::size_t times = longest(plan()) < 1000 ? 20'000 : 20;
  const std::size_t total = times * plan().size();
  const auto exchange = [&](Partner& side, const std::function<void(bool over)>& disturb) {
    Receiver receiver(side.connection(), side.engine(), plan(), GetParam().receiving());
    Sender sender(side.connection(), side.engine(), plan(),
                  {.cooperative = GetParam().cooperative, .times = times});
    ASSERT_TRUE(receiver.start() && sender.start());
    const std::optional<ConsumerId> to = side.consumer();
    ASSERT_TRUE(to);
    sender.send_to({*to});
    const auto done = [&] {
      const bool over = sender.done() && receiver.heard() == total;
      disturb(over);
      return over;
    };
    EXPECT_TRUE(side.run_until(done, Deadline(2 * patience())))
        << sender.sent() << " sent, " << receiver.heard() << " heard";
    EXPECT_EQ(receiver.wrong(), 0u);
    EXPECT_EQ(sender.sent(), total);
    EXPECT_TRUE(side.agree("received"));
  };
  auto peer = client_process(serving, [&](Partner& side) { exchange(side, [](bool) {}); });
  {
    Partner side(Partner::Role::kServer, settings);
    ASSERT_TRUE(side.serve(serving));
    std::size_t stops = 0;
    bool stopped = false;
    auto next = Deadline::Clock::now();
    exchange(side, [&](bool over) {
      if (over && !stopped) return;
      if (!over && (Deadline::Clock::now() < next || stops == 30)) return;
      peer.kill(stopped ? SIGCONT : SIGSTOP);
      stopped = !stopped;
      if (!stopped) ++stops;
      next = Deadline::Clock::now() + std::chrono::microseconds(random() % 6000);
    });
    EXPECT_GT(stops, 0u);
  }
  EXPECT_EQ(peer.wait(), Exit::with(0));
}

// Its engine is not progressed once its buffers are posted. The sender fills what is posted, is
// told `again`, and takes no more memory however long it tries.
TEST_P(FastStalledTest, APeerThatNeverPollsHoldsTheSenderBackInBoundedMemory) {
  const Gate serving;
  const Gate posted;
  const Gate over;
  auto peer = client_process(serving, [&](Partner& side) {
    Receiver receiver(side.connection(), side.engine(), plan(), GetParam().receiving());
    EXPECT_TRUE(receiver.start());
    posted.open();
    EXPECT_TRUE(over.wait());
  });
  {
    Partner side(Partner::Role::kServer, settings);
    ASSERT_TRUE(side.serve(serving));
    Sender sender(side.connection(), side.engine(), plan(),
                  {.window = 64, .cooperative = GetParam().cooperative, .times = 1'000'000});
    ASSERT_TRUE(sender.start());
    ASSERT_TRUE(side.run_until([&] { return posted.wait(Deadline(0ms)); }));
    sender.send_to({side.consumer().value()});
    settle(side.engine());
    EXPECT_FALSE(sender.refusal());
    EXPECT_LE(sender.sent(), GetParam().receiving().depth);
    const std::size_t accepted = sender.accepted();
    const ConsumerId to = side.consumer().value();
    const auto try_to_send = [&](int times) {
      for (int n = 0; n < times; ++n) {
        const Outgoing message{.data = bytes("one more"), .immediate = {}};
        const Result<std::size_t> sent = sender->send(to, std::span(&message, 1));
        ASSERT_FALSE(sent);
        ASSERT_EQ(sent.error().code, Errc::again);
        if (n % 64 == 0) side.engine().progress();
      }
    };
    // As many tries as ten seconds of traffic have messages. Twice, because the stack that a
    // sanitizer keeps beside the real one grows at first.
    constexpr int kTries = 200'000;
    try_to_send(kTries);
    const std::size_t memory = resident_bytes();
    try_to_send(kTries);
    EXPECT_EQ(sender.accepted(), accepted);
    EXPECT_LT(resident_bytes(), memory + (std::size_t{1} << 20U));
    over.open();
    EXPECT_TRUE(side.run_until_idle(sender.producer())) << "its peer has left";
    EXPECT_EQ(sender.accepted(), sender.sent() + sender.failed().size());
  }
  EXPECT_EQ(peer.wait(), Exit::with(0));
}

// A thread of the other process has sent, may have posted buffers in its hand, and sleeps. The
// consumer stops all the same, and the thread, awake again, is told.
TEST_P(FastStalledTest, AConsumerStopsWhileAProducersThreadSleeps) {
  as_two([this](Partner& side) {
    if (side.is_server()) {
      Receiver receiver(side.connection(), side.engine(), plan(), GetParam().receiving());
      ASSERT_TRUE(receiver.start());
      EXPECT_TRUE(side.agree("asleep"));
      side.run_until([&] { return receiver.heard() > 0; }, Deadline(20ms));
      EXPECT_TRUE(receiver.stop());
      EXPECT_EQ(receiver.wrong(), 0u);
      EXPECT_EQ(receiver.returned().size(), GetParam().receiving().depth);
      EXPECT_TRUE(side.agree("stopped"));
      EXPECT_TRUE(side.agree("awake"));
      return;
    }
    auto engine = ProgressEngine::create().value();
    Sender sender(side.connection(), *engine, plan(),
                  {.cooperative = GetParam().cooperative, .times = 1'000'000});
    const std::optional<ConsumerId> to = side.consumer();
    ASSERT_TRUE(to);
    // Guards for themselves: what the thread has done is read when it has been joined.
    std::atomic<bool> asleep = false;
    std::atomic<bool> wake = false;
    std::jthread thread([&] {
      EXPECT_TRUE(sender.start());
      sender.send_to({*to});
      engine->progress();
      asleep = true;
      EXPECT_TRUE(eventually([&] { return wake.load(); }));
      EXPECT_TRUE(until(*engine, [&] { return sender.in_flight() == 0; }));
      EXPECT_EQ(sender->request_space(*to).error().code, Errc::invalid_value);
    });
    EXPECT_TRUE(eventually([&] { return asleep.load(); }));
    EXPECT_TRUE(side.agree("asleep"));
    EXPECT_TRUE(side.agree("stopped"));
    EXPECT_TRUE(side.run_until([&] { return side.diary().consumers.empty(); }));
    wake = true;
    thread.join();
    EXPECT_EQ(sender.accepted(), sender.sent() + sender.failed().size());
    for (const Error& error : sender.failed()) EXPECT_EQ(error.code, Errc::connection_reset);
    EXPECT_EQ(sender->state(), ContextState::kRunning) << "it may send to others";
    EXPECT_TRUE(side.agree("awake"));
  });
}

// Each producer is destroyed at some step of its messages. What of the posted buffers it had in
// hand, or had half filled, is posted still: the next one needs them all, again and again.
TEST_P(FastStalledTest, AProducerThatIsDestroyedAtAnyStepLosesNoPostedBuffer) {
  constexpr int kRounds = 40;
  as_two([this](Partner& side) {
    if (side.is_server()) {
      Receiver receiver(side.connection(), side.engine(), plan(), GetParam().receiving());
      ASSERT_TRUE(receiver.start());
      EXPECT_TRUE(side.agree("destroyed", Deadline(3 * patience())));
      EXPECT_EQ(receiver.wrong(), 0u);
      EXPECT_EQ(receiver->posted(), GetParam().receiving().depth);
      EXPECT_TRUE(side.agree("seen"));
      return;
    }
    const std::optional<ConsumerId> to = side.consumer();
    ASSERT_TRUE(to);
    for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
      {
        Sender sender(side.connection(), side.engine(), plan(),
                      {.cooperative = GetParam().cooperative, .times = 1'000'000});
        ASSERT_TRUE(sender.start());
        sender.send_to({*to});
        for (std::uint64_t steps = random() % 40; steps != 0; --steps) side.engine().progress();
      }
      Sender next(side.connection(), side.engine(), plan(),
                  {.cooperative = GetParam().cooperative, .times = 3});
      ASSERT_TRUE(next.start());
      next.send_to({*to});
      EXPECT_TRUE(side.run_until([&] { return next.done(); })) << "in round " << round;
      EXPECT_EQ(next.sent(), next.total());
    }
    EXPECT_TRUE(side.agree("destroyed"));
    EXPECT_TRUE(side.agree("seen"));
  });
}

INSTANTIATE_TEST_SUITE_P(
    Of, FastStalledTest,
    testing::Values(Stream{"small", {{.size = 64, .immediate = 8}, {.size = 0, .immediate = 32}}},
                    Stream{"mapped", {{.size = 40'000}, {.size = 12'000'000}}, DataWay::kMapped, 0},
                    Stream{"cooperative", {{.size = 100'000}, {.size = 4'000'000}}},
                    Stream{"staged", {{.size = 3'000'000}, {.size = 4096}}, DataWay::kStaged},
                    Stream{"cma", {{.size = 3'000'000}, {.size = 4096}}, DataWay::kCma}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace comch::test
