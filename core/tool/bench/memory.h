// Memory: a memory map of a benchmark's own, cut into buffers of one size.
//
//   auto memory = Memory::create(buffers, size, Storage::kComch, device).value();
//   for (Buffer* buffer : memory->buffers()) ...
//
// Every buffer is full of data; who receives into one resets it first.
//
// Threads: one at a time.
// Lifetime: it outlives the consumer that is made with its map, and the sends of its buffers.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "comch/buffer.h"
#include "comch/memory_map.h"
#include "comch/result.h"
#include "tool/bench/fast_plan.h"
#include "tool/bench/own_bytes.h"

namespace comch::tool {

class Memory {
 public:
  static Result<std::unique_ptr<Memory>> create(std::size_t buffers, std::size_t size,
                                                Storage storage, std::shared_ptr<Device> device);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  MemoryMap& map() { return *map_; }
  std::span<Buffer* const> buffers() const { return buffers_; }

 private:
  Memory() = default;
  Status take(Storage storage, std::size_t bytes);
  Status fill(std::size_t buffers, std::size_t size);

  OwnBytes own_;  // Of Storage::kProgram.
  std::unique_ptr<MemoryMap> map_;
  std::unique_ptr<BufferInventory> inventory_;
  std::vector<Buffer*> buffers_;
};

}  // namespace comch::tool
