// PeerConsumer: a consumer of the peer's, as bare memory and a socket: it posts what a test likes,
// reads its lane, and can write anything anywhere.
//
//   PeerConsumer peer(*hub, 2, wire::Way::kMapped);
//   peer.post(0, 0, 64);
//   port->lane(2).value()->put(...);
//   peer.open_lane();
//   peer.reader->look(record);
//
// Threads: one. Lifetime: the hub outlives it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "os/memory.h"
#include "os/packet.h"
#include "os/seq_socket.h"
#include "shm/fast_layout.h"
#include "shm/lane_reader.h"
#include "shm/posted_ring.h"
#include "transport/port_owner.h"
#include "transport/shm/hub.h"
#include "wire/fast_packet.h"
#include "wire/handshake.h"

namespace comch::test {

struct PeerConsumer {
  static constexpr std::uint32_t kDepth = 4;
  static constexpr std::uint64_t kMap = 65'536;

  PeerConsumer(transport::shm::Hub& hub, std::uint32_t id, wire::Way way, std::uint64_t address = 0,
               std::uint64_t map = kMap)
      : viewed(way == wire::Way::kView),
        layout(shm::PostedLayout::make(kDepth).value()),
        memory(os::make_sealed_memfd("comch-test", map).value()) {
    os::Fd shared = os::make_sealed_memfd("comch-test", layout.size).value();
    posted = os::Mapping::map(shared, layout.size).value();
    writer.emplace(shm::posted_run_at(posted.bytes().data()), posted.bytes().data() + layout.ring,
                   layout.slots);
    auto pair = os::pair().value();
    line = std::move(pair.first);
    std::vector<os::Fd> fds;
    fds.push_back(std::move(shared));
    fds.push_back(std::move(pair.second));
    if (way == wire::Way::kMapped) fds.push_back(os::duplicate(memory.get()).value());
    const wire::Consumer terms{.id = id,
                               .depth = kDepth,
                               .immediate_max = 8,
                               .way = way,
                               .map_size = map,
                               .map_address = address};
    EXPECT_TRUE(hub.take(terms, fds));
    std::ignore = next();  // Accepted.
  }
  // What was said on the line, or nothing.
  std::optional<wire::FastPacket> next() {
    std::array<std::byte, wire::kMaxPacket> buffer;
    Result<os::Packet> packet = os::receive(line, buffer);
    if (!packet || packet->end) return std::nullopt;
    if (packet->fd_count != 0) lane_fd = std::move(packet->fds[0]);
    const auto said = wire::decode_fast(std::span(buffer).first(packet->size));
    return said ? std::optional(*said) : std::nullopt;
  }
  // The lane that was announced.
  void open_lane() {
    const auto said = next();
    ASSERT_TRUE(said && std::holds_alternative<wire::Lane>(*said));
    const auto& lane = std::get<wire::Lane>(*said);
    lane_layout = shm::LaneLayout::make({.depth = kDepth,
                                         .slots = lane.slots,
                                         .immediate_max = 8,
                                         .bounce_size = lane.bounce_size,
                                         .handles = lane.handles,
                                         .viewed = viewed})
                      .value();
    lane_memory = os::Mapping::map(lane_fd, lane_layout.size).value();
    reader.emplace(shm::lane_at(at(0)), at(lane_layout.slots), at(lane_layout.side),
                   lane_layout.shape);
  }
  std::byte* at(std::uint64_t offset) const { return lane_memory.bytes().data() + offset; }
  std::atomic_ref<std::uint64_t> word(std::uint64_t offset) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(at(offset)));
  }
  void post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity) {
    writer->post(index, offset, capacity);
    writer->publish();
  }
  // Buffers that are alike.
  void post_all() {
    {
      shm::PostedWriter<>::Walk walk(*writer);
      for (std::uint32_t n = 0; n < kDepth; ++n)
        walk.post(walk.next_slot(), std::uint64_t{n} * 64, 64);
    }
    writer->publish();
  }

  bool viewed;
  shm::PostedLayout layout;
  os::Fd memory;
  os::Mapping posted;
  std::optional<shm::PostedWriter<>> writer;
  os::Fd line;
  os::Fd lane_fd;
  shm::LaneLayout lane_layout;
  os::Mapping lane_memory;
  std::optional<shm::LaneReader<>> reader;
};

struct PortOwner final : transport::ProducerPortOwner {
  void on_wake() override { ++wakes; }
  void on_lost(const Error& error) override { lost = error.code; }
  int wakes = 0;
  std::optional<Errc> lost;
};

}  // namespace comch::test
