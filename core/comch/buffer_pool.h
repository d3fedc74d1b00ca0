// BufferPoolImpl: what stands behind a BufferPool.
//
// Threads, Lifetime: as BufferPool.
#pragma once

#include <cstddef>
#include <cstdint>

#include "comch/buffer.h"
#include "comch/buffer_impl.h"

namespace comch {

class BufferPoolImpl final : public BufferPool {
 public:
  BufferPoolImpl(std::size_t buffer_size, MemoryMapImpl& map)
      : buffer_size_(buffer_size), map_(map) {}
  ~BufferPoolImpl() override;

  static BufferPoolImpl& of(BufferPool& face) { return static_cast<BufferPoolImpl&>(face); }
  static const BufferPoolImpl& of(const BufferPool& face) {
    return static_cast<const BufferPoolImpl&>(face);
  }

  Status start();
  Status stop();
  Result<Buffer*> get();

  bool started() const { return started_; }
  std::size_t buffer_size() const { return buffer_size_; }

  BufferHome home{BufferHome::Counting::kByOwner};
  std::size_t alignment = 1;
  UserData user_data;

 private:
  // Where the buffers go: the first from `first` on, each `stride` behind the one before.
  struct Layout {
    std::size_t first = 0;
    std::size_t stride = 0;
  };
  Result<Layout> layout() const;

  const std::size_t buffer_size_;
  MemoryMapImpl& map_;
  bool started_ = false;
};

}  // namespace comch
