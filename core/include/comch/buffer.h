// Buffer: a part of a memory map, and the data in it. BufferInventory and BufferPool: where
// buffers come from.
//
//   head                data          data + data_length        head + length
//    |                    |                   |                       |
//    +--------------------+-------------------+-----------------------+
//    |                    |       data        |       tail room       |
//    +--------------------+-------------------+-----------------------+
//
//   auto inventory = BufferInventory::create(64).value();
//   inventory->start();
//   Buffer* message = inventory->get_by_data(*map, bytes).value();   // to send
//   Buffer* space = inventory->get_by_address(*map, bytes).value();  // to receive into
//   ...
//   space->drop_reference();     // The last one: back to the inventory.
//
// What is received is put behind the data. A sent buffer's data is only read, so one buffer
// may be in many sends at once.
//
// An inventory's buffers point wherever the caller says; a pool cuts one map into buffers of
// one size. Neither allocates once it is made, and getting and returning are O(1).
//
// Threads: an inventory or pool and the buffers it lends belong to one thread at a time;
// make one per thread. Several may use one map, from any threads.
//
// Lifetime: a buffer lives in its inventory or pool and is the holder's while it has
// references; the pointer is dead when the last is dropped. The map outlives the buffers,
// and so does the inventory: who resets its pointer without asking leaves them dangling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/context.h"
#include "comch/memory_map.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch {

class Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  std::byte* head() const { return head_; }
  std::size_t length() const { return length_; }
  std::byte* data() const { return data_; }
  std::size_t data_length() const { return data_length_; }
  std::span<std::byte> contents() const { return {data_, data_length_}; }  // The data.
  std::size_t tail_room() const {                                          // Bytes behind the data.
    return static_cast<std::size_t>((head_ + length_) - (data_ + data_length_));
  }
  bool posted() const { return posted_; }  // It is the consumer's until it comes back.
  MemoryMap& map() const;

  // Names the data. invalid_value: it does not lie inside. bad_state: the buffer is posted, and
  // the consumer's. It is unchanged then.
  Status set_data(std::byte* data, std::size_t length);
  Status set_data_length(std::size_t length);
  // No data; what is put behind begins where the data began. False: the buffer is posted, and the
  // consumer's; it is unchanged.
  bool reset_data_length() {
    if (posted_) [[unlikely]]
      return false;
    data_length_ = 0;
    return true;
  }

  // References. Both answer how many there were before.
  // too_big: 65,535 are the most. bad_state: the buffer is not lent.
  Result<std::uint16_t> add_reference();
  Result<std::uint16_t> drop_reference();
  std::uint16_t references() const;  // 0: it is not lent.

  // Lists of buffers are not supported: every buffer is a list of itself alone.
  Buffer* next_in_list() const { return nullptr; }
  Buffer* last_in_list() { return this; }
  bool is_first_in_list() const { return true; }
  bool is_last_in_list() const { return true; }
  bool is_in_list() const { return false; }
  std::uint32_t list_length() const { return 1; }
  // not_supported, always.
  Status chain(Buffer& list);
  // invalid_value, always: `list` is no part of this one.
  Status unchain(Buffer& list);

 protected:
  Buffer() = default;
  ~Buffer() = default;

  std::byte* head_ = nullptr;
  std::size_t length_ = 0;
  std::byte* data_ = nullptr;
  std::size_t data_length_ = 0;
  bool posted_ = false;
};

// Buffers an inventory or a pool may have: a descriptor is 64 bytes, so this is 1 GiB.
inline constexpr std::size_t kMaxBuffers = std::size_t{1} << 24;

class BufferInventory {
 public:
  // invalid_value: `buffers` is 0 or above kMaxBuffers. no_memory: there is none.
  static Result<std::unique_ptr<BufferInventory>> create(std::size_t buffers);
  // in_use: buffers are lent; `inventory` is unchanged. Else it is reset.
  static Status destroy(std::unique_ptr<BufferInventory>& inventory);

  BufferInventory(const BufferInventory&) = delete;
  BufferInventory& operator=(const BufferInventory&) = delete;
  virtual ~BufferInventory() = default;

  // While it is stopped an inventory lends nothing; what is lent stays so.
  Status start();
  Status stop();
  bool started() const;
  // Adds buffers; the only call besides create() that allocates.
  // invalid_value: 0, or more than kMaxBuffers in all. no_memory: there is none.
  Status expand(std::size_t buffers);

  // A buffer with one reference over `room`, with the data that is named.
  // bad_state: not started. no_memory: every buffer is lent. invalid_value: the map is not
  // started, `room` is empty or not inside its range, or the data not inside `room`.
  Result<Buffer*> get_by_args(MemoryMap& map, std::span<std::byte> room, std::span<std::byte> data);
  // No data, at the head: to receive into.
  Result<Buffer*> get_by_address(MemoryMap& map, std::span<std::byte> room);
  // All of it data: to send.
  Result<Buffer*> get_by_data(MemoryMap& map, std::span<std::byte> data);
  // Another buffer over the same room, with the same data; the bytes are not copied.
  // bad_state: this inventory or the source's map is not started, or `source` is not lent.
  // no_memory: every buffer is lent.
  Result<Buffer*> duplicate(const Buffer& source);

  std::uint32_t size() const;
  std::uint32_t available() const;  // Not lent.
  void set_user_data(UserData data);
  UserData user_data() const;

 protected:
  BufferInventory() = default;
};

class BufferPool {
 public:
  // invalid_value: a number is 0, `buffers` is above kMaxBuffers, or the map has no range.
  // no_memory: there is none.
  static Result<std::unique_ptr<BufferPool>> create(std::size_t buffers, std::size_t buffer_size,
                                                    MemoryMap& map);
  // in_use: buffers are lent; `pool` is unchanged. Else it is stopped and reset.
  static Status destroy(std::unique_ptr<BufferPool>& pool);

  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  virtual ~BufferPool() = default;

  // Where each buffer begins: at a multiple of this. Default 1.
  // bad_state: started. invalid_value: no power of two.
  Status set_alignment(std::size_t alignment);
  // bad_state: started.
  Status set_user_data(UserData data);

  // From here to stop() all of the pool's buffers count as pointing into the map, lent or
  // not, so that getting and returning one touches nothing that threads share.
  // bad_state: the map is not started, or the pool is. initialization: the map's range is
  // too small for so many.
  Status start();
  // in_use: buffers are lent. bad_state: not started.
  Status stop();
  bool started() const;

  // A buffer with one reference and no data.
  // bad_state: not started. empty: every buffer is lent.
  Result<Buffer*> get();

  std::uint32_t size() const;
  std::uint32_t available() const;
  std::size_t alignment() const;
  std::size_t buffer_size() const;
  UserData user_data() const;

 protected:
  BufferPool() = default;
};

}  // namespace comch
#pragma GCC visibility pop
