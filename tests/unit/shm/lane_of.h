// LaneOf: a lane of four slots with both halves in this process.
//
//   LaneOf<std::uint32_t> lane(true);              // With head credit.
//   lane.send("hello");
//   ASSERT_EQ(lane.look(), Look::kMessage);        // Of which `record` says what it is.
//
// Threads: one. Lifetime: its own memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "shm/lane_reader.h"
#include "shm/lane_writer.h"

namespace comch::shm {

// It has a side area, and a bounce area of 4096 bytes that exists in the numbers alone.
template <class Position>
struct LaneOf {
  using Writer = LaneWriter<FastMachine, Position>;
  static constexpr std::uint32_t kSlots = 4;

  // `indexes`: of posted buffers.
  explicit LaneOf(bool head_credit, std::uint32_t indexes = 1U << 16U)
      : shape{.slots = kSlots,
              .immediate_max = 256,
              .side_stride = 256,
              .bounce_size = 4096,
              .indexes = indexes,
              .head_credit = head_credit} {}

  static std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
  }

  Look look() {
    record = {};
    return reader.look(record);
  }

  std::string immediate() {
    std::string text(record.immediate, '?');
    reader.copy_immediate(reinterpret_cast<std::byte*>(text.data()), record);
    return text;
  }

  std::string data() {
    std::string text(record.length, '?');
    reader.copy_data(reinterpret_cast<std::byte*>(text.data()), record);
    return text;
  }

  // One message of data alone.
  void send(std::string_view text) {
    typename Writer::Walk(writer).put_inline(0, bytes(text));
    writer.publish();
  }

  // What a liar writes to the slot of `position`.
  void lie(Position position, std::uint64_t word0, std::uint64_t word1, std::uint64_t word2 = 0,
           std::uint64_t word3 = 0) {
    const std::size_t at = (position & (kSlots - 1)) * std::size_t{kLaneSlot};
    std::size_t offset = at;
    for (const std::uint64_t word : {word0, word1, word2, word3}) {
      FastMachine::store_word(slots.data(), offset, word);
      offset += 8;
    }
  }

  const LaneShape shape;
  LaneShared<FastMachine, Position> shared{};
  alignas(kCacheLine) std::array<std::byte, kSlots * kLaneSlot> slots{};
  alignas(kCacheLine) std::array<std::byte, kSlots * 256> side{};
  Writer writer{shared, slots.data(), side.data(), shape};
  LaneReader<FastMachine, Position> reader{shared, slots.data(), side.data(), shape};
  LaneRecord record;
};

}  // namespace comch::shm
