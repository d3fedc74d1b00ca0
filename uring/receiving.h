// Receiving: operations on sources: buffers posted once, those whose messages go on to a file or
// socket, and pools that are posted again.
//
// Threads: the ring's. Lifetime: the ring's; sources outlive what is posted through them.
// Errors: results of operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "ends.h"
#include "order.h"
#include "outcome.h"
#include "storing.h"
#include "viewing.h"

namespace comch::uring {

template <class Kinds>
class Receiving {
 public:
  using End = SourceOf<Kinds>;
  using Op = Submission::Op;
  using State = Submission::State;
  using Run = std::span<Submission* const>;

  Receiving(Queues& queues, Order& order, Storing<Kinds>& storing, std::uint32_t& multishots)
      : queues_(queues),
        order_(order),
        storing_(storing),
        multishots_(multishots),
        viewing_(queues, order, multishots),
        refills_(std::make_unique<End*[]>(queues.slots())) {}

  Result<End*> add(Kinds::Consumer& consumer) {
    for (const auto& end : ends_) {
      if (&end->consumer == &consumer) return fail(Errc::already_exist, "it is registered");
    }
    if (consumer.immediate_size() != 0 && immediates_ == nullptr) {
      immediates_ = std::make_unique<Immediate[]>(queues_.slots());
    }
    return ends_.emplace_back(std::make_unique<End>(consumer)).get();
  }
  Status remove(End& end) {
    if (end.has_posted() || end.pool.op != nullptr || end.pool.queued != 0) {
      return fail(Errc::in_use, "buffers are posted; stop the consumer");
    }
    if (end.views.op != nullptr || end.views.shown != 0) {
      return fail(Errc::in_use, "messages are looked at; cancel that, and advance over them");
    }
    std::erase_if(ends_, [&end](const auto& owned) { return owned.get() == &end; });
    return {};
  }

  // Receives that are neighbours and of one source.
  void post(Run run) {
    End& end = of(*run.front());
    while (!run.empty()) {
      const std::size_t count = std::min(run.size(), kTogether);
      for (std::size_t n = 0; n < count; ++n) together_[n] = run[n]->data_.buffer;
      const auto posted = end.consumer.post(std::span(together_).first(count));
      const std::size_t took = posted.value_or(0);
      for (Submission* op : run.first(took)) {
        op->state_ = State::kRunning;
        end.posted.push_back(*op);
      }
      run = run.subspan(took);
      if (took == count) continue;
      finish(*run.front(), posted ? refusal(end) : ending_or(end, posted.error()));
      run = run.subspan(1);
    }
  }

  // One whose message goes on.
  void post_to_store(Submission& op) {
    const std::int64_t res = storing_.prepare(op);
    if (res < 0) {
      order_.finish(op, res);
      return;
    }
    const std::array one{&op};
    post(one);
  }
  // It has gone on, or has not.
  void on_stored(Transfer& t) {
    Completion& completion = order_.finish(*t.op, t.res);
    fill(completion, t.received);
    storing_.release(t);
  }

  void post_pool(Submission& op) {
    End& end = of(op);
    const std::span pool(op.data_.pool, op.length_);
    const std::int64_t res = check_pool(op, end, pool);
    if (res < 0) {
      order_.finish(op, res);
      return;
    }
    const auto posted = end.consumer.post(pool);
    if (!posted || *posted != pool.size()) {
      queues_.let_go(static_cast<std::uint32_t>(pool.size()));
      order_.finish(op, posted ? -EINVAL : ending_or(end, posted.error()));
      return;
    }
    op.state_ = State::kRunning;
    end.pool = {.op = &op,
                .posted = static_cast<std::uint32_t>(pool.size()),
                .queued = 0,
                .refilling = true};
    ++multishots_;
  }
  void view(Submission& op) { viewing_.begin(op, of(op)); }
  bool cancel_view(Submission& op) {
    viewing_.cancel(of(op));
    return true;
  }
  // Of a multishot receive that runs: its buffers are posted no more. False: it is ending.
  bool cancel(Submission& op) {
    End& end = of(op);
    if (!std::exchange(end.pool.refilling, false)) return false;
    if (end.pool.posted == 0) end_pool(end, -ECANCELED);
    return true;
  }

