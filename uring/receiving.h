// Receiving: operations on sources: buffers posted once, and those whose messages go on to a file
// or socket; pools that are posted again (pooling.h) and views (viewing.h).
//
// Threads: the ring's. Lifetime: the ring's; sources outlive what is posted through them.
// Errors: results of operations.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "ends.h"
#include "messages.h"
#include "order.h"
#include "outcome.h"
#include "pooling.h"
#include "storing.h"
#include "turns.h"
#include "viewing.h"

namespace comch::uring {

template <class Kinds>
class Receiving {
 public:
  using End = SourceOf<Kinds>;
  using Op = Operation::Op;
  using State = Operation::State;
  using Run = std::span<Operation* const>;

  Receiving(Queues& queues, Order& order, Storing<Kinds>& storing, std::uint32_t& multishots)
      : queues_(queues),
        order_(order),
        storing_(storing),
        messages_(queues),
        pooling_(queues, order, messages_, multishots),
        viewing_(queues, order, multishots) {}

  Result<End*> add(Kinds::Consumer& consumer) {
    for (const auto& end : ends_) {
      if (&end->consumer == &consumer) return fail(Errc::already_exist, "it is registered");
    }
    messages_.keep_immediates();
    End* const end = ends_.emplace_back(std::make_unique<End>(consumer)).get();
    pooling_.add(*end);
    say_polling();
    return end;
  }
  Status remove(End& end) {
    if (end.has_posted() || end.pool.op != nullptr || end.pool.queued != 0) {
      return fail(Errc::in_use, "buffers are posted; stop the consumer");
    }
    if (end.views.op != nullptr || end.views.shown != 0) {
      return fail(Errc::in_use, "messages are looked at; cancel that, and advance over them");
    }
    order_.cancel_held(static_cast<const Source*>(&end));
    pooling_.remove(end);
    std::erase_if(ends_, [&end](const auto& owned) { return owned.get() == &end; });
    say_polling();
    return {};
  }

  // Receives that are neighbours and of one source.
  void post(Run run) {
    End& end = of(*run.front());
    while (!run.empty()) {
      const std::size_t count = std::min({run.size(), kTogether, places(end)});
      for (std::size_t n = 0; n < count; ++n) together_[n] = run[n]->what.buffer;
      const auto posted = end.consumer.post(std::span(together_).first(count));
      const std::size_t took = posted.value_or(0);
      for (Operation* op : run.first(took)) {
        op->state = State::kRunning;
        if (op->what.buffer == nullptr) [[unlikely]]
          op->at = end.pool.begun;
        end.posted.push_back(*op);
      }
      run = run.subspan(took);
      if (took == count && count != 0) [[likely]]
        continue;
      finish(*run.front(), posted ? refusal(end) : refusal_of(end.consumer, posted.error()));
      run = run.subspan(1);
    }
  }

  // One whose message goes on.
  void post_to_store(Operation& op) {
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
    finish(*t.op, t.res, t.received);
    storing_.release(t);
  }

  void post_pool(Operation& op) { pooling_.begin(op, of(op)); }
  void view(Operation& op) { viewing_.begin(op, of(op)); }
  bool cancel_view(Operation& op) {
    viewing_.cancel(of(op));
    return true;
  }
  // Of a multishot receive that runs: its buffers are posted no more. False: it is ending.
  bool cancel(Operation& op) { return pooling_.cancel(of(op)); }

