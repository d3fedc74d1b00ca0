// PeerLane and ConsumerPortTest: a consumer's port whose peer is the test: it makes the lanes,
// writes into them what it likes, and speaks on the line.
//
//   PeerLane from = lane();
//   from.writer->put_inline(0, kBytes, {});
//   from.writer->publish();
//   poll();
//
// Threads: one. Lifetime: the port's memory, and what lies behind it, is the fixture's.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "os/memory.h"
#include "os/seq_socket.h"
#include "shm/lane_writer.h"
#include "transport/shm/consumer_port.h"
#include "unit/transport/shm/fake_reactor.h"
#include "unit/transport/shm/liar.h"

namespace comch::transport::shm {

using comch::shm::LaneLayout;
using test::say_packet;

inline constexpr std::uint32_t kPortDepth = 4;
inline constexpr std::uint32_t kImmediate = 16;
inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kRoom = 32 * kPage;  // Of buffer 0.
inline constexpr std::size_t kSmall = 64;         // Of buffer 1, at the very end of the memory.
inline constexpr std::size_t kMemory = kRoom + kSmall;
inline constexpr std::byte kUntouched{0xa5};

struct FakePortOwner final : ConsumerPortOwner {
  void on_accepted() override { ++accepted; }
  void on_wake() override { ++wakes; }
  void on_lost(const Error& error) override {
    EXPECT_FALSE(lost) << "told twice";
    lost = error.code;
  }
  int accepted = 0;
  int wakes = 0;
  std::optional<Errc> lost;
};

// A lane of the peer's making. Its slots are the test's to write, soundly or not.
struct PeerLane {
  struct Options {
    std::uint64_t bounce = 0;
    std::uint32_t handles = 0;
    bool viewed = false;
    std::uint64_t more = 0;  // Bytes that its memory has and should not.
    bool sealed = true;
  };
  PeerLane(const os::Fd& line, std::uint32_t producer, const Options& options)
      : layout(LaneLayout::make({.depth = kPortDepth,
                                 .slots = 0,
                                 .immediate_max = kImmediate,
                                 .bounce_size = options.bounce,
                                 .handles = options.handles,
                                 .viewed = options.viewed})
                   .value()),
        viewed(options.viewed) {
    const std::uint64_t size = layout.size + options.more;
    memory = options.sealed ? os::make_sealed_memfd("comch-test", size).value()
                            : os::make_memory("comch-test", size, os::Pages::kOrdinary).value();
    mapping = os::Mapping::map(memory, size).value();
    std::byte* const base = mapping.bytes().data();
    writer.emplace(comch::shm::lane_at(base), base + layout.slots, base + layout.side,
                   layout.shape);
    terms = {.producer = producer,
             .slots = 0,
             .handles = options.handles,
             .bounce_size = options.bounce};
    const std::array<int, 2> fds{memory.get(), ring.second.get()};
    EXPECT_TRUE(say_packet(line, terms, fds));
  }
  // The lane as the consumer sees it, for a test that has no port. Once: it takes the descriptors.
  std::unique_ptr<InLane> received() {
    std::array<os::Fd, 2> fds{std::move(memory), std::move(ring.second)};
    return InLane::make(terms, kPortDepth, kImmediate, viewed, false, fds, allowances).value();
  }
  // Word `n` of a slot, to be changed behind the reader's back.
  std::atomic_ref<std::uint64_t> word(std::uint32_t slot, std::size_t n) const {
    auto* const words = reinterpret_cast<std::uint64_t*>(mapping.bytes().data() + layout.slots);
    return std::atomic_ref(words[slot * std::size_t{16} + n]);
  }
  // A row in the first slots, whatever it says: of each message word 8 is its number, from 1 on.
  void write_row(std::uint16_t index, std::uint32_t messages, std::uint64_t length) const {
    for (std::uint32_t n = 0; n < messages && n < layout.shape.slots; ++n) word(n, 8) = n + 1;
    word(0, 1) = length | std::uint64_t{messages} << 48U;
    word(0, 0) = comch::shm::lane_word(1, index, comch::shm::LaneKind::kRow);
  }

  LaneLayout layout;
  bool viewed;
  os::Fd memory;
  os::Mapping mapping;
  std::optional<comch::shm::LaneWriter<>> writer;
  std::pair<os::Fd, os::Fd> ring = os::pair().value();
  wire::Lane terms;
  Allowances allowances;
};

struct ConsumerPortTest : testing::Test {
  // Everything behind the memory is watched, too.
  ConsumerPortTest() : ConsumerPortTest(wire::Way::kStaged) { post_both(); }
  explicit ConsumerPortTest(wire::Way way) : all(kMemory + 64 * kPage, kUntouched) {
    EXPECT_TRUE(test::all_is_unmapped());  // Of other tests; TSan has but six terabytes.
    port =
        ConsumerPort::open(reactor, hub,
                           {.depth = kPortDepth,
                            .immediate_max = kImmediate,
                            .way = way,
                            .memory = std::span(all).first(way == wire::Way::kView ? 0 : kMemory)},
                           owner)
            .value();
    EXPECT_FALSE(hub->flush(sockets.first).value());
    std::array<std::byte, wire::kMaxPacket> buffer;
    os::Packet packet = os::receive(sockets.second, buffer).value();
    EXPECT_EQ(packet.fd_count, 2U);
    line = std::move(packet.fds[1]);
  }

  void post_both() {
    port->post(0, 0, kRoom);
    port->post(1, kRoom, kSmall);
    port->publish();
  }
  void settle() {
    while (reactor.turn()) continue;
  }
  PeerLane lane(std::uint32_t producer, const PeerLane::Options& options) {
    PeerLane made(line, producer, options);
    settle();
    return made;
  }
  PeerLane lane() { return lane(1, {}); }
  void show_map(std::uint32_t number, std::uint64_t size) {
    const os::Fd memory = os::make_sealed_memfd("comch-test", size).value();
    const std::array<int, 1> fds{memory.get()};
    ASSERT_TRUE(say_packet(line, wire::Map{.number = number, .offset = 0, .size = size}, fds));
    settle();
  }
  void poll() {
    port->poll(64, [this](std::size_t, const Arrival& arrival) { arrivals.push_back(arrival); });
  }
  void expect_lie() {
    poll();
    EXPECT_EQ(owner.lost, Errc::connection_reset);
    EXPECT_TRUE(port->closed());
    EXPECT_TRUE(arrivals.empty());
    expect_nothing_outside();
  }
  void expect_nothing_outside() {
    EXPECT_TRUE(
        std::all_of(all.begin() + kMemory, all.end(), [](std::byte b) { return b == kUntouched; }));
  }
  void expect_lost_by(const auto& packet, std::span<const int> fds = {}) {
    ASSERT_TRUE(say_packet(line, packet, fds));
    settle();
    EXPECT_EQ(owner.lost, Errc::connection_reset);
    EXPECT_TRUE(port->closed());
  }

  test::FakeReactor reactor;
  std::shared_ptr<Hub> hub = Hub::create(true, ::getuid(), ::getpid()).value();
  std::pair<os::Fd, os::Fd> sockets = os::pair().value();
  std::vector<std::byte> all;
  FakePortOwner owner;
  std::unique_ptr<ConsumerPort> port;
  os::Fd line;  // The peer's end.
  std::vector<Arrival> arrivals;
};

inline constexpr std::array kBytes{std::byte{1}, std::byte{2}, std::byte{3}};

}  // namespace comch::transport::shm
