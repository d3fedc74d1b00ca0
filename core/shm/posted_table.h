// PostedTable: what a consumer remembers of its posted buffers, privately. A producer names
// one by its index; what it may do with it is what stands here.
//
//   const std::uint16_t index = table.choose(wish);
//   table.post(index, name, offset, capacity);
//   const PostedTable::Entry* entry = table.find(record.index, record.length);
//   if (entry == nullptr) return break_connection();    // No correct producer says that.
//   ...
//   table.complete(record.index);                       // The index is free again.
//
// The caller wishes for an index, which makes it predictable (posted_run.h), and gets another one
// where that is still posted, because some producer takes its time.
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
    std::uint64_t word = 0;    // The name (16), and the bytes and one more; 0: not posted.

    [[nodiscard]] std::uint64_t limit() const { return word >> 16U; }
    [[nodiscard]] std::uint64_t capacity() const { return limit() - 1; }  // 0 without a buffer.
    // By which its poster knows it.
    [[nodiscard]] std::uint16_t name() const { return static_cast<std::uint16_t>(word); }
  };

  // One entry for each index, none posted.
  explicit PostedTable(std::span<Entry> entries) : entries_(entries) {}

  // `wish`, or another index if that is posted. They are not all posted.
  [[nodiscard]] std::uint16_t choose(std::uint16_t wish) const {
    assert(wish < entries_.size() && posted_ < entries_.size());
    if (posted(wish)) [[unlikely]]
      return find_free(wish);
    return wish;
  }

  // `name`: the caller's.
  void post(std::uint16_t index, std::uint16_t name, std::uint64_t offset, std::uint64_t capacity) {
    put(index, name, offset, capacity);
    count_put(1);
  }
  // The same in a loop, behind which the caller says how many there were.
  void put(std::uint16_t index, std::uint16_t name, std::uint64_t offset, std::uint64_t capacity) {
    assert(index < entries_.size() && !posted(index));
    entries_[index] = {offset, (capacity + 1) << 16U | name};
  }
  void count_put(std::size_t entries) { posted_ += static_cast<std::uint32_t>(entries); }

  // The buffer that a producer says it has put `length` bytes into. Null: there is no such
  // index, it is not posted (or was completed already), or the bytes would not fit.
  [[nodiscard]] Entry* find(std::uint16_t index, std::uint64_t length) const {
    if (index >= entries_.size()) return nullptr;
    Entry& entry = entries_[index];
    return length < entry.limit() ? &entry : nullptr;
  }

  // Takes a posted index back, so that no second message can name it.
  void complete(std::uint16_t index) {
    assert(index < entries_.size());
    complete(entries_[index]);
  }
  // The same of what find() has answered.
  void complete(Entry& entry) {
    assert(entry.word != 0);
    entry.word = 0;
    --posted_;
  }

  [[nodiscard]] bool posted(std::uint16_t index) const { return entries_[index].word != 0; }
  [[nodiscard]] std::uint32_t posted() const { return posted_; }  // Not completed.

  // Completes every posted index, and hands the name of each to `each`: the peer is gone.
  template <class Each>
  void complete_all(Each&& each) {
    for (std::uint32_t index = 0; index < entries_.size(); ++index) {
      const Entry entry = entries_[index];
      if (entry.word == 0) continue;
      complete(static_cast<std::uint16_t>(index));
      each(entry.name());
    }
  }

 private:
  // Where indexes are wished for in turn, half the table on is the one that is wished for last.
  // Apart, for it needs the registers of those who post.
  [[gnu::noinline]] std::uint16_t find_free(std::uint16_t wish) const {
    std::size_t index = wish + entries_.size() / 2;
    while (posted(static_cast<std::uint16_t>(index % entries_.size()))) ++index;
    return static_cast<std::uint16_t>(index % entries_.size());
  }

  const std::span<Entry> entries_;
  std::uint32_t posted_ = 0;
};

}  // namespace comch::shm
