// Memory maps, buffers and where they come from, behind their handles: the engine's own objects,
// under other names.
//
// Threads: as the objects; maps may be looked up by number from any thread.
#pragma once

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_buf_pool.h>
#include <doca_mmap.h>

#include <cstdint>
#include <memory>

#include "comch/buffer.h"
#include "comch/memory_map.h"

namespace comch::doca {

inline MemoryMap& engine_of(doca_mmap& map) { return reinterpret_cast<MemoryMap&>(map); }
inline const MemoryMap& engine_of(const doca_mmap& map) {
  return reinterpret_cast<const MemoryMap&>(map);
}
inline doca_mmap* handle_of(MemoryMap* map) { return reinterpret_cast<doca_mmap*>(map); }

#pragma GCC visibility push(default)  // Shared by the libraries of the C API.
// The map that doca_mmap_dev_get_dpa_handle() gave this number; null when it was stopped since,
// or there never was one.
MemoryMap* map_of_dpa_handle(std::uint32_t handle);
#pragma GCC visibility pop

// Null stays null: a task without a buffer.
inline Buffer* engine_of(doca_buf* buffer) { return reinterpret_cast<Buffer*>(buffer); }
inline const Buffer* engine_of(const doca_buf* buffer) {
  return reinterpret_cast<const Buffer*>(buffer);
}
inline doca_buf* handle_of(Buffer* buffer) { return reinterpret_cast<doca_buf*>(buffer); }
inline const doca_buf* handle_of(const Buffer* buffer) {
  return reinterpret_cast<const doca_buf*>(buffer);
}

inline BufferInventory& engine_of(doca_buf_inventory& inventory) {
  return reinterpret_cast<BufferInventory&>(inventory);
}
inline const BufferInventory& engine_of(const doca_buf_inventory& inventory) {
  return reinterpret_cast<const BufferInventory&>(inventory);
}

inline BufferPool& engine_of(doca_buf_pool& pool) { return reinterpret_cast<BufferPool&>(pool); }
inline const BufferPool& engine_of(const doca_buf_pool& pool) {
  return reinterpret_cast<const BufferPool&>(pool);
}

// Destroys what a handle stands for. An object that refuses stays the program's.
template <class Object>
Status destroy(Object& object) {
  std::unique_ptr<Object> owner(&object);
  Status status = Object::destroy(owner);
  static_cast<void>(owner.release());  // Null already, if it went.
  return status;
}

}  // namespace comch::doca
