// Many producers and consumers of one connection, each with an engine and a thread of its own,
// on both sides at once.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

using namespace std::chrono_literals;

// Every 50th is long, so that messages wait behind one, and are copied by both sides.
const Plan& crowd_plan() {
  static const Plan plan = [] {
    Plan messages;
    for (std::size_t n = 0; n < 1000; ++n) {
      messages.push_back({.size = n % 50 == 7 ? 200'000 : n % 5000, .immediate = n % 40});
    }
    return messages;
  }();
  return plan;
}

// What the threads of one process tell its main thread. Guards for themselves; what the threads
// have done is read when they have been joined.
struct Stage {
  std::atomic<std::size_t> finished = 0;
  std::atomic<bool> curtain = false;  // Everybody may stop.
  std::atomic<std::size_t> stopped = 0;
};

// A receiver or sender on a thread of its own.
template <class Actor>
struct Act {
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  Actor actor;
  std::jthread thread;

  template <class... Options>
  explicit Act(Connection& connection, const Options&... options)
      : actor(connection, *engine, crowd_plan(), options...) {}

  void run(Stage& stage, std::function<void()> begin, std::function<bool()> done) {
    thread = std::jthread([this, &stage, begin = std::move(begin), done = std::move(done)] {
      EXPECT_TRUE(actor.start());
      begin();
      EXPECT_TRUE(until(*engine, done));
      ++stage.finished;
      EXPECT_TRUE(until(*engine, [&] { return stage.curtain.load(); }));
      EXPECT_TRUE(actor.stop());
      ++stage.stopped;
    });
  }
};

struct Crowd {
  std::string name;
  std::size_t producers = 1;
  std::size_t consumers = 1;
  DataWay way = DataWay::kMapped;
};

void play(Partner& side, const Crowd& given) {
  Stage stage;
  const std::size_t expected = crowd_plan().size() * given.producers;
  std::vector<std::unique_ptr<Act<Receiver>>> receivers;
  for (std::size_t n = 0; n < given.consumers; ++n) {
    const Receiver::Options options{.depth = 8, .way = given.way};
    Act<Receiver>& made =
        *receivers.emplace_back(std::make_unique<Act<Receiver>>(side.connection(), options));
    made.run(stage, [] {}, [&made, expected] { return made.actor.heard() == expected; });
  }
  ASSERT_TRUE(side.run_until([&] { return side.diary().consumers.size() == given.consumers; }));
  std::vector<std::unique_ptr<Act<Sender>>> senders;
  for (std::size_t n = 0; n < given.producers; ++n) {
    Act<Sender>& made = *senders.emplace_back(std::make_unique<Act<Sender>>(side.connection()));
    made.run(
        stage, [&made, to = side.diary().consumers] { made.actor.send_to(to); },
        [&made] { return made.actor.done(); });
  }
  const std::size_t all = given.producers + given.consumers;
  EXPECT_TRUE(side.run_until([&] { return stage.finished == all; }, Deadline(2 * patience())));
  EXPECT_TRUE(side.agree("received"));
  stage.curtain = true;
  EXPECT_TRUE(side.run_until([&] { return stage.stopped == all; }));
  for (auto& act : receivers) act->thread.join();
  for (auto& act : senders) act->thread.join();
  for (auto& act : receivers) {
    EXPECT_EQ(act->actor.heard(), expected);
    EXPECT_EQ(act->actor.wrong(), 0u);
  }
  for (auto& act : senders) {
    EXPECT_EQ(act->actor.sent(), crowd_plan().size() * given.consumers);
    EXPECT_FALSE(act->actor.refusal()) << act->actor.why();
  }
  EXPECT_TRUE(side.agree("stopped"));
}

struct Threads : testing::TestWithParam<Crowd> {
  RuntimeDirectory runtime;
};

TEST_P(Threads, EveryMessageOfEveryProducerReachesEveryConsumerOnceAndInOrder) {
  as_two([](Partner& side) { play(side, GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(All, Threads,
                         testing::Values(Crowd{"four_to_one", 4, 1}, Crowd{"one_to_four", 1, 4},
                                         Crowd{"three_to_three", 3, 3},
                                         Crowd{"three_to_two_staged", 3, 2, DataWay::kStaged},
                                         Crowd{"two_to_two_cma", 2, 2, DataWay::kCma}),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace comch::test
