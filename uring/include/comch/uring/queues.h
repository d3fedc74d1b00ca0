// Queues: the two queues of a Ring and the room for what is on its way from one to the other.
// Ring has the calls; this is here so that they are inline, and nothing to use by itself.
//
//   get()            submit()             finish()             advance()
//   ------> prepared ------> held, waiting, running ------> ready ------>
//          |<------------------ one slot is held ------------------->|
//
// There are as many completions as slots, and every operation holds a slot from get() until its
// completion is advanced over: so the completion queue cannot overflow, and it is get() that
// answers null when it would. A multishot receive holds one more for each of its buffers.
//
// What is prepared lies side by side, and is taken by submit() all at once. An operation that is
// not over by then moves to a place where it stays: keep().
//
// Threads: the ring's. Lifetime: the ring's. Errors: none.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "comch/uring/completion.h"
#include "comch/uring/submission.h"

namespace comch::uring {

class Queues {
 public:
  // Both are powers of two; std::bad_alloc when there is no memory for them.
  Queues(std::uint32_t entries, std::uint32_t slots)
      : entries_(entries),
        mask_(slots - 1),
        prepared_(std::make_unique<Submission[]>(entries)),
        kept_(std::make_unique<Operation*[]>(entries)),
        operations_(std::make_unique<Operation[]>(slots)),
        free_(std::make_unique<Operation*[]>(slots)),
        completions_(std::make_unique<Completion[]>(slots)) {
    for (std::uint32_t n = slots; n > 0; --n) put_back(operations_[n - 1]);
  }

  // The ends that an application holds.
  Submission* get() {
    if (prepared_count_ == prepared_most_ && !look_for_room()) [[unlikely]]
      return nullptr;
    Submission& submission = prepared_[prepared_count_++];
    submission.user_data = 0;
    submission.flags = 0;
    submission.op = Operation::Op::kNop;
    return &submission;
  }
  std::uint32_t space() const { return room() - prepared_count_; }
  std::uint32_t ready() const { return tail_ - head_; }
  const Completion& at(std::uint32_t n) const { return completions_[(head_ + n) & mask_]; }
  // Of completions without kMore.
  void advance(std::uint32_t count) {
    assert(count <= ready());
    head_ += count;
    held_ -= count;
  }

  // The ends that the ring's machine holds.
  // What is prepared, as it lies.
  std::span<const Operation> prepared() const {
    const Operation* const first = prepared_.get();  // A submission is nothing more, of its size.
    return {first, prepared_count_};
  }
  // The same, which is taken, and may be prepared anew when submit() is over.
  std::span<const Operation> take_prepared() {
    const std::span<const Operation> prepared = this->prepared();
    prepared_most_ -= prepared_count_;  // As many places fewer; there may be more again.
    held_ += std::exchange(prepared_count_, 0);
    return prepared;
  }
  // Those that last move to their places. The answer is good until this is called again.
  std::span<Operation* const> keep(std::span<const Operation> prepared) {
    std::size_t count = 0;
    for (const Operation& op : prepared) kept_[count++] = &keep(op);
    return {kept_.get(), count};
  }
  Operation& keep(const Operation& prepared) {
    Operation& op = *free_[--free_count_];
    op = prepared;
    return op;
  }
  std::span<Operation> operations() { return {operations_.get(), slots()}; }
  std::uint32_t slots() const { return mask_ + 1; }
  std::uint32_t held() const { return held_ + prepared_count_; }
  std::uint32_t index(const Operation& op) const {
    return static_cast<std::uint32_t>(&op - operations_.get());
  }
  std::uint32_t index(const Completion& completion) const {
    return static_cast<std::uint32_t>(&completion - completions_.get());
  }
  Operation& operation(std::uint32_t index) { return operations_[index]; }