  // Takes what has arrived; true: something was done.
  bool look() {
    bool did = false;
    for (const auto& end : ends_) {
      if (end->has_posted()) {
        did = take(*end) || did;
      } else if (end->views.op != nullptr) {
        did = viewing_.take(*end) || did;
      }
    }
    return did;
  }
  // What was posted comes back from consumers that have ended; true: something did.
  bool look_for_ends() {
    bool did = false;
    for (const auto& end : ends_) {
      if (end->consumer.state() == ContextState::kRunning) continue;
      if (end->has_posted()) did = take_back(*end) || did;
      if (end->views.op != nullptr) did = viewing_.take_last(*end) || did;
    }
    return did;
  }

  // Past `count` completions, some of which may be of pools. `arrival` is told of those of
  // listeners.
  template <class Arrival>
  void advance(std::uint32_t count, Arrival&& arrival) {
    End* last = nullptr;
    std::size_t gathered = 0;
    for (std::uint32_t passed = 1; count > 0; count -= passed) {
      const Completion& completion = queues_.at(0);
      passed = 1;
      if ((completion.flags & kMore) == 0) {
        queues_.advance(1);
        continue;
      }
      if ((completion.flags & kView) != 0) {
        passed = viewing_.advance(count);
        continue;
      }
      if ((completion.flags & kArrival) != 0) {
        arrival(completion);
        continue;
      }
      End& end = *refills_[queues_.index(completion)];
      if (&end != last || gathered == kTogether) {
        refill(last, gathered);
        gathered = 0;
        last = &end;
      }
      if ((completion.flags & kHandedOver) != 0) {
        // Its producer may be gone; then there is nobody to give it to.
        std::ignore = end.consumer.give_back(completion.handed_over());
      }
      if (completion.buffer != nullptr && end.pool.refilling) {
        completion.buffer->reset_data_length();
      }
      together_[gathered++] = completion.buffer;
      queues_.step();
    }
    refill(last, gathered);
  }

 private:
  static constexpr std::size_t kTogether = 64;
  using Immediate = std::array<std::byte, Consumer::kMaxImmediate>;

  static End& of(const Submission& op) { return *static_cast<End*>(static_cast<Source*>(op.end_)); }
  static std::int64_t refusal(const End& end) {
    return end.consumer.posted() >= end.consumer.tasks() ? -ENOBUFS : -EINVAL;
  }
  static std::int64_t ending_or(const End& end, const Error& error) {
    return end.consumer.state() == ContextState::kStopping ? ending_of(end.consumer)
                                                           : outcome_of(error);
  }

  std::int64_t check_pool(const Submission& op, const End& end, std::span<Buffer* const> pool) {
    if (pool.empty() || op.chained_ != 0) return -EINVAL;
    if (end.pool.op != nullptr || end.pool.queued != 0) return -EBUSY;
    // All of one map: then the consumer takes all of them or not even the first.
    const Buffer* const first = pool.front();
    for (const Buffer* buffer : pool) {
      if ((buffer == nullptr) != (first == nullptr)) return -EINVAL;
      if (buffer == nullptr) continue;
      if (buffer->references() == 0 || &buffer->map() != &first->map()) return -EINVAL;
    }
    if (pool.size() > end.consumer.tasks() - end.consumer.posted()) return -ENOBUFS;
    return queues_.hold(static_cast<std::uint32_t>(pool.size())) ? 0 : -ENOBUFS;
  }

  bool take(End& end) {
    const std::size_t count = end.consumer.poll(arrived_);
    for (const Received& received : std::span(arrived_).first(count)) deliver(end, received);
    return count != 0;
  }

  // Buffers are filled in the order they were posted, and so this is nearly always the first;
  // several producers may overtake one another.
  Submission* posted_with(End& end, const Buffer* buffer) {
    return end.posted.take([buffer](const Submission& op) { return op.data_.buffer == buffer; });
  }

