// A peer that writes random words over all memory of the fast path that it shares with us while
// its traffic runs, in both directions: that costs it what it has with us, and nobody else
// anything. Nothing outside the posted buffers is written (rooms.h looks), nothing is touched
// that is not there (the survivor would crash).
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/child_process.h"
#include "support/temp_dir.h"
#include "system/fast/partner.h"
#include "system/fast/traffic.h"

namespace comch::test {
namespace {

using namespace std::chrono_literals;
using Words = std::span<std::uint64_t>;

struct Stream {
  std::string name;
  Plan plan;
  DataWay way = DataWay::kMapped;
};

constexpr std::uint32_t kDepth = 4;

Rooms::Kind kind(const Stream& stream) {
  return stream.way == DataWay::kMapped ? Rooms::Kind::kShared : Rooms::Kind::kPrivate;
}

// The rings of the fast path that this process has mapped. Not the messages' memory, whose bytes
// are a producer's to write as it likes; nor its own.
std::vector<Words> shared_words() {
  std::vector<Words> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("comch-posted") == std::string::npos &&
        line.find("comch-lane") == std::string::npos) {
      continue;
    }
    char* rest = nullptr;
    const std::uint64_t begin = std::strtoull(line.c_str(), &rest, 16);
    if (*rest != '-') break;
    const std::uint64_t end = std::strtoull(rest + 1, nullptr, 16);
    // Mapped a second time, to last when its end has let go of it.
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells addresses as text.
    void* again = ::mremap(reinterpret_cast<void*>(begin), 0, end - begin, MREMAP_MAYMOVE);
    if (again == MAP_FAILED) break;
    found.emplace_back(static_cast<std::uint64_t*>(again), (end - begin) / sizeof(std::uint64_t));
  }
  return found;
}

// A word that is in use, most likely: most of what matters lies in the first two pages (bells and
// heads; a lane's slots), and is not 0.
std::uint64_t used_place(Words words, std::mt19937_64& random) {
  std::uint64_t place = 0;
  for (int tries = 0; tries < 20; ++tries) {
    place =
        random() % (random() % 4 != 0 ? std::min<std::uint64_t>(1024, words.size()) : words.size());
    if (std::atomic_ref(words[place]).load() != 0) break;
  }
  return place;
}

// Something else for one word: a bit flipped, a number one off, another word's, or anything.
void scribble_one(const std::vector<Words>& all, std::mt19937_64& random) {
  const Words words = all[random() % all.size()];
  const std::atomic_ref word(words[used_place(words, random)]);
  // Any order: the peer is to bear whatever it sees.
  switch (random() % 5) {
    case 0:
      word.fetch_xor(std::uint64_t{1} << (random() % 64));
      break;
    case 1:
      word.fetch_add(random() % 2 == 0 ? 1 : ~std::uint64_t{0});
      break;
    case 2:
      word.store(words[random() % words.size()]);
      break;
    case 3:
      word.store(random());
      break;
    default:
      word.store(random() % 4096);
  }
}

// A client that talks and scribbles until its connection is over, or it has done so for long.
int scribble(const Stream& stream, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  set_log_level(LogLevel::kOff);
  Partner side(Partner::Role::kClient, {.queue = 16});
  if (!side.meet()) return 1;
  Receiver receiver(side.connection(), side.engine(), stream.plan,
                    {.depth = kDepth, .way = stream.way, .kind = kind(stream)});
  Sender sender(side.connection(), side.engine(), stream.plan, {.times = 1'000'000});
  const std::optional<ConsumerId> to = side.consumer();
  if (!to || !receiver.start() || !sender.start()) return 2;
  sender.send_to({*to});
  if (!side.run_until([&] { return receiver.heard() > 0; })) return 3;
  const std::vector<Words> words = shared_words();
  if (words.size() < 4) return 4;  // Two of each end.
  const std::uint64_t pause = 1 + random() % 30;
  const Deadline enough(50ms);
  const auto alive = [&] {
    return receiver->state() == ContextState::kRunning && !sender.refusal();
  };
  while (alive() && !enough.passed()) {
    for (std::uint64_t n = 0; n < pause; ++n) side.engine().progress();
    for (std::uint64_t n = random() % 4; n > 0; --n) scribble_one(words, random);
  }
  // Whatever its own ends make of it: they are not what this is about.
  std::_Exit(testing::Test::HasFailure() ? 5 : 0);
}

