// Pooling: multishot receives: buffers that are posted again when the completions of their messages
// are advanced over.
//
//   begin ---> refilling ---cancel, or the consumer ends---> each buffer gets its message, or comes
//   back ---> over ---> its completions are advanced over
//
// Threads: the ring's. Lifetime: the ring's. Errors: results of operations.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "ends.h"
#include "messages.h"
#include "order.h"
#include "outcome.h"

namespace comch::uring {

template <class Kinds>
class Pooling {
 public:
  using End = SourceOf<Kinds>;

  Pooling(Queues& queues, Order& order, Messages& messages, std::uint32_t& multishots)
      : queues_(queues),
        order_(order),
        messages_(messages),
        multishots_(multishots),
        sorted_(std::make_unique_for_overwrite<const Buffer*[]>(queues.slots())) {}

  // Sources have numbers, by which completions name them.
  void add(End& end) {
    const auto free = std::ranges::find(ends_, nullptr);
    end.number = static_cast<std::uint32_t>(free - ends_.begin());
    if (free == ends_.end()) ends_.push_back(nullptr);
    ends_[end.number] = &end;
  }
  void remove(const End& end) { ends_[end.number] = nullptr; }

  static bool has_completion(const Completion& completion) {
    return (completion.flags & (kMore | kView | kArrival)) == kMore;
  }

  void begin(Operation& op, End& end) {
    const std::span pool(op.what.pool, op.amount);
    const std::int64_t res = check(op, end, pool);
    if (res < 0) {
      order_.finish(op, res);
      return;
    }
    const auto posted = end.consumer.post(pool);
    if (!posted || *posted != pool.size()) {
      assert(!posted || *posted == 0);  // What it has taken could not be taken back.
      queues_.let_go(static_cast<std::uint32_t>(pool.size()));
      order_.finish(op, posted ? -EINVAL : refusal_of(end.consumer, posted.error()));
      return;
    }
    op.state = Operation::State::kRunning;
    end.pool = {.op = &op,
                .posted = static_cast<std::uint32_t>(pool.size()),
                .refilling = true,
                .queued = 0,
                .is_of_none = pool.front() == nullptr,
                .begun = end.pool.begun + pool.size()};
    ++multishots_;
  }
  // Its buffers are posted no more. False: it is ending.
  bool cancel(End& end) {
    if (!std::exchange(end.pool.refilling, false)) return false;
    if (end.pool.posted == 0) finish(end, -ECANCELED);
    return true;
  }

  // Messages in buffers of the pool, which are all that is posted: the consumer writes them where
  // their completions lie. `poll` says that it does, once or more often.
  template <class Poll>
  [[gnu::always_inline]] bool take(End& end, Poll poll) {
    const std::span<Completion> places =
        queues_.next_places(std::min<std::uint32_t>(end.pool.posted, kTogether));
    const std::uint64_t user_data = end.pool.op->user_data;
    const std::uint32_t flags = flags_of(end);
    const std::span<Incoming> records(static_cast<Incoming*>(places.data()), places.size());
    const std::size_t count = poll([&] { return end.consumer.poll(records, user_data, flags); });
    if (count == 0) return false;
    for (Completion& completion : places.first(count)) {
      if (completion.immediate_size != 0) [[unlikely]]
        messages_.keep(completion);
    }
    queues_.push(static_cast<std::uint32_t>(count));
    note_delivered(end, static_cast<std::uint32_t>(count));
    return true;
  }
  // A message in a buffer of the pool, beside which others are posted.
  void deliver(End& end, const Received& received) {
    Completion& completion = queues_.push(end.pool.op->user_data, 0);
    completion.flags = flags_of(end);
    messages_.describe(completion, received);
    completion.res = static_cast<std::int64_t>(completion.size);
    note_delivered(end, 1);
  }
  // Of buffers that come back from a consumer that has ended, one of the pool.
  void take_back(End& end) {
    --end.pool.posted;
    end.pool.refilling = false;
  }
  // None comes back after these.
  void end_if_empty(End& end, std::int64_t res) {
    if (end.pool.op != nullptr && end.pool.posted == 0) finish(end, res);
  }

