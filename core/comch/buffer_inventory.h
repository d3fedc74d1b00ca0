// BufferInventoryImpl: what stands behind a BufferInventory.
//
// Threads, Lifetime: as BufferInventory.
#pragma once

#include <cstdint>
#include <span>

#include "comch/buffer.h"
#include "comch/buffer_impl.h"

namespace comch {

class BufferInventoryImpl final : public BufferInventory {
 public:
  BufferInventoryImpl() = default;
  ~BufferInventoryImpl() override;

  static BufferInventoryImpl& of(BufferInventory& face) {
    return static_cast<BufferInventoryImpl&>(face);
  }
  static const BufferInventoryImpl& of(const BufferInventory& face) {
    return static_cast<const BufferInventoryImpl&>(face);
  }

  // See BufferInventory::get_by_args().
  Result<Buffer*> get(MemoryMapImpl& map, std::span<std::byte> room, std::span<std::byte> data);
  Result<Buffer*> duplicate(const BufferImpl& source);

  BufferHome home{BufferHome::Counting::kEach};
  bool started = false;
  UserData user_data;
};

}  // namespace comch
