// Kill -9 of a producer's process, or a consumer's, at random instants of a stream, in every way
// that data can go: the survivor has each of its tasks back once, with connection_reset or with
// a whole message, serves the next client, and keeps nothing of the dead one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "support/child_process.h"
#include "support/deadline.h"
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
  std::uint64_t within_us = 8000;  // Of the first message, the kill comes.
  bool together = false;           // Messages are held back for one another.
};

// What a process holds that a dead peer could leave in it.
struct Held {
  std::size_t descriptors = open_descriptors().size();
  std::size_t shared_maps = mappings("memfd:comch");
  std::size_t threads = test::threads();
  friend bool operator==(const Held&, const Held&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Held& held) {
    return out << held.descriptors << " descriptors, " << held.shared_maps << " maps, "
               << held.threads << " threads";
  }
};

struct FastKill9Test : testing::TestWithParam<Stream> {
  FastKill9Test() {
    std::cout << "COMCH_TEST_SEED=" << seed << '\n';
    survivor.start();
  }

  // The other process: its client, which plays until it is killed.
  ChildProcess victim(const std::function<void(Partner&)>& play) {
    return ChildProcess::run([this, &play] {
      Partner side(Partner::Role::kClient, settings);
      EXPECT_TRUE(side.meet());
      play(side);
      return 0;
    });
  }

  void send_for_ever(Partner& side) const {
    Sender sender(side.connection(), side.engine(), GetParam().plan, sending());
    EXPECT_TRUE(sender.start());
    sender.send_to({side.consumer().value()});
    started.open();
    side.run_until([] { return false; }, Deadline(2 * patience()));
  }

  void receive_for_ever(Partner& side) const {
    Receiver receiver(side.connection(), side.engine(), GetParam().plan, options());
    EXPECT_TRUE(receiver.start());
    started.open();
    side.run_until([] { return false; }, Deadline(2 * patience()));
  }

  Receiver::Options options() const {
    const bool mapped = GetParam().way == DataWay::kMapped;
    return {.depth = GetParam().together ? 32U : Receiver::Options().depth,
            .way = GetParam().way,
            .kind = mapped ? Rooms::Kind::kShared : Rooms::Kind::kPrivate};
  }
  Sender::Options sending() const {
    return {.window = GetParam().together ? 16 : Sender::Options().window,
            .cooperative = GetParam().cooperative,
            .times = 1'000'000,
            .together = GetParam().together};
  }

  // Lets the survivor go on, and kills at some moment of it.
  void kill_sometime(ChildProcess& process) {
    const auto end = Deadline::Clock::now() + std::chrono::microseconds(random() % within_us);
    while (Deadline::Clock::now() < end) survivor.engine().progress();
    process.kill(SIGKILL);
  }

  // Until the time is over; and on, with longer lives, where the machine was so slow that
  // nothing has passed yet.
  bool goes_on(const Deadline& end, std::size_t passed) {
    if (!end.passed()) return true;
    if (passed != 0 || within_us > 2'000'000) return false;
    within_us *= 2;
    return true;
  }

  // Nothing of the dead is left, from the second round on: the first has warmed everything up.
  void expect_nothing_kept() {
    ASSERT_TRUE(survivor.run_until([&] { return survivor.server().connections.empty(); }));
    EXPECT_TRUE(survivor.diary().consumers.empty());
    // Where they had much memory, a thread frees it and ends.
    EXPECT_TRUE(eventually([&] { return test::threads() == threads; }));
    if (!held) held = Held();
    EXPECT_EQ(Held(), *held) << "after " << rounds << " rounds";
  }

  const std::uint64_t seed = test::seed();
  std::mt19937_64 random{seed};
  const Settings settings{.queue = 16};
  RuntimeDirectory runtime;
  Gate started;
  Partner survivor{Partner::Role::kServer, settings};
  const std::size_t threads = test::threads();
  std::optional<Held> held;
  std::uint64_t rounds = 0;
  std::uint64_t within_us = GetParam().within_us;  // That a victim lives at most.
};

