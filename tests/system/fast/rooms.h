// Rooms: a memory map cut into equal rooms, for messages to lie in; and what to fill them with.
//
//   Rooms rooms(8, 4096, Rooms::Kind::kPrivate);
//   fill(rooms.bytes(0), seed);
//   Buffer* message = rooms.data(0, 4000);
//
// Behind each room is a gap that nobody has to touch; who did is found when the rooms go.
//
// Threads: one at a time. Lifetime: buffers are given back before their rooms go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/comch.h"

namespace comch::test {

// Bytes that are another message's, or misplaced, or missing, differ from these.
void fill(std::span<std::byte> to, std::uint64_t seed);
[[nodiscard]] bool holds(std::span<const std::byte> bytes, std::uint64_t seed);

class Rooms {
 public:
  // kShared   in a memfd of the map's, which the other side can map
  // kPrivate  as malloc() gives it
  // kHuge     in huge pages of the pool, as far as there are any
  enum class Kind : std::uint8_t { kShared, kPrivate, kHuge };

  Rooms(std::size_t count, std::size_t size, Kind kind = Kind::kShared);
  // One room, in memory of the caller's.
  explicit Rooms(std::span<std::byte> memory);
  ~Rooms();
  Rooms(const Rooms&) = delete;
  Rooms& operator=(const Rooms&) = delete;

  MemoryMap& map() { return *map_; }
  // Somebody may write all over them, and has the right to.
  void give_away() { guarded_ = false; }
  std::size_t count() const { return count_; }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes(std::size_t n) const { return memory_.subspan(n * pitch_, size_); }
  Buffer* empty(std::size_t n);  // Room `n`, without data.
  Buffer* data(std::size_t n, std::size_t length);
  std::size_t of(const Buffer& buffer) const;  // Which room it is in.

 private:
  void start();
  // What is behind room `n`.
  std::span<std::byte> gap(std::size_t n) const;

  const std::size_t count_;
  const std::size_t size_;
  const std::size_t pitch_;  // From one room to the next.
  std::unique_ptr<MemoryMap> map_ = MemoryMap::create().value();
  std::unique_ptr<BufferInventory> inventory_;
  void* own_ = nullptr;
  std::span<std::byte> memory_;
  bool guarded_ = true;
};

}  // namespace comch::test