  // The next completion, of which user_data and res are set and the rest is empty. The slot that
  // it takes is one that somebody holds.
  Completion& push(std::uint64_t user_data, std::int64_t res) {
    assert(ready() < slots());
    return write(completions_[tail_++ & mask_], user_data, res);
  }
  // Where the next completions go, as many as lie in a row, but at most `most`; written there,
  // the first `count` of them are pushed.
  std::span<Completion> next_places(std::uint32_t most) {
    const std::uint32_t first = tail_ & mask_;
    return {&completions_[first], std::min(most, slots() - first)};
  }
  void push(std::uint32_t count) {
    tail_ += count;
    assert(ready() <= slots());
  }
  // The same in a loop, which keeps the tail in a register: nothing else pushes meanwhile.
  class Pushing {
   public:
    explicit Pushing(Queues& queues)
        : queues_(queues),
          all_(queues.completions_.get()),
          mask_(queues.mask_),
          tail_(queues.tail_) {}
    ~Pushing() {
      queues_.tail_ = tail_;
      assert(queues_.ready() <= queues_.slots());
    }
    Pushing(const Pushing&) = delete;
    Pushing& operator=(const Pushing&) = delete;
    // Of the next one, as index() of the queues.
    std::uint32_t index() const { return tail_ & mask_; }
    // As push() of the queues.
    Completion& push(std::uint64_t user_data, std::int64_t res) {
      return write(all_[tail_++ & mask_], user_data, res);
    }

   private:
    Queues& queues_;
    Completion* const all_;
    const std::uint32_t mask_;
    std::uint32_t tail_;
  };
  // The operation is over; its slot is still held, by its completion. It is as good as new.
  void put_back(Operation& op) {
    op.state = Operation::State::kFree;
    op.cancelled = false;
    op.chained = 0;
    free_[free_count_++] = &op;
  }
  // The same of some that are as good as new already.
  void put_back(std::span<Operation* const> run) {
    std::ranges::copy(run, free_.get() + free_count_);
    free_count_ += static_cast<std::uint32_t>(run.size());
  }
  // More slots for a multishot receive; false: there are not so many.
  bool hold(std::uint32_t count) {
    if (count > slots() - held()) return false;
    held_ += count;
    prepared_most_ = prepared_count_;  // There is less room than was seen.
    return true;
  }
  void let_go(std::uint32_t count) { held_ -= count; }
  // When none is ready: the next completions are the first ones again. A ring that is emptied each
  // time thus needs no more lines of a cache than a batch has, however many places it has.
  void rewind() {
    assert(head_ == tail_);
    head_ = tail_ = 0;
  }
  // Past completions whose slots stay held.
  void step(std::uint32_t count) { head_ += count; }

 private:
  // In four stores, because member by member it is twice as many, and those of a send that is over
  // wait behind the ones to the lane.
  static Completion& write(Completion& completion, std::uint64_t user_data, std::int64_t res) {
    static_assert(std::is_trivially_copyable_v<Completion>);
    static_assert(offsetof(Completion, res) == sizeof user_data);
    using Pair [[gnu::vector_size(16)]] = std::int64_t;
    const Pair ends = {static_cast<std::int64_t>(user_data), res};
    std::memset(static_cast<void*>(&completion), 0, sizeof completion);
    std::memcpy(static_cast<void*>(&completion), &ends, sizeof ends);
    return completion;
  }
  // Of what may be prepared; what is, counts, too.
  std::uint32_t room() const { return std::min(entries_, slots() - held_); }
  bool look_for_room() {
    prepared_most_ = room();
    return prepared_count_ != prepared_most_;
  }

  const std::uint32_t entries_;
  const std::uint32_t mask_;
  std::uint32_t prepared_count_ = 0;
  std::uint32_t prepared_most_ = 0;  // Room that was there when somebody looked; there may be more.
  std::uint32_t held_ = 0;           // Slots, but for those of what is prepared.
  std::uint32_t head_ = 0;           // Both count up, and are masked to find a completion.
  std::uint32_t tail_ = 0;
  std::uint32_t free_count_ = 0;
  const std::unique_ptr<Submission[]> prepared_;
  const std::unique_ptr<Operation*[]> kept_;  // Of one keep().
  const std::unique_ptr<Operation[]> operations_;
  const std::unique_ptr<Operation*[]> free_;  // The last one was used last, and is in a cache.
  const std::unique_ptr<Completion[]> completions_;
};

}  // namespace comch::uring
