// Queues: the two queues of a Ring and the room for what is on its way from one to the other.
// Ring has the calls; this is here so that they are inline, and nothing to use by itself.
//
//   get()        submit()             finish()             advance()
//   free ------> pending ------> held, waiting, running ------> ready ------> free
//        |<-------------------- one slot is held ------------------------>|
//
// There are as many completions as slots, and every operation holds a slot from get() until its
// completion is advanced over: so the completion queue cannot overflow, and it is get() that
// answers null when it would. A multishot receive holds one more for each of its buffers.
//
// Threads: the ring's. Lifetime: the ring's. Errors: none.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/uring/completion.h"
#include "comch/uring/submission.h"

namespace comch::uring {

class Queues {
 public:
  // Both are powers of two; std::bad_alloc when there is no memory for them.
  Queues(std::uint32_t entries, std::uint32_t slots)
      : entries_(entries),
        mask_(slots - 1),
        operations_(std::make_unique<Submission[]>(slots)),
        free_(std::make_unique<Submission*[]>(slots)),
        pending_(std::make_unique<Submission*[]>(entries)),
        completions_(std::make_unique<Completion[]>(slots)) {
    for (std::uint32_t n = slots; n > 0; --n) put_back(operations_[n - 1]);
  }

  // The ends that an application holds.
  Submission* get() {
    if (pending_count_ == entries_ || held_ > mask_) return nullptr;
    Submission& op = *free_[--free_count_];
    op.user_data = 0;
    op.flags = 0;
    op.op_ = Submission::Op::kNop;
    ++held_;
    pending_[pending_count_++] = &op;
    return &op;
  }
  std::uint32_t space() const {
    const std::uint32_t slots = mask_ + 1 - held_;
    return entries_ - pending_count_ < slots ? entries_ - pending_count_ : slots;
  }
  std::uint32_t ready() const { return tail_ - head_; }
  const Completion& at(std::uint32_t n) const { return completions_[(head_ + n) & mask_]; }
  // Of completions without kMore.
  void advance(std::uint32_t count) {
    assert(count <= ready());
    head_ += count;
    held_ -= count;
  }

  // The ends that the ring's machine holds.
  std::span<Submission* const> pending() const { return {pending_.get(), pending_count_}; }
  void clear_pending() { pending_count_ = 0; }
  std::span<Submission> operations() { return {operations_.get(), slots()}; }
  std::uint32_t slots() const { return mask_ + 1; }
  std::uint32_t held() const { return held_; }
  std::uint32_t index(const Submission& op) const {
    return static_cast<std::uint32_t>(&op - operations_.get());
  }
  std::uint32_t index(const Completion& completion) const {
    return static_cast<std::uint32_t>(&completion - completions_.get());
  }
  Submission& operation(std::uint32_t index) { return operations_[index]; }

  // The next completion, of which user_data and res are set and the rest is empty. The slot that
  // it takes is one that somebody holds.
  Completion& push(std::uint64_t user_data, std::int64_t res) {
    assert(ready() < slots());
    Completion& completion = completions_[tail_++ & mask_];
    completion = Completion();
    completion.user_data = user_data;
    completion.res = res;
    return completion;
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
    // The next completion, of which nothing is set: all of it is to be written.
    Completion& next() { return all_[tail_++ & mask_]; }

   private:
    Queues& queues_;
    Completion* const all_;
    const std::uint32_t mask_;
    std::uint32_t tail_;
  };
  // The operation is over; its slot is still held, by its completion. It is as good as new.
  void put_back(Submission& op) {
    op.state_ = Submission::State::kFree;
    op.cancelled_ = false;
    op.chained_ = 0;
    free_[free_count_++] = &op;
  }
  // The same of some that are as good as new already.
  void put_back(std::span<Submission* const> run) {
    std::ranges::copy(run, free_.get() + free_count_);
    free_count_ += static_cast<std::uint32_t>(run.size());
  }
  // More slots for a multishot receive; false: there are not so many.
  bool hold(std::uint32_t count) {
    if (count > slots() - held_) return false;
    held_ += count;
    return true;
  }
  void let_go(std::uint32_t count) { held_ -= count; }
  // Past completions whose slots stay held.
  void step(std::uint32_t count) { head_ += count; }

 private:
  const std::uint32_t entries_;
  const std::uint32_t mask_;
  std::uint32_t pending_count_ = 0;
  std::uint32_t held_ = 0;
  std::uint32_t head_ = 0;  // Both count for ever, and are masked to find a completion.
  std::uint32_t tail_ = 0;
  std::uint32_t free_count_ = 0;
  const std::unique_ptr<Submission[]> operations_;
  const std::unique_ptr<Submission*[]> free_;  // The last one was used last, and is in a cache.
  const std::unique_ptr<Submission*[]> pending_;
  const std::unique_ptr<Completion[]> completions_;
};

}  // namespace comch::uring
