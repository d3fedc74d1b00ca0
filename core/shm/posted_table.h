// PostedTable: what a consumer remembers of its posted buffers, privately. A producer names
// one by its index; what it may do with it is what stands here.
//
//   table.post(index, {.offset = ..., .capacity = ...});
//   const PostedTable::Entry* entry = table.find(record.index, record.length);
//   if (entry == nullptr) return break_connection();    // No correct producer says that.
//   ...
//   table.complete(record.index);                       // The index is free again.
//
// Threads: the consumer's. Lifetime: the entries are the caller's and outlive the table.
// Errors: find() answers null for what a correct producer cannot say.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>

namespace comch::shm {

class PostedTable {
 public:
  struct Entry {
    std::uint64_t offset = 0;  // Of the room in the memory map.
    std::uint64_t limit = 0;   // Its bytes and one more; 0: not posted.

    [[nodiscard]] std::uint64_t capacity() const { return limit - 1; }  // 0 without a buffer.
  };

  // One entry for each index, none posted.
  explicit PostedTable(std::span<Entry> entries) : entries_(entries) {}

  void post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity) {
    assert(index < entries_.size() && !posted(index));
    entries_[index] = {offset, capacity + 1};
    ++posted_;
  }

  // The buffer that a producer says it has put `length` bytes into. Null: there is no such
  // index, it is not posted (or was completed already), or the bytes would not fit.
  [[nodiscard]] const Entry* find(std::uint16_t index, std::uint64_t length) const {
    if (index >= entries_.size()) return nullptr;
    const Entry& entry = entries_[index];
    return length < entry.limit ? &entry : nullptr;
  }

  // Takes a posted index back, so that no second message can name it.
  void complete(std::uint16_t index) {
    assert(index < entries_.size() && posted(index));
    entries_[index].limit = 0;
    --posted_;
  }

  [[nodiscard]] bool posted(std::uint16_t index) const { return entries_[index].limit != 0; }
  [[nodiscard]] std::uint32_t posted() const { return posted_; }  // Not completed.

  // Completes every posted index, each after handing it to `each`: the peer is gone.
  template <class Each>
  void complete_all(Each&& each) {
    for (std::uint32_t index = 0; index < entries_.size(); ++index) {
      if (entries_[index].limit == 0) continue;
      complete(static_cast<std::uint16_t>(index));
      each(static_cast<std::uint16_t>(index));
    }
  }

 private:
  const std::span<Entry> entries_;
  std::uint32_t posted_ = 0;
};

}  // namespace comch::shm
