// Ports: two machines of a fake fabric with the fast path of one connection between them: a hub on
// each, whose letters are carried by the test, and ports as consumers and producers would have
// them.
//
//   Ports machines;
//   TestConsumer consumer(machines, 4);            // On the server's machine,
//   TestProducer producer(machines);               // on the client's.
//   consumer.post(0, 0, 64);
//   producer.send("hello");
//   consumer.poll();                               // consumer.text(0) == "hello"
//
// Threads: one. Errors: Result::value() throws, because a test without its machines cannot go on.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/fake_link.h"
#include "transport/rdma/consumer_port.h"
#include "transport/rdma/hub.h"
#include "transport/rdma/producer_port.h"
#include "unit/transport/shm/fake_reactor.h"

namespace comch::transport::rdma {

inline const char* const kServer = "10.0.0.2";
inline const char* const kClient = "10.0.0.1";

// The control path between two hubs, as long as the test lets it run.
struct Post final : Courier {
  Status send_letter(std::span<const std::byte> letter) override {
    if (full) return fail(Errc::again, "the test says so");
    letters.emplace_back(letter.begin(), letter.end());
    return {};
  }
  std::deque<std::vector<std::byte>> letters;
  bool full = false;
};

struct Ports {
  struct End {
    std::shared_ptr<Hub> hub;
    Post post;                       // What it has said.
    std::vector<ConsumerNews> news;  // What it was told.
    std::optional<Errc> broken;      // By the other side.
    test::FakeReactor reactor;
  };

  Ports() : Ports([](test::FakeFabric&) {}) {}
  // On machines like that.
  explicit Ports(const test::FakeLink::Prepare& prepare) : link(8, prepare) {
    server.hub = Hub::create(true, fabric_of(link.server)).value();
    client.hub = Hub::create(false, fabric_of(link.client)).value();
  }
  ~Ports() {
    server.hub->close();
    client.hub->close();
  }

  static Fabric fabric_of(const test::FakeEnd& end) { return Fabric::of(*end.id, {}).value(); }

  // One letter of `from`, if there is one.
  static bool carry(End& from, End& to) {
    from.hub->flush(from.post);
    if (from.post.letters.empty()) return false;
    const std::vector<std::byte> letter = std::move(from.post.letters.front());
    from.post.letters.pop_front();
    const auto news = to.hub->take(letter);
    if (!news) to.broken = news.error().code;
    if (news && *news) to.news.push_back(**news);
    return true;
  }
  // Letters and what the ports' descriptors have, until there is no more.
  void settle() {
    for (bool did = true; did;) {
      did = carry(server, client);
      did = carry(client, server) || did;
      did = server.reactor.turn() || did;
      did = client.reactor.turn() || did;
    }
  }

  test::FakeLink link;
  End server;
  End client;
};

// A consumer, of the server's machine.
struct TestConsumer final : ConsumerPortOwner {
  explicit TestConsumer(Ports& m, std::uint32_t depth = 4, std::uint32_t immediate_max = 32,
                        std::size_t size = std::size_t{1} << 20U)
      : machines(m), memory(size), life(std::make_unique<MapLife>(memory)) {
    port = ConsumerPort::open(m.server.reactor, m.server.hub,
                              {.depth = depth, .immediate_max = immediate_max, .map = life.get()},
                              *this)
               .value();
    m.settle();
  }

  void post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity) {
    port->post(index, offset, capacity);
    port->publish();
  }
  // True: something happened.
  bool poll(std::size_t budget = 64) {
    const auto keep = [this](std::size_t, const Arrival& arrival) {
      arrivals.push_back(arrival);
      const auto* const chars = reinterpret_cast<const char*>(arrival.immediate.data());
      immediates.emplace_back(chars, arrival.immediate.size());
    };
    return port->poll(budget, keep).any;
  }
  std::string_view text(std::uint64_t offset, std::uint64_t size) const {
    return {reinterpret_cast<const char*>(memory.data()) + offset, size};
  }

  void on_accepted() override { ++accepted; }
  void on_wake() override { ++wakes; }
  void on_lost(const Error& error) override {
    EXPECT_FALSE(lost) << "told twice";
    lost = error.code;
  }

  Ports& machines;
  std::vector<std::byte> memory;
  std::unique_ptr<MapLife> life;
  std::unique_ptr<ConsumerPort> port;
  std::vector<Arrival> arrivals;
  std::vector<std::string> immediates;
  int accepted = 0;
  int wakes = 0;
  std::optional<Errc> lost;
};

// A producer, of the client's machine. What it sends lies in a map of its own.
struct TestProducer final : ProducerPortOwner {
  explicit TestProducer(Ports& m, std::uint64_t staging = std::uint64_t{1} << 16U,
                        std::size_t size = std::size_t{1} << 20U)
      : machines(m), memory(size), life(std::make_unique<MapLife>(memory)) {
    port = ProducerPort::open(m.client.reactor, m.client.hub, {.staging = staging}, *this).value();
    m.settle();
  }

  OutLane& lane(std::uint32_t consumer) { return *port->lane(consumer).value(); }
  // A task's way: from the map, and complete when it is acknowledged.
  Outcome send(std::uint32_t consumer, std::span<const std::byte> data,
               std::string_view immediate = {}) {
    const OutLane::Source source{life.get()};
    const Outcome outcome = lane(consumer).put(data, std::as_bytes(std::span(immediate)), &source);
    lane(consumer).publish();
    return outcome;
  }
  Outcome send(std::uint32_t consumer, std::string_view text, std::string_view immediate = {}) {
    std::memcpy(memory.data(), text.data(), text.size());
    return send(consumer, std::span(memory).first(text.size()), immediate);
  }
  // An array's way.
  Outcome send_copied(std::uint32_t consumer, std::string_view text) {
    return lane(consumer).put(std::as_bytes(std::span(text)), {}, nullptr);
  }
  std::size_t completed(std::uint32_t consumer) { return lane(consumer).step().value(); }

  void on_wake() override { ++wakes; }
  void on_lost(const Error& error) override { lost = error.code; }

  Ports& machines;
  std::vector<std::byte> memory;
  std::unique_ptr<MapLife> life;
  std::unique_ptr<ProducerPort> port;
  int wakes = 0;
  std::optional<Errc> lost;
};

}  // namespace comch::transport::rdma
