// ListeningRing: a ring over a server that accepts, and clients that come and go, all of one
// engine.
//
// Threads: the engine's. Lifetime: what a test makes of the server is idle before the fixture goes.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "comch/uring/ring.h"
#include "support/temp_dir.h"
#include "unit/comch/fast_pair.h"
#include "unit/uring/next_submission.h"

namespace comch::uring::test {

using namespace comch::test;
using namespace std::chrono_literals;

inline constexpr std::uint64_t kAccept = 1, kReceive = 2, kSend = 3, kCancel = 4, kPool = 5;

struct ListeningRing : testing::Test {
  ListeningRing() {
    server->set_max_message_size(64).value();
    server->set_recv_queue_size(4).value();
    ring->prepare(*server).value();
    engine->connect(*server).value();
    listener = ring->register_listener(*server).value();
    EXPECT_TRUE(server->start());
  }
  ~ListeningRing() override {
    clients.clear();
    ring.reset();
    std::ignore = server->abort();
    EXPECT_TRUE(until(*engine, [&] { return server->state() == ContextState::kIdle; }));
  }

  Submission& next(std::uint64_t user_data, std::uint8_t flags = 0) {
    return next_submission(*ring, user_data, flags);
  }
  void accept(std::uint8_t flags = 0) {
    next(kAccept, flags).prep_accept_multishot(*listener);
    ring->submit().value();
  }
  ClientParty& join() {
    const std::size_t before = server->connections();
    ClientParty& client = *clients.emplace_back(std::make_unique<ClientParty>(*engine));
    EXPECT_TRUE(client.connect());
    EXPECT_TRUE(until(*engine, [&] { return server->connections() > before; }));
    return client;
  }
  void leave(ClientParty& client) {
    const std::size_t before = server->connections();
    EXPECT_TRUE(client->stop());
    EXPECT_TRUE(client.run_until_idle());
    EXPECT_TRUE(until(*engine, [&] { return server->connections() < before; }));
  }
  // The oldest completion, waited for; it stays.
  const Completion& look() {
    const auto ready = ring->submit_and_wait(1, 10s);
    if (!ready) throw std::runtime_error("nothing completes");
    return *ring->peek();
  }
  // Its result, and it is advanced over.
  std::int64_t take(std::uint64_t user_data) {
    const Completion& completion = look();
    EXPECT_EQ(completion.user_data, user_data);
    const std::int64_t res = completion.res;
    ring->advance(1);
    return res;
  }

  RuntimeDirectory runtime;
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  std::unique_ptr<Server> server = Server::create(dpu(), function(), "echo").value();
  std::unique_ptr<Ring> ring = Ring::create(*engine, {.entries = 8}).value();
  Listener* listener = nullptr;
  std::vector<std::unique_ptr<ClientParty>> clients;
};

}  // namespace comch::uring::test
