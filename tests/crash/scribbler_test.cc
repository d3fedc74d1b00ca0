// A peer that flips random words of the memory it shares with us while its traffic runs:
// that costs it its own connection, and nobody else anything.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "support/child_process.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch {
namespace {

// The words of every connection this process has mapped.
std::span<std::uint64_t> shared_words() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("comch-connection") == std::string::npos) continue;
    char* rest = nullptr;
    const std::uint64_t begin = std::strtoull(line.c_str(), &rest, 16);
    if (*rest != '-') break;
    const std::uint64_t end = std::strtoull(rest + 1, nullptr, 16);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel tells addresses as text.
    return {reinterpret_cast<std::uint64_t*>(begin), (end - begin) / sizeof(std::uint64_t)};
  }
  return {};
}

// Half of the words hit are those of the rings' heads and bells, in the first page.
void flip_one(std::span<std::uint64_t> words, std::mt19937_64& random) {
  const std::uint64_t page = 4096 / sizeof(std::uint64_t);
  const std::uint64_t place = random() % (random() % 2 == 0 ? page : words.size());
  // Any order: the peer is to bear whatever it sees.
  std::atomic_ref(words[place]).fetch_xor(std::uint64_t{1} << (random() % 64));
}

// A client that talks and scribbles until it is thrown out, or has done it for long.
int scribble(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  set_log_level(LogLevel::kOff);
  auto engine = ProgressEngine::create().value();
  test::ClientParty client(*engine, {.queue = 16});
  if (!client.connect()) return 1;
  const std::span<std::uint64_t> words = shared_words();
  if (words.empty()) return 2;
  for (int i = 0; i < 2000 && client->state() == ContextState::kRunning; ++i) {
    std::ignore = client.connection().try_send(test::bytes("scribble"));
    flip_one(words, random);
    engine->progress();
  }
  return 0;
}

TEST(ScribblerTest, AScribblerCostsItsOwnConnectionOnly) {
  const std::uint64_t seed = test::seed();
  std::cout << "COMCH_TEST_SEED=" << seed << '\n';
  set_log_level(LogLevel::kOff);  // A line per scribbler is right, and would fill the screen.
  const test::RuntimeDirectory runtime;
  auto engine = ProgressEngine::create().value();
  const test::Settings settings{.queue = 16};
  test::ServerParty server(*engine, settings);
  test::ClientParty honest(*engine, settings);
  Connection* honest_connection = nullptr;
  std::uint64_t heard = 0;
  server.then_receive = [&](Connection& from) {
    if (&from == honest_connection) {
      EXPECT_EQ(server.received.back(), std::to_string(heard));
      ++heard;
    } else {
      std::ignore = from.try_send(test::bytes("answer"));  // So that both rings are in use.
    }
    server.received.clear();
    return Receipt::kTaken;
  };
  ASSERT_TRUE(server->start());
  ASSERT_TRUE(honest.connect());
  ASSERT_TRUE(test::until(*engine, [&] { return server.connections.size() == 1; }));
  honest_connection = &server.connection();

  std::uint64_t sent = 0;
  std::uint64_t scribblers = 0;
  const test::Deadline end(test::budget());
  do {
    auto scribbler = test::ChildProcess::run([&] { return scribble(seed + scribblers); });
    ++scribblers;
    const test::Deadline patience;
    const auto gone = [&] { return scribbler.wait(test::Deadline(std::chrono::milliseconds(0))); };
    while (!gone() && !patience.passed()) {
      for (int i = 0; i < 100; ++i) {
        if (honest.connection().try_send(test::bytes(std::to_string(sent)))) ++sent;
        engine->progress();
      }
    }
    ASSERT_EQ(scribbler.wait(), test::Exit::with(0)) << "scribbler " << scribblers;
    // Its connection ends here too, if it had not before.
    ASSERT_TRUE(test::until(*engine, [&] { return server.connections.size() == 1; }));
    ASSERT_EQ(server.connections[0], honest_connection);
  } while (!end.passed());
  ASSERT_TRUE(test::until(*engine, [&] { return heard == sent; })) << heard << " of " << sent;
  EXPECT_EQ(honest->state(), ContextState::kRunning);
  std::cout << scribblers << " scribblers, " << sent << " messages beside them\n";
  set_log_level(LogLevel::kWarning);
}

}  // namespace
}  // namespace comch
