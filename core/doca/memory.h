// Memory maps and buffers behind their handles: the engine's own objects, under other names.
//
// Threads: as the objects.
#pragma once

#include <doca_buf.h>
#include <doca_mmap.h>

#include "comch/buffer.h"
#include "comch/memory_map.h"

namespace comch::doca {

inline MemoryMap& engine_of(doca_mmap& map) { return reinterpret_cast<MemoryMap&>(map); }
inline const MemoryMap& engine_of(const doca_mmap& map) {
  return reinterpret_cast<const MemoryMap&>(map);
}
inline doca_mmap* handle_of(MemoryMap* map) { return reinterpret_cast<doca_mmap*>(map); }

// Null stays null: a task without a buffer.
inline Buffer* engine_of(doca_buf* buffer) { return reinterpret_cast<Buffer*>(buffer); }
inline const Buffer* engine_of(const doca_buf* buffer) {
  return reinterpret_cast<const Buffer*>(buffer);
}
inline doca_buf* handle_of(Buffer* buffer) { return reinterpret_cast<doca_buf*>(buffer); }
inline const doca_buf* handle_of(const Buffer* buffer) {
  return reinterpret_cast<const doca_buf*>(buffer);
}

}  // namespace comch::doca
