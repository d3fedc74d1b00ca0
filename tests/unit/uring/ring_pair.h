// RingPair: a ring over a consumer of a server and a producer of its client, all of one engine.
//
// Threads: the engine's. Lifetime: the ends are idle, and the ring gone, before the parties go.
#pragma once

#include <liburing.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "comch/uring/ring.h"
#include "unit/comch/fast_pair.h"
#include "unit/uring/next_submission.h"

namespace comch::uring::test {

using namespace comch::test;
using namespace std::chrono_literals;

// What a ring has to wait in.
enum class Place : std::uint8_t { kOwnRing, kJoinedRing, kTimerDescriptor, kPoll, kNoFutex };

inline std::string name_of(Place place) {
  constexpr std::array names{"OwnRing", "JoinedRing", "TimerDescriptor", "Poll", "NoFutex"};
  return names[static_cast<std::size_t>(place)];
}

// A completion that is advanced over; the views in it are not to be used any more.
struct Seen {
  std::uint64_t user_data;
  std::int64_t res;
  std::uint32_t flags;
  std::string text;
  std::string immediate;
  Buffer* buffer;
};

struct RingPair : Pair {
  static constexpr std::uint32_t kDepth = 16;
  static constexpr std::size_t kRoom = 256;

  explicit RingPair(Place place = Place::kOwnRing, Ring::Options options = {},
                    DataWay way = DataWay::kAuto) {
    if (place == Place::kJoinedRing) {
      EXPECT_EQ(io_uring_queue_init(8, &application, 0), 0);
      options.join = &application;
    }
    options.without_kernel_ring = place == Place::kPoll;
    options.without_timeout_argument = place == Place::kTimerDescriptor;
    options.without_futex = place == Place::kNoFutex;
    ring = Ring::create(*engine, options).value();
    const auto deliver = [this](Connection& c, std::span<const std::byte> m) {
      return ring->on_message(c, m);
    };
    server->on_message(deliver).value();
    client->on_message(deliver).value();
    connect();
    consumer = Consumer::create(server.connection(), there.map()).value();
    producer = Producer::create(client.connection()).value();
    ring->prepare(*consumer, kDepth).value();
    ring->prepare(*producer).value();
    consumer->set_way(way).value();
    for (Context* context :
         {static_cast<Context*>(consumer.get()), static_cast<Context*>(producer.get())}) {
      engine->connect(*context).value();
      EXPECT_TRUE(context->start());
    }
    EXPECT_TRUE(run_until([&] { return client.consumers.size() == 1; }));
    EXPECT_TRUE(run_until([&] { return consumer->state() == ContextState::kRunning; }));
    from = ring->register_source(*consumer).value();
    to = ring->register_destination(*producer, consumer->id()).value();
    at_client = ring->register_control(client.connection()).value();
    at_server = ring->register_control(server.connection()).value();
  }
  ~RingPair() override {
    end();
    ring.reset();
    if (application.ring_fd != 0) io_uring_queue_exit(&application);
    EXPECT_TRUE(Producer::destroy(producer));
    EXPECT_TRUE(Consumer::destroy(consumer));
  }

  // Every end comes to idle; what they still had completes, into `seen`.
  void end() {
    for (Context* context :
         {static_cast<Context*>(consumer.get()), static_cast<Context*>(producer.get())}) {
      if (context->state() != ContextState::kIdle) std::ignore = context->abort();
    }
    const Deadline deadline;
    while (consumer->state() != ContextState::kIdle || producer->state() != ContextState::kIdle) {
      ASSERT_FALSE(deadline.passed());
      reap();
      engine->wait(1ms);
    }
    reap();
  }

  // Starts a second consumer of the server, which is configured; running, and known to the client.
  void start_beside(Consumer& other) {
    engine->connect(other).value();
    EXPECT_TRUE(other.start());
    EXPECT_TRUE(run_until(
        [&] { return other.state() == ContextState::kRunning && client.consumers.size() == 2; }));
  }

  Submission& next(std::uint64_t user_data, std::uint8_t flags = 0) {
    return next_submission(*ring, user_data, flags);
  }
  void send(std::string_view text, std::uint64_t user_data, std::uint8_t flags = 0) {
    next(user_data, flags).prep_send(*to, bytes(text));
  }
  Buffer* room(std::size_t n) { return there.room(n * kRoom, kRoom); }
  void post(std::size_t count, std::uint64_t user_data = kPosted) {
    for (std::size_t n = 0; n < count; ++n) {
      next(user_data + n).prep_post_recv(*from, room(rooms_++ % kRooms));
    }
    ring->submit().value();
  }

  // All that is ready, and advanced over.
  void reap() {
    while (const Completion* c = ring->peek()) {
      seen.push_back({.user_data = c->user_data,
                      .res = c->res,
                      .flags = c->flags,
                      .text = text_of(c->contents()),
                      .immediate = text_of(c->immediate()),
                      .buffer = c->buffer});
      if (c->buffer != nullptr && (c->flags & kMore) == 0) {
        std::ignore = c->buffer->drop_reference();
      }
      ring->advance(1);
    }
  }
  // Waits for `count` completions, and takes all there are.
  void wait(std::uint32_t count) {
    seen.clear();
    const Deadline deadline;
    while (seen.size() < count && !deadline.passed()) {
      // One is enough: what follows may need that it is advanced over.
      const auto ready = ring->submit_and_wait(1, 1s);
      if (!ready && ready.error().code != Errc::time_out) FAIL() << describe(ready.error());
      reap();
    }
    ASSERT_GE(seen.size(), count);
  }
  const Seen* find(std::uint64_t user_data) const {
    const auto it = std::ranges::find(seen, user_data, &Seen::user_data);
    return it == seen.end() ? nullptr : &*it;
  }
  std::int64_t res(std::uint64_t user_data) const {
    const Seen* const found = find(user_data);
    return found == nullptr ? std::int64_t{INT64_MIN} : found->res;
  }
  std::vector<std::uint64_t> order() const {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(seen.size());
    for (const Seen& s : seen) numbers.push_back(s.user_data);
    return numbers;
  }

  static constexpr std::uint64_t kPosted = 1000;
  static constexpr std::size_t kRooms = 2048;
  Memory there{kRooms * kRoom};
  Memory here{std::size_t{1} << 20U};
  io_uring application{};
  std::unique_ptr<Ring> ring;
  std::unique_ptr<Consumer> consumer;
  std::unique_ptr<Producer> producer;
  Source* from = nullptr;
  Destination* to = nullptr;
  Control* at_client = nullptr;
  Control* at_server = nullptr;
  std::vector<Seen> seen;

 private:
  std::size_t rooms_ = 0;
};

}  // namespace comch::uring::test
