// The control path from end to end, over every carrier there is: the server in this
// process or in another.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/deadline.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

using test::bytes;

enum class Carrier { kShmSameThread, kShmTwoProcesses };
std::ostream& operator<<(std::ostream& out, Carrier carrier) {
  return out << (carrier == Carrier::kShmSameThread ? "ShmSameThread" : "ShmTwoProcesses");
}

// Sends back what it receives; a message that finds no room waits in the queue. "bye" ends
// the connection after a last word, "stop" the server.
struct Echo {
  explicit Echo(ProgressEngine& engine, const test::Settings& settings) : party(engine, settings) {
    party.then_receive = [this](Connection& from) {
      const std::string& text = party.received.back();
      if (text == "stop") {
        std::ignore = from.try_send(bytes("stopped"));
        std::ignore = party->stop();
      } else if (text == "bye") {
        std::ignore = from.try_send(bytes("farewell"));
        std::ignore = party->disconnect(from);
      } else if (!from.try_send(bytes(text))) {
        from.request_space();
        return Receipt::kKeep;
      }
      return Receipt::kTaken;
    };
    party.then_space = [](Connection& connection) { connection.resume(); };
    party->start().value();
  }
  test::ServerParty party;
};

class ControlTest : public testing::TestWithParam<Carrier> {
 protected:
  void serve(const test::Settings& settings) {
    if (GetParam() == Carrier::kShmTwoProcesses) {
      peer_.emplace(test::ChildProcess::run([&] {
        auto engine = ProgressEngine::create().value();
        Echo echo(*engine, settings);
        ready_.open();
        const auto idle = [&] { return echo.party->state() == ContextState::kIdle; };
        return test::until(*engine, idle) ? 0 : 1;
      }));
      ASSERT_TRUE(ready_.wait());
      engine_ = ProgressEngine::create().value();
    } else {
      engine_ = ProgressEngine::create().value();
      echo_ = std::make_unique<Echo>(*engine_, settings);
    }
    client_ = std::make_unique<test::ClientParty>(*engine_, settings);
    ASSERT_TRUE(client_->connect()) << (*client_)->failure().text;
  }

  void TearDown() override {
    if (client_ && (*client_)->state() == ContextState::kRunning) {
      while (!client_->connection().try_send(bytes("stop"))) engine_->progress();
      ASSERT_TRUE(client_->run_until_idle());
      EXPECT_EQ(client_->received.back(), "stopped") << "the last message before stop()";
    }
    if (peer_) {
      EXPECT_EQ(peer_->wait(), test::Exit::with(0));
    }
    client_.reset();
    echo_.reset();
  }

  bool run_until(const std::function<bool()>& done) { return test::until(*engine_, done); }

  test::RuntimeDirectory runtime_;
  test::Gate ready_;
  std::optional<test::ChildProcess> peer_;
  std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Echo> echo_;
  std::unique_ptr<test::ClientParty> client_;
};

TEST_P(ControlTest, EveryMessageComesBackInOrder) {
  serve({.queue = 16});
  std::vector<std::string> sent;
  for (int i = 0; i < 2000; ++i) {
    sent.push_back(std::to_string(i) + std::string(static_cast<std::size_t>(i % 50), '.'));
    ASSERT_TRUE(run_until([&] { return client_->connection().can_send(); }));
    ASSERT_TRUE(client_->connection().try_send(bytes(sent.back())));
  }
  ASSERT_TRUE(run_until([&] { return client_->received.size() == sent.size(); }));
  EXPECT_EQ(client_->received, sent);
}

TEST_P(ControlTest, EverySizeComesBackWhole) {
  serve({.max_message = 4080, .queue = 2});
  for (std::size_t size = 0; size <= 4080; size += size < 20 ? 1 : 203) {
    const std::string message(size, static_cast<char>('a' + size % 26));
    client_->received.clear();
    ASSERT_TRUE(run_until([&] { return client_->connection().can_send(); }));
    ASSERT_TRUE(client_->connection().try_send(bytes(message)));
    ASSERT_TRUE(run_until([&] { return client_->received.size() == 1; }));
    ASSERT_EQ(client_->received[0], message);
  }
}

TEST_P(ControlTest, TheLargestMessageThroughTheSmallestQueue) {
  serve({.max_message = 65535, .queue = 1});
  const std::string message(65535, 'L');
  for (std::size_t i = 1; i <= 5; ++i) {
    ASSERT_TRUE(run_until([&] { return client_->connection().can_send(); }));
    ASSERT_TRUE(client_->connection().try_send(bytes(message)));
    ASSERT_TRUE(run_until([&] { return client_->received.size() == i; }));
    ASSERT_EQ(client_->received.back(), message);
  }
}

// Both sides' queues run full, so that both wait for room; nothing is lost and nobody hangs. Slow
// machines say it with fewer messages, which still are hundreds of queues.
TEST_P(ControlTest, BackPressureLosesNothing) {
  serve({.queue = 2, .tasks = 64});
  const double slowdown = test::patience() / std::chrono::duration<double>(10);
  const auto messages = static_cast<std::size_t>(5000 / std::max(slowdown, 1.0));
  std::size_t submitted = 0;
  const std::string text = "x";
  client_->then_complete = [&](SendTask& task) {
    if (submitted == messages) return std::ignore = task.free(), void();
    ++submitted;
    EXPECT_TRUE(task.submit());
  };
  for (; submitted < 64; ++submitted) {
    ASSERT_TRUE((*client_)->allocate_send(client_->connection(), bytes(text)).value()->submit());
  }
  ASSERT_TRUE(run_until([&] { return client_->received.size() == messages; }));
  ASSERT_TRUE(run_until([&] { return client_->completions.size() == messages; }));
  for (const Status& s : client_->completions) ASSERT_TRUE(s);
  EXPECT_GT(client_->connection().counters().sends_held, 0u);
}

TEST_P(ControlTest, ADisconnectedClientHearsTheLastWordAndMayComeBack) {
  serve({.queue = 4});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client_->connection().try_send(bytes("bye")));
    ASSERT_TRUE(client_->run_until_idle());
    EXPECT_EQ(client_->received.back(), "farewell");
    EXPECT_EQ((*client_)->failure().error.code, Errc::shutdown);
    ASSERT_TRUE(client_->connect());
  }
}

INSTANTIATE_TEST_SUITE_P(Carriers, ControlTest,
                         testing::Values(Carrier::kShmSameThread, Carrier::kShmTwoProcesses),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace comch
