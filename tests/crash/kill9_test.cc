// Kill -9 of either side at random instants: no message that was acknowledged is lost, none
// arrives twice, and a name is taken over at once.
//
// The processes leave their counts in memory that outlives them. A sender writes down a
// message as acknowledged only after comch said so; so the receiver must have got at least
// as many as are written down, and at most those that were handed to comch.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>

#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

using namespace std::chrono_literals;

// Each is written by one process and read by others while that one lives or after its
// death; no order between them is relied on.
struct Counts {
  std::atomic<std::uint64_t> submitted = 0;
  std::atomic<std::uint64_t> acknowledged = 0;
  std::atomic<std::uint64_t> received = 0;  // By the receiver, on the present connection.
  std::atomic<std::uint64_t> ended = 0;     // Connections whose end the receiver has seen.
  std::atomic<bool> out_of_order = false;   // Or twice.
};

struct Kill9Test : testing::Test {
  Kill9Test() {
    void* memory =
        ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    counts = new (memory) Counts;
    std::cout << "COMCH_TEST_SEED=" << seed << '\n';
  }
  ~Kill9Test() override { ::munmap(counts, sizeof(Counts)); }

  int receive() {
    auto engine = ProgressEngine::create().value();
    test::ServerParty server(*engine, settings);
    server.then_connected = [&](Connection&) { counts->received = 0; };
    server.then_receive = [&](Connection&) {
      const std::string text = std::move(server.received.back());
      server.received.clear();
      std::uint64_t number = 0;
      std::from_chars(text.data(), text.data() + text.size(), number);
      if (number != counts->received) counts->out_of_order = true;
      ++counts->received;
      return Receipt::kTaken;
    };
    server.then_disconnected = [&](Connection&) { ++counts->ended; };
    server->start().value();
    ready.open();
    for (;;) engine->wait(1s);
  }

  // Sends numbers for ever, by task and by try_send in turn; ends when it is killed or when
  // its receiver is.
  int send() {
    auto engine = ProgressEngine::create().value();
    test::ClientParty client(*engine, settings);
    if (!client.connect()) return 1;
    std::string text;
    client.then_complete = [&](SendTask& task) {
      if (client.completions.back()) ++counts->acknowledged;
      client.completions.clear();
      EXPECT_TRUE(task.free());
    };
    sending.open();
    for (;; engine->progress()) {
      if (client->state() != ContextState::kRunning) break;
      const std::uint64_t number = counts->submitted;
      text = std::to_string(number);
      if (number % 2 == 0) {
        ++counts->submitted;  // Ahead of the call, which the kill may follow at once.
        if (client.connection().try_send(test::bytes(text))) {
          ++counts->acknowledged;
        } else {
          --counts->submitted;
        }
      } else {
        ++counts->submitted;
        const auto task = client->allocate_send(client.connection(), test::bytes(text));
        if (task && (*task)->submit()) {
          // `text` must last until it is back.
          const auto back = [&] { return client->tasks_in_flight() == 0; };
          if (!test::until(*engine, back)) return 2;
        } else {
          --counts->submitted;
          if (task) std::ignore = (*task)->free();
        }
      }
    }
    if (!client.run_until_idle()) return 3;
    return client->failure().error.code == Errc::connection_reset ? 0 : 4;
  }

  void some_time() {
    std::this_thread::sleep_for(std::chrono::microseconds(
        std::uniform_int_distribution<int>(0, 20'000)(random)));  // The instant of the kill.
  }

  const std::uint64_t seed = test::seed();
  std::mt19937_64 random{seed};
  const test::Settings settings{.queue = 16};
  test::RuntimeDirectory runtime;
  test::Gate ready;
  test::Gate sending;
  Counts* counts = nullptr;
};

TEST_F(Kill9Test, WhatAKilledSenderWasToldIsDeliveredIsReceivedOnceAndInOrder) {
  auto receiver = test::ChildProcess::run([&] { return receive(); });
  ASSERT_TRUE(ready.wait());
  const test::Deadline end(test::budget());
  std::uint64_t rounds = 0;
  do {
    counts->submitted = counts->acknowledged = counts->received = 0;
    auto sender = test::ChildProcess::run([&] { return send(); });
    ASSERT_TRUE(sending.wait());
    some_time();
    sender.kill(SIGKILL);
    ASSERT_EQ(sender.wait(), test::Exit::by_signal(SIGKILL));
    ++rounds;
    ASSERT_TRUE(test::eventually([&] { return counts->ended == rounds; }));
    ASSERT_GE(counts->received, counts->acknowledged) << "an acknowledged message is lost";
    ASSERT_LE(counts->received, counts->submitted);
    ASSERT_FALSE(counts->out_of_order) << "a message was lost in the middle, or came twice";
  } while (!end.passed());
  std::cout << rounds << " senders were killed\n";
}

TEST_F(Kill9Test, TheSenderOfAKilledReceiverIsToldAndTheNextReceiverHasTheNameAtOnce) {
  const test::Deadline end(test::budget());
  std::uint64_t rounds = 0;
  do {
    counts->submitted = counts->acknowledged = counts->received = 0;
    auto receiver = test::ChildProcess::run([&] { return receive(); });
    ASSERT_TRUE(ready.wait()) << "the name of the killed one was not to be had";
    auto sender = test::ChildProcess::run([&] { return send(); });
    ASSERT_TRUE(sending.wait());
    some_time();
    receiver.kill(SIGKILL);
    ASSERT_EQ(receiver.wait(), test::Exit::by_signal(SIGKILL));
    ASSERT_EQ(sender.wait(), test::Exit::with(0)) << "its client ends with connection_reset";
    ASSERT_LE(counts->received, counts->submitted);
    ASSERT_FALSE(counts->out_of_order);
    ++rounds;
  } while (!end.passed());
  std::cout << rounds << " receivers were killed\n";
}

}  // namespace
}  // namespace comch