  static std::span<std::byte> message_of(const Received& received) {
    if (received.handed_over) return received.handed_over.bytes;
    if (received.buffer == nullptr) return {};
    return received.buffer->contents().last(received.length);
  }
  void deliver(End& end, const Received& received) {
    const std::span<std::byte> message = message_of(received);
    const auto res = static_cast<std::int64_t>(message.size());
    Submission* const op = posted_with(end, received.buffer);
    if (op == nullptr) return fill(more(end, res), received);
    if (!Storing<Kinds>::stores(*op)) [[likely]]
      return fill(order_.finish(*op, res), received);
    if (storing_.begin(*op, received, message)) on_stored(storing_.of(*op));
  }
  // What a completion says of a message, beside its result.
  void fill(Completion& completion, const Received& received) {
    const std::span<std::byte> message = message_of(received);
    completion.producer = received.producer;
    completion.buffer = received.buffer;
    completion.bytes = message.data();
    completion.size = message.size();
    if (received.handed_over) {
      completion.flags |= kHandedOver;
      completion.handle = received.handed_over.handle;
    }
    if (!received.immediate.empty() && order_.is_seen(completion)) {
      keep_immediate(completion, received.immediate);
    }
  }
  // One without a message.
  Completion& finish(Submission& op, std::int64_t res) {
    if (Storing<Kinds>::stores(op)) storing_.release(op);
    return order_.finish(op, res);
  }
  // It is valid until the next poll() only, and completions last longer.
  void keep_immediate(Completion& completion, std::span<const std::byte> immediate) {
    Immediate& kept = immediates_[queues_.index(completion)];
    std::memcpy(kept.data(), immediate.data(), immediate.size());
    completion.immediate_data = kept.data();
    completion.immediate_size = static_cast<std::uint32_t>(immediate.size());
  }
  Completion& more(End& end, std::int64_t res) {
    Completion& completion = queues_.push(end.pool.op->user_data, res);
    completion.flags = kMore;
    refills_[queues_.index(completion)] = &end;
    --end.pool.posted;
    ++end.pool.queued;
    if (!end.pool.refilling && end.pool.posted == 0) end_pool(end, -ECANCELED);
    return completion;
  }

  bool take_back(End& end) {
    const std::size_t count = end.consumer.take_back(together_);
    const std::int64_t res = ending_of(end.consumer);
    for (Buffer* buffer : std::span(together_).first(count)) {
      if (Submission* op = posted_with(end, buffer)) {
        finish(*op, res).buffer = buffer;
      } else {
        --end.pool.posted;
        end.pool.refilling = false;
      }
    }
    if (count != 0 && end.pool.op != nullptr && end.pool.posted == 0) end_pool(end, res);
    return count != 0;
  }

  // Completions that are not advanced over keep their places until they are.
  void end_pool(End& end, std::int64_t res) {
    Submission& op = *std::exchange(end.pool.op, nullptr);
    end.pool.refilling = false;
    queues_.let_go(static_cast<std::uint32_t>(op.length_) - end.pool.queued);
    if (end.pool.queued == 0) --multishots_;
    order_.finish(op, res);
  }

  // `count` buffers, of completions that are advanced over, back to their pool.
  void refill(End* end, std::size_t count) {
    if (count == 0) return;
    Pool& pool = end->pool;
    pool.queued -= static_cast<std::uint32_t>(count);
    if (!pool.refilling) {
      // Of a pool that is over these places were kept; of one that ends, until it is.
      if (pool.op == nullptr) queues_.let_go(static_cast<std::uint32_t>(count));
      if (pool.op == nullptr && pool.queued == 0) --multishots_;
      return;
    }
    const auto posted = end->consumer.post(std::span(together_).first(count));
    pool.posted += static_cast<std::uint32_t>(posted.value_or(0));
    if (posted.value_or(0) == count) return;
    // The consumer is ending; what it still has comes back through take_back().
    pool.refilling = false;
    if (pool.posted == 0) end_pool(*end, ending_of(end->consumer));
  }

  Queues& queues_;
  Order& order_;
  Storing<Kinds>& storing_;
  std::uint32_t& multishots_;
  Viewing<Kinds> viewing_;
  std::vector<std::unique_ptr<End>> ends_;
  const std::unique_ptr<End*[]> refills_;  // Whose buffer, of a completion with kMore.
  std::unique_ptr<Immediate[]> immediates_;
  std::array<Received, kTogether> arrived_;
  std::array<Buffer*, kTogether> together_;
};

}  // namespace comch::uring