// What the server has with one scribbler.
struct Dealings {
  Dealings(Partner& server, const Stream& stream)
      : rooms(kDepth, longest(stream.plan), kind(stream)),
        receiver(server.server().connection(1), server.engine(), stream.plan,
                 {.depth = kDepth, .way = stream.way, .rooms = &rooms}),
        sender(server.server().connection(1), server.engine(), stream.plan, {.times = 1'000'000}) {
    if (stream.way != DataWay::kStaged) rooms.give_away();
  }
  // What the other side has mapped, or the kernel lets it reach, is its to write.
  Rooms rooms;
  Receiver receiver;
  Sender sender;
};

struct FastScribblerTest : testing::TestWithParam<Stream> {
  FastScribblerTest() {
    std::cout << "COMCH_TEST_SEED=" << seed << '\n';
    set_log_level(LogLevel::kOff);  // A line per scribbler is right, and would fill the screen.
  }
  ~FastScribblerTest() override { set_log_level(LogLevel::kWarning); }

  const std::uint64_t seed = test::seed();
  const Settings settings{.queue = 16};
  RuntimeDirectory runtime;
};

TEST_P(FastScribblerTest, AScribblerCostsItsOwnConnectionOnly) {
  Partner server(Partner::Role::kServer, settings);
  server.start();
  ClientParty honest(server.engine(), settings);
  ASSERT_TRUE(honest.connect());
  ASSERT_TRUE(server.meet());
  const Plan plan{{.size = 8}, {.size = 5000, .immediate = 9}, {.size = 100'000}};
  std::optional<Receiver> heard(std::in_place, server.server().connection(0), server.engine(),
                                plan);
  std::optional<Sender> spoken(std::in_place, honest.connection(), server.engine(), plan,
                               Sender::Options{.times = 1'000'000'000});
  ASSERT_TRUE(heard->start() && spoken->start());
  ASSERT_TRUE(server.run_until([&] { return honest.consumers.size() == 1; }));
  spoken->send_to(honest.consumers);

  std::uint64_t scribblers = 0;
  std::uint64_t answered = 0;
  std::uint64_t caught = 0;
  const Deadline end(budget());
  do {
    auto scribbler = ChildProcess::run([&] { return scribble(GetParam(), seed + scribblers); });
    ++scribblers;
    ASSERT_TRUE(server.run_until([&] { return server.server().connections.size() == 2; }));
    {
      Dealings with(server, GetParam());
      ASSERT_TRUE(with.receiver.start() && with.sender.start());
      const std::optional<ConsumerId> to = server.consumer();
      ASSERT_TRUE(to);
      with.sender.send_to({*to});
      const auto over = [&] { return scribbler.wait(Deadline(0ms)).has_value(); };
      ASSERT_TRUE(server.run_until(over));
      ASSERT_EQ(scribbler.wait(), Exit::with(0)) << "scribbler " << scribblers;
      if (with.receiver->state() != ContextState::kRunning || with.sender.refusal()) ++caught;
      ASSERT_TRUE(server.run_until_idle(with.receiver.consumer()));
      ASSERT_TRUE(server.run_until_idle(with.sender.producer()));
      EXPECT_EQ(with.receiver.returned().size(), kDepth);
      EXPECT_EQ(with.sender.accepted(), with.sender.sent() + with.sender.failed().size());
      answered += with.receiver.heard();
    }
    ASSERT_TRUE(server.run_until([&] { return server.server().connections.size() == 1; }));
  } while (!end.passed() && !HasFailure());
  std::cout << scribblers << " scribblers, " << caught << " of them caught, " << answered
            << " messages of theirs, " << heard->heard() << " beside them\n";
  EXPECT_EQ(heard->wrong(), 0u);
  EXPECT_EQ(heard->consumer().state(), ContextState::kRunning);
  EXPECT_GT(heard->heard(), scribblers);
  EXPECT_GT(caught, 0u);
  spoken.reset();
  heard.reset();
  ASSERT_TRUE(honest->stop());
  EXPECT_TRUE(honest.run_until_idle());
}

INSTANTIATE_TEST_SUITE_P(
    Over, FastScribblerTest,
    testing::Values(Stream{"small",
                           {{.size = 8}, {.size = 64, .immediate = 8}, {.size = 99}},
                           DataWay::kStaged},
                    Stream{"mapped", {{.size = 8}, {.size = 70'000}, {.size = 5000}}},
                    Stream{"staged",
                           {{.size = 8}, {.size = 700'000, .immediate = 3}, {.size = 5000}},
                           DataWay::kStaged},
                    Stream{"cma", {{.size = 8}, {.size = 70'000}, {.size = 5000}}, DataWay::kCma}),
    [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace comch::test
