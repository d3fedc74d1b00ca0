// Processes that sleep on event_fd() between messages: nothing is missed, one ring is enough for
// many messages, and who has nothing to do uses no processor.
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "support/processor_time.h"
#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

using namespace std::chrono_literals;

// The loop of progress_engine.h, over epoll. It never polls: who is not rung sleeps for ever.
class Sleeper {
 public:
  explicit Sleeper(ProgressEngine& engine) : engine_(engine), epoll_(::epoll_create1(0)) {
    epoll_event event{.events = EPOLLIN, .data = {}};
    EXPECT_EQ(::epoll_ctl(epoll_, EPOLL_CTL_ADD, engine.event_fd(), &event), 0);
  }
  ~Sleeper() { ::close(epoll_); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  // False: nobody woke us in time. `asleep` is called ahead of each sleep.
  bool sleep_until(
      const std::function<bool()>& done, const std::function<void()>& asleep = [] {},
      const Deadline& deadline = Deadline()) {
    for (;;) {
      while (engine_.progress()) {
        if (deadline.passed()) return false;
      }
      if (done()) return true;
      EXPECT_TRUE(engine_.request_notification());
      asleep();
      epoll_event event{};
      const int woken = ::epoll_wait(epoll_, &event, 1, deadline.left_ms());
      EXPECT_TRUE(engine_.clear_notification());
      if (woken != 1) return false;
      ++wakes;
    }
  }
  // Nothing happens for that long.
  bool sleeps_for(std::chrono::milliseconds time) {
    const std::size_t before = wakes;
    const Deadline deadline(time);
    return !sleep_until([] { return false; }, [] {}, deadline) && wakes == before;
  }

  // Something has come since the engine was asked to tell.
  bool is_woken() const {
    epoll_event event{};
    return ::epoll_wait(epoll_, &event, 1, 0) == 1;
  }

  std::size_t wakes = 0;

 private:
  ProgressEngine& engine_;
  const int epoll_;
};

struct SleepTest : testing::Test {
  RuntimeDirectory runtime;
};

struct SleepWays : SleepTest, testing::WithParamInterface<DataWay> {};

// One message at a time in turn, so that both sleep before each.
TEST_P(SleepWays, MessagesAndRoomForThemWakeBothSides) {
  as_two([](Partner& side) {
    const bool mapped = GetParam() == DataWay::kMapped;
    const Plan plan{
        {.size = 64}, {.size = 0, .immediate = 8}, {.size = 200'000}, {.size = 5'000'000}};
    Sleeper sleeper(side.engine());
    Receiver receiver(side.connection(), side.engine(), plan,
                      {.depth = 1,
                       .way = GetParam(),
                       .kind = mapped ? Rooms::Kind::kShared : Rooms::Kind::kPrivate});
    ASSERT_TRUE(receiver.start());
    Sender sender(side.connection(), side.engine(), plan, {.times = 25});
    ASSERT_TRUE(sender.start());
    sender.send_to({side.consumer().value()});
    EXPECT_TRUE(sleeper.sleep_until([&] { return sender.done() && receiver.heard() == 100; }))
        << sender.sent() << " sent, " << receiver.heard() << " heard";
    EXPECT_EQ(receiver.wrong(), 0u);
    EXPECT_EQ(sender.sent(), 100u);
    EXPECT_TRUE(side.agree("received"));
  });
}

INSTANTIATE_TEST_SUITE_P(All, SleepWays,
                         testing::Values(DataWay::kMapped, DataWay::kStaged, DataWay::kCma),
                         [](const auto& given) { return std::string(name(given.param)); });

TEST_F(SleepTest, OneRingWakesASleeperForManyMessages) {
  const Gate asleep;
  as_two([&](Partner& side) {
    constexpr std::size_t kMany = 64;
    if (side.is_server()) {
      Receiver receiver(side.connection(), side.engine(), Plan(kMany, {.size = 8}),
                        {.depth = kMany});
      ASSERT_TRUE(receiver.start());
      ASSERT_TRUE(side.agree("posted"));
      Sleeper sleeper(side.engine());
      // The first message, whose lane has to be heard of and which rings itself, comes ahead of
      // what is counted.
      ASSERT_TRUE(sleeper.sleep_until([&] { return receiver.heard() == 1; }));
      ASSERT_TRUE(side.agree("first"));
      std::uint64_t before = 0;
      bool told = false;
      const auto tell = [&] {
        if (told || sleeper.is_woken()) return;
        told = true;
        before = receiver->counters().wakes_received;
        asleep.open();
      };
      EXPECT_TRUE(sleeper.sleep_until([&] { return receiver.heard() == kMany + 1; }, tell));
      EXPECT_EQ(receiver->counters().wakes_received - before, 1u);
      EXPECT_TRUE(side.agree("received"));
    } else {
      Sender ends(side.connection(), side.engine(), {{.size = 8}});
      ASSERT_TRUE(ends.start());
      const ConsumerId to = side.consumer().value();
      ASSERT_TRUE(side.agree("posted"));
      const Outgoing first{.data = bytes("8 bytes!"), .immediate = {}};
      ASSERT_EQ(ends->send(to, {&first, 1}).value_or(0), 1u);
      ASSERT_TRUE(side.agree("first"));
      const std::uint64_t before = ends->counters().wakes_sent;
      ASSERT_TRUE(asleep.wait());
      const std::vector<Outgoing> messages(kMany,
                                           Outgoing{.data = bytes("8 bytes!"), .immediate = {}});
      EXPECT_EQ(ends->send(to, messages).value_or(0), kMany);
      EXPECT_EQ(ends->counters().wakes_sent - before, 1u);
      EXPECT_TRUE(side.agree("received"));
    }
  });
}

// Many connections; each has a consumer on both sides, and a producer that has sent to it.
struct QuietTest : SleepTest {
  static constexpr std::size_t kConnections = 100;
  struct Ends {
    Ends(Connection& connection, ProgressEngine& engine)
        : receiver(connection, engine, {{.size = 64}}),
          sender(connection, engine, {{.size = 64}}) {}
    Receiver receiver;
    Sender sender;
  };
  using AllEnds = std::vector<std::unique_ptr<Ends>>;

  static void start(const AllEnds& all, ProgressEngine& engine) {
    for (const auto& ends : all) {
      ASSERT_TRUE(ends->receiver.start() && ends->sender.start());
      Connection& connection = ends->sender->connection();
      ASSERT_TRUE(until(engine, [&] { return !connection.remote_consumers().empty(); }));
      ends->sender.send_to(connection.remote_consumers());
    }
    const auto heard = [](const auto& ends) {
      return ends->receiver.heard() == 1 && ends->sender.done();
    };
    ASSERT_TRUE(until(engine, [&] { return std::ranges::all_of(all, heard); }));
  }

  // Once both processes have nothing to do.
  static void rest(ProgressEngine& engine, const Gate& own, const Gate& others) {
    Sleeper sleeper(engine);
    EXPECT_TRUE(eventually([&] { return sleeper.sleeps_for(50ms); }));
    own.open();
    EXPECT_TRUE(others.wait());
    const std::chrono::microseconds before = processor_time(RUSAGE_SELF);
    EXPECT_TRUE(sleeper.sleeps_for(500ms));
    EXPECT_LT(processor_time(RUSAGE_SELF) - before, 5ms);
  }

  int be_clients() {
    EXPECT_TRUE(serving.wait());
    auto engine = ProgressEngine::create().value();
    std::vector<std::unique_ptr<ClientParty>> parties;
    for (std::size_t n = 0; n < kConnections; ++n) {
      parties.push_back(std::make_unique<ClientParty>(*engine, settings));
      EXPECT_TRUE(parties.back()->connect());
    }
    AllEnds all;
    for (auto& party : parties) all.push_back(std::make_unique<Ends>(party->connection(), *engine));
    start(all, *engine);
    rest(*engine, quiet_clients, quiet_server);
    rested_clients.open();
    EXPECT_TRUE(rested_server.wait());
    all.clear();
    for (auto& party : parties) {
      std::ignore = (*party)->stop();
      EXPECT_TRUE(party->run_until_idle());
    }
    return 0;
  }

  const Settings settings{.queue = 4, .clients = kConnections};
  const Gate serving;
  const Gate quiet_clients;
  const Gate quiet_server;
  const Gate rested_clients;
  const Gate rested_server;
};

TEST_F(QuietTest, AHundredQuietConnectionsWithConsumersUseNoProcessor) {
  auto clients = ChildProcess::run([this] { return be_clients(); });
  Partner server(Partner::Role::kServer, settings);
  AllEnds all;
  server.server().then_connected = [&](Connection& connection) {
    all.push_back(std::make_unique<Ends>(connection, server.engine()));
  };
  server.start();
  serving.open();
  ASSERT_TRUE(server.run_until([&] { return all.size() == kConnections; }));
  start(all, server.engine());
  rest(server.engine(), quiet_server, quiet_clients);
  EXPECT_TRUE(rested_clients.wait());
  rested_server.open();
  all.clear();
  EXPECT_TRUE(server.run_until([&] { return server.server().connections.empty(); }));
  EXPECT_EQ(clients.wait(), Exit::with(0));
}

}  // namespace
}  // namespace comch::test
