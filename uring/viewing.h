// Viewing: multishot operations on sources whose messages are looked at where they lie.
//
// A consumer writes its views where their completions lie. They are given back in the order they
// were shown, as completions are advanced over.
//
// Threads: the ring's. Lifetime: the ring's. Errors: results of operations.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "ends.h"
#include "order.h"
#include "outcome.h"

namespace comch::uring {

template <class Kinds>
class Viewing {
 public:
  using End = SourceOf<Kinds>;

  Viewing(Queues& queues, Order& order, std::uint32_t& multishots)
      : queues_(queues), order_(order), multishots_(multishots) {}

  void begin(Operation& op, End& end) {
    const auto places = static_cast<std::uint32_t>(std::min<std::uint64_t>(op.amount, ~0U));
    const std::int64_t res = check(op, end, places);
    if (res < 0) {
      order_.finish(op, res);
      return;
    }
    op.state = Operation::State::kRunning;
    end.views = {.op = &op, .places = places, .shown = 0};
    ++multishots_;
  }
  // It ends at once, but for the places of what is shown.
  void cancel(End& end) { finish(end, -ECANCELED); }

  // Whether what arrives is shown, and does not have to wait for an advance().
  static bool takes(const End& end) {
    return end.views.op != nullptr && end.views.shown != end.views.places;
  }
  // Shows what has arrived; true: something has.
  bool take(End& end) {
    Views& views = end.views;
    const std::uint32_t room = std::min(views.places - views.shown, kTogether);
    if (room == 0) return false;
    const std::span<Completion> places = queues_.next_places(room);
    const std::span<Incoming> records(static_cast<Incoming*>(places.data()), places.size());
    const auto count = static_cast<std::uint32_t>(end.consumer.poll_views(
        records, views.op->user_data, kMore | kView, static_cast<Source*>(&end)));
    views.shown += count;
    queues_.push(count);
    return count != 0;
  }
  // Of a consumer that has ended: nothing more will come.
  bool take_last(End& end) {
    if (take(end)) return true;
    if (end.views.shown == end.views.places) return false;
    finish(end, ending_of(end.consumer));
    return true;
  }

  // Past the oldest `count` completions, as many of which as are neighbours are views of one
  // source; answers how many those are.
  std::uint32_t advance(std::uint32_t count) {
    End& end = *static_cast<End*>(queues_.at(0).source());
    // Most often nothing else is in the queue, and none needs to be asked.
    std::uint32_t views = end.views.shown == queues_.ready() ? count : 1;
    while (views < count && is_view_of(queues_.at(views), end)) ++views;
    queues_.step(views);
    [[maybe_unused]] const Status released = end.consumer.release_views(views);
    assert(released);
    end.views.shown -= views;
    if (end.views.op == nullptr) {
      queues_.let_go(views);
      if (end.views.shown == 0) --multishots_;
    }
    return views;
  }

 private:
  static constexpr std::uint32_t kTogether = 64;

  std::int64_t check(const Operation& op, const End& end, std::uint32_t places) {
    if (places == 0 || op.chained != 0) return -EINVAL;
    if (end.consumer.way() != DataWay::kView) return -EOPNOTSUPP;
    if (end.consumer.state() != ContextState::kRunning) return ending_of(end.consumer);
    if (end.views.op != nullptr || end.views.shown != 0) return -EBUSY;
    return queues_.hold(places) ? 0 : -ENOBUFS;
  }
  static bool is_view_of(const Completion& completion, const End& end) {
    return (completion.flags & kView) != 0 &&
           completion.source() == static_cast<const Source*>(&end);
  }
  [[gnu::noinline]] void finish(End& end, std::int64_t res) {
    Operation& op = *std::exchange(end.views.op, nullptr);
    queues_.let_go(end.views.places - end.views.shown);
    if (end.views.shown == 0) --multishots_;
    order_.finish(op, res);
  }

  Queues& queues_;
  Order& order_;
  std::uint32_t& multishots_;
};

}  // namespace comch::uring
