// Files that two processes read together, and a kill -9 of either in the middle of it: what arrives
// is whole, and the survivor keeps nothing of the dead: neither a message under way nor a
// descriptor.
#include "comch/shown_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "support/child_process.h"
#include "support/deadline.h"
#include "support/nameless_file.h"
#include "support/process_counters.h"
#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLongest = std::size_t{12} << 20U;
constexpr std::size_t kShortest = std::size_t{64} << 10U;

std::vector<std::byte> known_bytes() {
  std::vector<std::byte> bytes(kLongest);
  fill(bytes, 1);
  return bytes;
}

struct SharedFileTest : testing::Test {
  SharedFileTest() {
    std::cout << "COMCH_TEST_SEED=" << seed << '\n';
    survivor.start();
  }

  // Sends parts of the file, one behind the other, until it may not or as many as are wanted. What
  // goes beside each says where it begins.
  std::size_t send(Partner& side, std::size_t wanted) {
    const Plan plan{{.size = 8}};
    Sender sender(side.connection(), side.engine(), plan);  // For its producer alone.
    EXPECT_TRUE(sender.start());
    const ConsumerId to = side.consumer().value();
    const auto shown = ShownFile::create(file.fd()).value();
    std::mt19937_64 sizes(seed);
    const auto over = [&] {
      return !sender->busy(to) || sender->state() != ContextState::kRunning;
    };
    std::size_t sent = 0;
    while (sent != wanted) {
      const std::uint64_t offset = sizes() % (kLongest - kShortest);
      const std::size_t length = kShortest + sizes() % (kLongest - kShortest - offset + 1);
      Status s;
      const auto accepted = [&] {
        s = sender->send_file(to, *shown, offset, length, std::as_bytes(std::span(&offset, 1)));
        return s || s.error().code != Errc::again;
      };
      if (!side.run_until(accepted) || !s) break;
      if (sent == 0) note_started(side);
      if (!side.run_until(over) || !sender->ending(to)) break;
      ++sent;
    }
    return sent;
  }
  // Takes parts of the file until the peer is gone, or as many as are wanted.
  std::size_t receive(Partner& side, std::size_t wanted) {
    Receiver receiver(side.connection(), side.engine(), {{.size = kLongest, .immediate = 8}});
    std::size_t whole = 0;
    receiver.then_heard = [&](ReceiveTask& task) {
      std::uint64_t offset = 0;
      std::memcpy(&offset, task.immediate().data(), sizeof offset);
      if (whole == 0) note_started(side);
      whole += is_of_file(task.buffer()->contents(), offset) ? 1 : 0;
    };
    EXPECT_TRUE(receiver.start());
    side.run_until(
        [&] { return receiver.heard() == wanted || receiver->state() == ContextState::kIdle; });
    EXPECT_EQ(whole, receiver.heard());
    return whole;
  }
  // Once, of the one that is to be killed.
  void note_started(const Partner& side) const {
    if (!side.is_server()) started.open();
  }
  // Whether the bytes are the file's from some place on, which they begin with.
  bool is_of_file(std::span<const std::byte> some, std::size_t offset) const {
    return std::ranges::equal(some, std::span(bytes).subspan(offset, some.size()));
  }
  ChildProcess peer(const std::function<void(Partner&)>& play) {
    return ChildProcess::run([this, &play] {
      Partner side(Partner::Role::kClient, settings);
      EXPECT_TRUE(side.meet());
      play(side);
      return testing::Test::HasFailure() ? 1 : 0;
    });
  }
  void kill_sometime(ChildProcess& process) {
    ASSERT_TRUE(survivor.run_until([&] { return started.wait(Deadline(0ms)); }));
    const auto end = Deadline::Clock::now() + std::chrono::microseconds(random() % 8000);
    while (Deadline::Clock::now() < end) survivor.engine().progress();
    process.kill(SIGKILL);
  }
  void expect_nothing_kept() {
    ASSERT_TRUE(survivor.run_until([&] { return survivor.server().connections.empty(); }));
    if (!descriptors) descriptors = open_descriptors().size();
    EXPECT_TRUE(eventually([&] { return open_descriptors().size() <= *descriptors; }))
        << open_descriptors().size() << " descriptors, " << *descriptors << " before";
  }

  const std::uint64_t seed = test::seed();
  std::mt19937_64 random{seed};
  const Settings settings{.queue = 16};
  RuntimeDirectory runtime;
  const std::vector<std::byte> bytes = known_bytes();
  const NamelessFile file{bytes};
  Gate started;
  Partner survivor{Partner::Role::kServer, settings};
  std::optional<std::size_t> descriptors;
};

TEST_F(SharedFileTest, WhatTwoProcessesReadTogetherIsWhole) {
  static constexpr std::size_t kFiles = 200;
  auto process = peer([this](Partner& side) {
    EXPECT_EQ(receive(side, kFiles), kFiles);
    EXPECT_TRUE(side.agree("received"));
  });
  ASSERT_TRUE(survivor.meet());
  EXPECT_EQ(send(survivor, kFiles), kFiles);
  EXPECT_TRUE(survivor.agree("received"));
  EXPECT_EQ(process.wait(), Exit::with(0));
}

TEST_F(SharedFileTest, AConsumerThatIsKilledEndsWhatIsRead) {
  const Deadline end(budget(1s));
  std::size_t rounds = 0;
  do {
    auto process = peer([this](Partner& side) { receive(side, ~std::size_t{0}); });
    ASSERT_TRUE(survivor.meet());
    std::optional<std::jthread> killer;
    killer.emplace([&] {
      EXPECT_TRUE(started.wait());
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
      process.kill(SIGKILL);
    });
    send(survivor, ~std::size_t{0});
    killer.reset();
    EXPECT_EQ(process.wait(), Exit::by_signal(SIGKILL));
    ++rounds;
    expect_nothing_kept();
  } while (!end.passed() && !HasFailure());
  std::cout << rounds << " consumers were killed\n";
}

TEST_F(SharedFileTest, AProducerThatIsKilledLeavesTheConsumerItsBuffersAndNoDescriptor) {
  const Deadline end(budget(1s));
  std::size_t rounds = 0, heard = 0;
  do {
    auto process = peer([this](Partner& side) { send(side, ~std::size_t{0}); });
    ASSERT_TRUE(survivor.meet());
    {
      Receiver receiver(survivor.connection(), survivor.engine(),
                        {{.size = kLongest, .immediate = 8}});
      ASSERT_TRUE(receiver.start());
      kill_sometime(process);
      ASSERT_TRUE(survivor.run_until_idle(receiver.consumer()));
      EXPECT_EQ(receiver.returned().size(), Receiver::Options().depth);
      heard += receiver.heard();
    }
    EXPECT_EQ(process.wait(), Exit::by_signal(SIGKILL));
    ++rounds;
    expect_nothing_kept();
  } while ((!end.passed() || heard == 0) && !HasFailure());
  std::cout << rounds << " producers were killed, " << heard << " messages heard\n";
}

}  // namespace
}  // namespace comch::test