  // Past the oldest completions, as many of `count` as are neighbours of one pool; answers how
  // many those are.
  std::uint32_t advance(std::uint32_t count) {
    End& end = end_of(queues_.at(0));
    const bool refilling = end.pool.refilling;
    // Most often nothing else is in the queue, and none needs to be asked.
    const bool alone = end.pool.queued == queues_.ready();
    const std::uint32_t most = std::min<std::uint32_t>(count, kTogether);
    std::uint32_t passed = 0;
    for (; passed < most; ++passed) {
      const Completion& completion = queues_.at(passed);
      if (!alone && !is_of(completion, end)) break;
      if ((completion.flags & kHandedOver) != 0) [[unlikely]] {
        // Its producer may be gone; then there is nobody to give it to.
        std::ignore = end.consumer.give_back(completion.handed_over());
      }
      if (completion.buffer != nullptr && refilling) completion.buffer->reset_data_length();
      together_[passed] = completion.buffer;
    }
    queues_.step(passed);
    refill(end, std::span(together_).first(passed));
    return passed;
  }

 private:
  static constexpr std::size_t kTogether = 64;

  std::int64_t check(const Operation& op, const End& end, std::span<Buffer* const> pool) {
    if (pool.empty() || op.chained != 0) return -EINVAL;
    if (end.pool.op != nullptr || end.pool.queued != 0) return -EBUSY;
    // All of one map, each once and none posted: then the consumer takes all of them or not even
    // the first.
    const Buffer* const first = pool.front();
    for (const Buffer* buffer : pool) {
      if ((buffer == nullptr) != (first == nullptr)) return -EINVAL;
      if (buffer == nullptr) continue;
      if (buffer->references() == 0 || &buffer->map() != &first->map()) return -EINVAL;
      if (buffer->posted()) return -EINVAL;
    }
    if (pool.size() > end.consumer.tasks() - end.consumer.posted()) return -ENOBUFS;
    if (!queues_.hold(static_cast<std::uint32_t>(pool.size()))) return -ENOBUFS;
    if (first == nullptr || !has_repeated(pool)) return 0;
    queues_.let_go(static_cast<std::uint32_t>(pool.size()));
    return -EINVAL;
  }
  // No more than there are places.
  bool has_repeated(std::span<Buffer* const> pool) {
    const std::span sorted(sorted_.get(), pool.size());
    std::ranges::copy(pool, sorted.begin());
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }

  static std::uint32_t flags_of(const End& end) { return kMore | end.number << kFlagBits; }
  End& end_of(const Completion& completion) const { return *ends_[completion.flags >> kFlagBits]; }
  bool is_of(const Completion& completion, const End& end) const {
    return has_completion(completion) && &end_of(completion) == &end;
  }
  void note_delivered(End& end, std::uint32_t count) {
    end.pool.posted -= count;
    end.pool.queued += count;
    if (!end.pool.refilling && end.pool.posted == 0) [[unlikely]]
      finish(end, -ECANCELED);
  }
  // Buffers of completions that are advanced over, back to their pool.
  void refill(End& end, std::span<Buffer* const> buffers) {
    Pool& pool = end.pool;
    const auto count = static_cast<std::uint32_t>(buffers.size());
    pool.queued -= count;
    if (!pool.refilling) {
      // Of a pool that is over these places were kept; of one that ends, until it is.
      if (pool.op == nullptr) queues_.let_go(count);
      if (pool.op == nullptr && pool.queued == 0) --multishots_;
      return;
    }
    const auto posted = end.consumer.post(buffers);
    pool.posted += static_cast<std::uint32_t>(posted.value_or(0));
    pool.begun += posted.value_or(0);
    if (posted.value_or(0) == count) [[likely]]
      return;
    // The consumer is ending; what it still has comes back through take_back().
    pool.refilling = false;
    if (pool.posted == 0) finish(end, ending_of(end.consumer));
  }

  // Completions that are not advanced over keep their places until they are.
  [[gnu::noinline]] void finish(End& end, std::int64_t res) {
    Operation& op = *std::exchange(end.pool.op, nullptr);
    end.pool.refilling = false;
    queues_.let_go(static_cast<std::uint32_t>(op.amount) - end.pool.queued);
    if (end.pool.queued == 0) --multishots_;
    order_.finish(op, res);
  }

  Queues& queues_;
  Order& order_;
  Messages& messages_;
  std::uint32_t& multishots_;
  std::vector<End*> ends_;                         // By number; null: it is free.
  const std::unique_ptr<const Buffer*[]> sorted_;  // Of one pool that is to begin.
  std::array<Buffer*, kTogether> together_;
};

}  // namespace comch::uring
