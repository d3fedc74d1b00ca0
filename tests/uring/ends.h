// RingEnds: one process's consumer, producer and ring, on the connection of a Partner.
//
// Threads: the engine's. Lifetime: the partner outlives it.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "comch/uring/ring.h"
#include "system/fast/partner.h"
#include "system/fast/rooms.h"

namespace comch::uring::test {

using namespace comch::test;
using namespace std::chrono_literals;

class RingEnds {
 public:
  static constexpr std::uint32_t kDepth = 64;

  explicit RingEnds(Partner& partner, Ring::Options options = {}, std::size_t room = 64,
                    DataWay way = DataWay::kAuto)
      : partner_(partner),
        rooms(kDepth, room),
        ring(Ring::create(partner.engine(), options).value()),
        consumer(Consumer::create(partner.connection(), rooms.map()).value()),
        producer(Producer::create(partner.connection()).value()) {
    ring->prepare(*consumer, kDepth).value();
    ring->prepare(*producer).value();
    consumer->set_way(way).value();
    for (Context* context : contexts()) {
      partner.engine().connect(*context).value();
      context->start().value();
    }
    EXPECT_TRUE(partner.run_until([&] { return consumer->state() == ContextState::kRunning; }));
    to = ring->register_destination(*producer, partner.consumer().value()).value();
    from = ring->register_source(*consumer).value();
    for (std::size_t n = 0; n < kDepth; ++n) pool.push_back(rooms.empty(n));
  }
  // Buffers come back in completions, which nobody reads any more.
  ~RingEnds() {
    for (Context* context : contexts()) {
      if (context->state() != ContextState::kIdle) std::ignore = context->abort();
    }
    EXPECT_TRUE(partner_.run_until([&] {
      while (ring->peek() != nullptr) ring->advance(ring->ready());
      return consumer->state() == ContextState::kIdle && producer->state() == ContextState::kIdle;
    }));
    ring.reset();
    for (Buffer* buffer : pool) std::ignore = buffer->drop_reference();
    EXPECT_TRUE(Producer::destroy(producer));
    EXPECT_TRUE(Consumer::destroy(consumer));
  }
  RingEnds(const RingEnds&) = delete;
  RingEnds& operator=(const RingEnds&) = delete;

  Submission& next(std::uint64_t user_data, std::uint8_t flags = 0) {
    Submission* s = ring->get();
    if (s == nullptr) {
      ring->submit().value();
      s = ring->get();
    }
    if (s == nullptr) throw std::runtime_error("no place is free");
    s->user_data = user_data;
    s->flags = flags;
    return *s;
  }
  void receive_all(std::uint64_t user_data) {
    next(user_data).prep_post_recv_multishot(*from, pool);
    ring->submit().value();
  }

 private:
  std::array<Context*, 2> contexts() { return {consumer.get(), producer.get()}; }
  Partner& partner_;

 public:
  Rooms rooms;
  std::vector<Buffer*> pool;
  std::unique_ptr<Ring> ring;
  std::unique_ptr<Consumer> consumer;
  std::unique_ptr<Producer> producer;
  Destination* to = nullptr;
  Source* from = nullptr;
};

}  // namespace comch::uring::test
