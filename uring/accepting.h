// Accepting: multishot operations on listeners: connections that come and go, and consumers that
// can be sent to.
//
// One arrival at a time is a completion; those behind it wait in the listener's line until it is
// advanced over. Who comes and goes before it was shown was never there; who goes while it is shown
// is taken out of the completion, and its end follows.
//
// Threads: the ring's. Lifetime: the ring's. Errors: results of operations.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "control_path.h"
#include "ends.h"
#include "order.h"

namespace comch::uring {

template <class Kinds>
class Accepting {
 public:
  using End = ListenerOf<Kinds>;
  using Connection = Kinds::Connection;
  using Arrival = End::Arrival;

  Accepting(Queues& queues, Order& order, ControlPath<Kinds>& control, std::uint32_t& multishots)
      : queues_(queues), order_(order), control_(control), multishots_(multishots) {}

  // `endpoint` is a server or a client, and only its name.
  Result<End*> add(const void* endpoint) {
    if (find(endpoint) != nullptr) return fail(Errc::already_exist, "it is registered");
    return ends_.emplace_back(std::make_unique<End>(endpoint)).get();
  }
  Status remove(End& end) {
    if (end.op != nullptr || end.shown != nullptr) {
      return fail(Errc::in_use, "it accepts; cancel that, and advance over what it has shown");
    }
    if (!end.controls.empty()) return fail(Errc::in_use, "it has connections");
    order_.cancel_held(static_cast<const Listener*>(&end));
    std::erase_if(ends_, [&end](const auto& owned) { return owned.get() == &end; });
    return {};
  }

  void accept(Operation& op) {
    End& end = of(op);
    if (op.chained != 0) {
      order_.finish(op, -EINVAL);
      return;
    }
    if (end.op != nullptr || end.shown != nullptr) {
      order_.finish(op, -EBUSY);
      return;
    }
    if (!queues_.hold(1)) {
      order_.finish(op, -ENOBUFS);
      return;
    }
    op.state = Operation::State::kRunning;
    end.op = &op;
    ++multishots_;
    show(end);
  }
  // False is never answered: it ends at once, but for the place of what is shown.
  bool cancel(Operation& op) {
    End& end = of(op);
    end.op = nullptr;
    if (end.shown == nullptr) let_go();
    order_.finish(op, -ECANCELED);
    return true;
  }

  // The callbacks of the endpoint.
  void on_connection(const void* endpoint, Connection& connection) {
    End* const end = find(endpoint);
    if (end == nullptr) return;
    const auto control = control_.add(connection);
    if (!control) return;  // The application has registered it already, and has it.
    (*control)->listener = end;
    end->controls.push_back(*control);
    end->arrivals.push_back({.what = Arrival::kConnection, .control = *control});
    show(*end);
  }
  void on_consumer(const void* endpoint, Connection& connection, ConsumerId consumer) {
    End* const end = find(endpoint);
    if (end == nullptr) return;
    end->arrivals.push_back({.what = Arrival::kConsumer,
                             .control = control_.find(connection),
                             .connection = &connection,
                             .consumer = consumer});
    show(*end);
  }
  // A connection that ends takes its consumers with it; a client's is told of by this alone.
  void on_consumer_gone(const void* endpoint, Connection& connection, ConsumerId consumer) {
    End* const end = find(endpoint);
    if (end == nullptr) return;
    std::erase_if(end->arrivals, [&](const Arrival& arrival) {
      return arrival.connection == &connection && arrival.consumer == consumer;
    });
    if (connection.state() != ConnectionState::kEstablished) take_out(*end, connection);
  }
  // The application unregisters a connection that it has registered.
  void on_unregistered(const Control& control) {
    for (const auto& end : ends_) {
      for (Arrival& arrival : end->arrivals) {
        if (arrival.control == &control) arrival.control = nullptr;
      }
      if (end->shown != nullptr && end->shown->control() == &control) end->shown->subject = nullptr;
    }
  }
  void on_disconnection(const void* endpoint, Connection& connection) {
    End* const end = find(endpoint);
    if (end == nullptr) return;
    std::erase_if(end->arrivals,
                  [&](const Arrival& arrival) { return arrival.connection == &connection; });
    take_out(*end, connection);
    ControlOf<Kinds>* const control = control_.find(connection);
    if (control == nullptr || control->listener != end) return;
    control_.retire(*control);
    // Of it nothing else is left, its consumers being gone.
    const bool unseen = std::erase_if(end->arrivals, [&](const Arrival& arrival) {
                          return arrival.control == control;
                        }) != 0;
    if (unseen) return forget(*end, *control);
    end->arrivals.push_back({.what = Arrival::kEnd, .control = control});
    show(*end);
  }

  // Past a completion of an arrival, which is the oldest there is.
  void advance(const Completion& completion) {
    const auto found =
        std::ranges::find_if(ends_, [&](const auto& end) { return end->shown == &completion; });
    End& end = **found;
    queues_.step(1);
    end.shown = nullptr;
    if (end.shows == Arrival::kEnd)
      forget(end, static_cast<ControlOf<Kinds>&>(*completion.control()));
    if (end.op == nullptr) {
      let_go();
    } else {
      show(end);
    }
  }

 private:
  static End& of(const Operation& op) { return *static_cast<End*>(static_cast<Listener*>(op.end)); }
  End* find(const void* endpoint) {
    const auto found =
        std::ranges::find(ends_, endpoint, [](const auto& end) { return end->endpoint; });
    return found == ends_.end() ? nullptr : found->get();
  }
  void let_go() {
    queues_.let_go(1);
    --multishots_;
  }
  void forget(End& end, ControlOf<Kinds>& control) {
    std::erase(end.controls, &control);
    control_.erase(control);
  }

  // Of the completion, if it is what that shows.
  void take_out(End& end, Connection& connection) {
    if (end.shown == nullptr || end.shows == Arrival::kEnd) return;
    const auto* const control = static_cast<const ControlOf<Kinds>*>(end.shown->control());
    const bool same = control != nullptr ? &control->connection == &connection
                                         : end.shown->connection() == Kinds::shown(connection);
    if (!same) return;
    end.shown->owner = nullptr;
    end.shown->res = -ECONNABORTED;
  }

  // The oldest arrival, if there is a place for it.
  void show(End& end) {
    if (end.op == nullptr || end.shown != nullptr || end.arrivals.empty()) return;
    const Arrival arrival = end.arrivals.front();
    end.arrivals.pop_front();
    const bool ended = arrival.what == Arrival::kEnd;
    Completion& completion = queues_.push(end.op->user_data, ended ? arrival.control->ended : 0);
    completion.flags = kMore | kArrival;
    completion.subject = static_cast<Control*>(arrival.control);
    if (!ended) completion.owner = Kinds::shown(connection_of(arrival));
    completion.handle = static_cast<std::uint32_t>(arrival.consumer);
    end.shown = &completion;
    end.shows = arrival.what;
  }
  static Connection& connection_of(const Arrival& arrival) {
    return arrival.connection != nullptr ? *arrival.connection : arrival.control->connection;
  }

  Queues& queues_;
  Order& order_;
  ControlPath<Kinds>& control_;
  std::uint32_t& multishots_;
  std::vector<std::unique_ptr<End>> ends_;
};

}  // namespace comch::uring