  // A message was sent by itself, perhaps in answer.
  void note_sent() { turns_.sent(); }
  // Takes what has arrived; true: something was done.
  bool look() {
    if (ends_.size() == 1) [[likely]]
      return look(*ends_.front());
    bool did = false;
    for (const auto& end : ends_) did = look(*end) || did;
    return did;
  }
  // Calls `each` with every consumer whose messages look() takes, as things are now.
  template <class Each>
  void each_taken(Each&& each) {
    for (const auto& end : ends_) {
      if (end->has_posted() || Viewing<Kinds>::takes(*end)) each(end->consumer);
    }
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

  // Past `count` completions, some of which are of multishots. `arrival` is told of those of
  // listeners, and goes past them.
  template <class Arrival>
  void advance(std::uint32_t count, Arrival&& arrival) {
    while (count > 0) {
      const Completion& oldest = queues_.at(0);
      std::uint32_t passed = 1;
      if (Pooling<Kinds>::has_completion(oldest)) {
        passed = pooling_.advance(count);
      } else if ((oldest.flags & kMore) == 0) {
        queues_.advance(1);
      } else if ((oldest.flags & kView) != 0) {
        passed = viewing_.advance(count);
      } else {
        arrival(oldest);
      }
      count -= passed;
    }
  }

 private:
  static constexpr std::size_t kTogether = 64;

  // A look at one of several is late as it is.
  void say_polling() {
    const Polling polling = ends_.size() == 1 ? Polling::kAlone : Polling::kAmongOthers;
    for (const auto& end : ends_) end->consumer.set_polling(polling);
  }
  static End& of(const Operation& op) { return *static_cast<End*>(static_cast<Source*>(op.end)); }
  // How many may be posted: beside a pool none that it takes to post its buffers again.
  static std::size_t places(const End& end) {
    return end.pool.refilling ? free_places(end) : kTogether;
  }
  static std::size_t free_places(const End& end) {
    const std::size_t kept = end.pool.refilling ? end.pool.queued : 0;
    const std::size_t taken = end.consumer.posted() + kept;
    return taken < end.consumer.tasks() ? end.consumer.tasks() - taken : 0;
  }
  static std::int64_t refusal(const End& end) { return free_places(end) == 0 ? -ENOBUFS : -EINVAL; }

  bool look(End& end) {
    if (end.has_posted()) [[likely]]
      return take(end);
    return end.views.op != nullptr && viewing_.take(end);
  }
  bool take(End& end) {
    if (!end.posted.empty()) [[unlikely]]
      return take_by_buffer(end);
    return pooling_.take(end, [&](auto poll) { return look(end, poll); });
  }
  // Apart, so that a pool's message finds few registers to save.
  [[gnu::noinline]] bool take_by_buffer(End& end) {
    const std::size_t count = look(end, [&] { return end.consumer.poll(arrived_); });
    for (const Received& received : std::span(arrived_).first(count)) deliver(end, received);
    return count != 0;
  }
  template <class Poll>
  [[gnu::always_inline]] std::size_t look(End& end, Poll poll) {
    std::size_t count = poll();
    for (int more = count == 0 ? turns_.looks(&end) : 0; count == 0 && more != 0; --more) {
      count = poll();
    }
    if (count != 0) turns_.received(&end);
    return count;
  }

  // Buffers are filled in the order they were posted, and so this is nearly always the first;
  // several producers may overtake one another.
  // Those without one are told from a pool's by the order of posting alone. Null: it is the pool's.
  Operation* posted_with(End& end, const Buffer* buffer) {
    const bool is_either = buffer == nullptr && end.pool.is_of_none && end.pool.posted != 0;
    const std::uint64_t over = is_either ? end.pool.begun - end.pool.posted : ~std::uint64_t{0};
    return end.posted.take([buffer, over](const Operation& op) {
      return op.what.buffer == buffer && (buffer != nullptr || op.at <= over);
    });
  }

  void deliver(End& end, const Received& received) {
    Operation* const op = posted_with(end, received.buffer);
    if (op == nullptr) return pooling_.deliver(end, received);
    const std::span<std::byte> message = Messages::bytes_of(received);
    if (!Storing<Kinds>::stores(*op)) [[likely]] {
      return finish(*op, static_cast<std::int64_t>(message.size()), received);
    }
    if (storing_.begin(*op, received, message)) on_stored(storing_.of(*op));
  }
  void finish(Operation& op, std::int64_t res, const Received& received) {
    Completion& completion = order_.finish(op, res);
    const bool seen = order_.is_seen(completion);
    messages_.describe(completion, received, seen);
    if (!seen && received.handed_over) [[unlikely]]
      give_back(&of(op), received.handed_over);
  }
  // What nobody is told of, who could. The source may be gone while a file is written.
  void give_back(const End* from, const HandedOver& message) {
    const auto end = std::ranges::find(ends_, from, &std::unique_ptr<End>::get);
    if (end != ends_.end()) std::ignore = (*end)->consumer.give_back(message);
  }
  // One without a message.
  Completion& finish(Operation& op, std::int64_t res) {
    if (Storing<Kinds>::stores(op)) storing_.release(op);
    return order_.finish(op, res);
  }

  bool take_back(End& end) {
    const std::size_t count = end.consumer.take_back(together_);
    const std::int64_t res = ending_of(end.consumer);
    for (Buffer* buffer : std::span(together_).first(count)) {
      if (Operation* op = posted_with(end, buffer)) {
        finish(*op, res).buffer = buffer;
      } else {
        pooling_.take_back(end);
      }
    }
    if (count != 0) pooling_.end_if_empty(end, res);
    return count != 0;
  }

  Queues& queues_;
  Order& order_;
  Storing<Kinds>& storing_;
  Messages messages_;
  Pooling<Kinds> pooling_;
  Viewing<Kinds> viewing_;
  Turns turns_;
  std::vector<std::unique_ptr<End>> ends_;
  std::array<Received, kTogether> arrived_;
  std::array<Buffer*, kTogether> together_;
};

}  // namespace comch::uring
