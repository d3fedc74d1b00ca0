// BufferImpl: what stands behind a Buffer, and BufferHome: the place that lends buffers and
// that they go back to.
//
//   BufferImpl* buffer = home.lend();        // nullptr: every buffer is lent
//   buffer->point(map, room, data);
//   buffer->set_data_length_unchecked(n);    // the fast path, once per message
//   buffer->drop();                          // the last reference: back home
//
// A buffer is one cache line and nothing of it is atomic: it belongs, with its home, to one
// thread at a time. Only a map's count of buffers is shared (see memory_map_impl.h).
//
// Threads: one at a time. Lifetime: buffers lie in their home.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "comch/buffer.h"
#include "comch/memory_map_impl.h"

namespace comch {

class BufferHome;

class alignas(64) BufferImpl final : public Buffer {
 public:
  static constexpr std::uint16_t kMaxReferences = std::numeric_limits<std::uint16_t>::max();

  BufferImpl() = default;

  static BufferImpl& of(Buffer& face) { return static_cast<BufferImpl&>(face); }
  static const BufferImpl& of(const Buffer& face) { return static_cast<const BufferImpl&>(face); }

  std::byte* tail() const { return data_ + data_length_; }
  MemoryMapImpl& map() const { return *map_; }
  // Where the head lies in the map's memfd, for a peer that has mapped it.
  std::uint64_t offset_in_map() const {
    return static_cast<std::uint64_t>(head_ - map_->bytes().data());
  }

  // Whether `size` bytes from `data` on lie inside.
  bool holds(const std::byte* data, std::size_t size) const {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(head_);
    return contains(length_, {offset, size});
  }

  // The caller knows that they hold.
  void set_data_unchecked(std::byte* data, std::size_t length) {
    assert(holds(data, length));
    data_ = data;
    data_length_ = length;
  }
  void set_data_length_unchecked(std::size_t length) { set_data_unchecked(data_, length); }
  // The data has become `size` bytes longer.
  void append_unchecked(std::size_t size) { set_data_unchecked(data_, data_length_ + size); }

  // Posted, it is a consumer's: nobody else posts it, or says where its data is.
  void begin_posting() { posted_ = true; }
  // So many bytes have come behind the data.
  void end_posting(std::size_t bytes) {
    posted_ = false;
    append_unchecked(bytes);
  }

  std::uint16_t references() const { return references_; }
  // The caller knows that the buffer is lent and that there are fewer than kMaxReferences.
  void add() {
    assert(references_ > 0 && references_ < kMaxReferences);
    ++references_;
  }
  // The caller has a reference. True: it was the last, and the buffer is home.
  inline bool drop();

  // A lent buffer's new place; the ranges are inside each other and the map.
  void point(MemoryMapImpl& map, std::span<std::byte> room, std::span<std::byte> data) {
    map_ = &map;
    head_ = room.data();
    length_ = room.size();
    set_data_unchecked(data.data(), data.size());
  }

 private:
  friend class BufferHome;

  std::uint16_t references_ = 0;  // 0: at home.
  MemoryMapImpl* map_ = nullptr;
  BufferHome* home_ = nullptr;
  BufferImpl* next_free_ = nullptr;
};

static_assert(sizeof(BufferImpl) == 64, "the fast path touches one line per buffer");

class BufferHome {
 public:
  // Whether each lent buffer is counted by its map. A pool counts for all at once.
  enum class Counting : std::uint8_t { kEach, kByOwner };

  explicit BufferHome(Counting counting) : counting_(counting) {}
  BufferHome(const BufferHome&) = delete;
  BufferHome& operator=(const BufferHome&) = delete;

  // invalid_value: 0, or more than kMaxBuffers in all. no_memory: there is none.
  Status add(std::size_t buffers);

  std::uint32_t size() const { return size_; }
  std::uint32_t available() const { return available_; }
  bool all_home() const { return available_ == size_; }

  // A buffer with one reference, pointing where it last did; nullptr: every one is lent.
  // The one that came back last is lent next: it is the one most likely in the cache.
  BufferImpl* lend() {
    BufferImpl* buffer = free_;
    if (buffer == nullptr) return nullptr;
    free_ = std::exchange(buffer->next_free_, nullptr);
    --available_;
    buffer->references_ = 1;
    buffer->posted_ = false;  // Whoever posted it has let go of it.
    return buffer;
  }

  void take_back(BufferImpl& buffer) {
    if (counting_ == Counting::kEach) buffer.map_->remove_buffers();
    buffer.next_free_ = std::exchange(free_, &buffer);
    ++available_;
  }

  // Calls `use` for every buffer, in the order of making.
  template <class Use>
  void for_each(Use use) {
    for (Block& block : blocks_) {
      for (std::size_t n = 0; n < block.count; ++n) use(block.buffers[n]);
    }
  }

 private:
  struct Block {
    std::unique_ptr<BufferImpl[]> buffers;
    std::size_t count;
  };

  const Counting counting_;
  std::uint32_t size_ = 0;
  std::uint32_t available_ = 0;
  BufferImpl* free_ = nullptr;
  std::vector<Block> blocks_;
};

inline bool BufferImpl::drop() {
  assert(references_ > 0);
  if (--references_ != 0) return false;
  home_->take_back(*this);
  return true;
}

}  // namespace comch