TEST_P(FastKill9Test, TheConsumerOfAKilledProducerHasEveryTaskBackOnce) {
  std::size_t heard = 0;
  const Deadline end(budget(1s));
  do {
    auto process = victim([this](Partner& side) { send_for_ever(side); });
    ASSERT_TRUE(survivor.meet());
    {
      Receiver receiver(survivor.connection(), survivor.engine(), GetParam().plan, options());
      ASSERT_TRUE(receiver.start());
      ASSERT_TRUE(survivor.run_until([&] { return started.wait(Deadline(0ms)); }));
      kill_sometime(process);
      ASSERT_TRUE(survivor.run_until_idle(receiver.consumer()));
      heard += receiver.heard();
      EXPECT_EQ(receiver.wrong(), 0u) << "of " << receiver.heard();
      ASSERT_EQ(receiver.returned().size(), options().depth);
      for (const Status& status : receiver.returned()) {
        ASSERT_EQ(status.error().code, Errc::connection_reset) << describe(status.error());
      }
      EXPECT_EQ(receiver->failure().error.code, Errc::connection_reset);
    }
    EXPECT_EQ(process.wait(), Exit::by_signal(SIGKILL));
    ++rounds;
    expect_nothing_kept();
  } while (goes_on(end, heard) && !HasFailure());
  std::cout << rounds << " producers were killed, " << heard << " messages heard\n";
  EXPECT_GT(heard, 0u);
}

TEST_P(FastKill9Test, TheProducerOfAKilledConsumerHasEveryTaskBackOnce) {
  std::size_t sent = 0;
  std::size_t failed = 0;
  const Deadline end(budget(1s));
  do {
    auto process = victim([this](Partner& side) { receive_for_ever(side); });
    ASSERT_TRUE(survivor.meet());
    {
      Sender sender(survivor.connection(), survivor.engine(), GetParam().plan, sending());
      ASSERT_TRUE(sender.start());
      ASSERT_TRUE(survivor.run_until([&] { return started.wait(Deadline(0ms)); }));
      sender.send_to({survivor.consumer().value()});
      kill_sometime(process);
      ASSERT_TRUE(survivor.run_until_idle(sender.producer()));
      EXPECT_EQ(sender.accepted(), sender.sent() + sender.failed().size());
      EXPECT_EQ(sender.in_flight(), 0u);
      for (const Error& error : sender.failed()) {
        ASSERT_EQ(error.code, Errc::connection_reset) << describe(error);
      }
      EXPECT_EQ(sender->failure().error.code, Errc::connection_reset);
      sent += sender.sent();
      failed += sender.failed().size();
    }
    EXPECT_EQ(process.wait(), Exit::by_signal(SIGKILL));
    ++rounds;
    expect_nothing_kept();
  } while (goes_on(end, sent) && !HasFailure());
  std::cout << rounds << " consumers were killed, " << sent << " messages sent, " << failed
            << " lost with them\n";
  EXPECT_GT(sent, 0u);
}

// Sizes of one kind, so that a kill meets that kind.
INSTANTIATE_TEST_SUITE_P(
    Of, FastKill9Test,
    testing::Values(Stream{"small", {{.size = 64, .immediate = 8}, {.size = 0, .immediate = 32}}},
                    Stream{.name = "together",
                           .plan = {{.size = 4096}, {.size = 5000}, {.size = 64}, {.size = 113}},
                           .together = true},
                    Stream{"mapped", {{.size = 40'000}, {.size = 3'000'000}}, DataWay::kMapped, 0},
                    Stream{"long", {{.size = 12'000'000}}, DataWay::kMapped, 0, 40'000},
                    Stream{"cooperative", {{.size = 100'000}, {.size = 4'000'000}}},
                    Stream{"staged",
                           {{.size = 3'000'000}, {.size = 4096}, {.size = 10, .immediate = 9}},
                           DataWay::kStaged,
                           0,
                           20'000},
                    Stream{"cma",
                           {{.size = 3'000'000}, {.size = 4096}, {.size = 10, .immediate = 9}},
                           DataWay::kCma,
                           0,
                           20'000}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace comch::test
