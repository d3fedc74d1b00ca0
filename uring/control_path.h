// ControlPath: operations on connections: control messages, sent and received.
//
// Threads: the ring's. Lifetime: the ring's; an end is removed before its connection is gone.
// Errors: results of operations.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ends.h"
#include "order.h"
#include "outcome.h"

namespace comch::uring {

template <class Kinds>
class ControlPath {
 public:
  using End = ControlOf<Kinds>;
  using Op = Operation::Op;
  using State = Operation::State;
  using Connection = Kinds::Connection;

  explicit ControlPath(Order& order) : order_(order) {}

  Result<End*> add(Connection& connection) {
    const auto [it, fresh] = ends_.try_emplace(&connection);
    if (!fresh) return fail(Errc::already_exist, "the connection is registered");
    it->second = std::make_unique<End>(connection);
    stalled_.reserve(ends_.size());
    return it->second.get();
  }
  End* find(const Connection& connection) {
    const auto it = ends_.find(&connection);
    return it == ends_.end() ? nullptr : it->second.get();
  }
  void remove(End& end) {
    finish_all(end);
    order_.cancel_held(static_cast<const Control*>(&end));
    ends_.erase(&end.connection);
  }
  // The connection is no more, but who uses it has not heard of that.
  void retire(End& end) {
    finish_all(end);
    retired_.push_back(std::move(ends_.extract(&end.connection).mapped()));
  }
  // Of one that is retired.
  void erase(const End& end) {
    order_.cancel_held(static_cast<const Control*>(&end));
    std::erase_if(retired_, [&end](const auto& owned) { return owned.get() == &end; });
  }

  void send(Operation& op) {
    End& end = of(op);
    if (end.ended != 0) return finish_late(end, op);
    if (end.sends.empty() && try_send(end, op)) return;
    op.state = State::kWaiting;
    if (end.sends.empty()) stalled_.push_back(&end);
    end.sends.push_back(op);
  }
  // The message comes by the callback, which shows the oldest one as long as it is kept.
  void receive(Operation& op) {
    End& end = of(op);
    if (end.ended != 0) return finish_late(end, op);
    op.state = State::kWaiting;
    end.receives.push_back(op);
    ++receives_;
    if (end.connection.paused()) end.connection.resume();
  }
  Receipt on_message(const Connection& connection, std::span<const std::byte> message) {
    const auto it = ends_.find(&connection);
    if (it == ends_.end()) return Receipt::kKeep;
    while (Operation* op = it->second->receives.pop_front()) {
      --receives_;
      if (message.size() > op->amount) {
        order_.finish(*op, -EMSGSIZE);
        continue;
      }
      std::byte* const room = op->what.room;
      std::ranges::copy(message, room);
      Completion& completion = order_.finish(*op, static_cast<std::int64_t>(message.size()));
      completion.bytes = room;
      completion.size = message.size();
      return Receipt::kTaken;
    }
    return Receipt::kKeep;
  }

  // Tries what waits; true: something was done.
  bool look() {
    bool did = false;
    for (std::size_t n = 0; n < stalled_.size();) {
      End& end = *stalled_[n];
      while (!end.sends.empty()) {
        Operation& op = *end.sends.pop_front();
        if (!try_send(end, op)) {
          end.sends.push_front(op);
          break;
        }
        did = true;
      }
      if (!end.sends.empty()) {
        ++n;
        continue;
      }
      stalled_[n] = stalled_.back();
      stalled_.pop_back();
    }
    return did;
  }
  bool is_waiting() const { return is_stalled() || receives_ != 0; }
  // Sends are.
  bool is_stalled() const { return !stalled_.empty(); }
  // Has the engine tell when there is room.
  void arm() {
    for (End* end : stalled_) end->connection.request_space();
  }
  void cancel(Operation& op) {
    End& end = of(op);
    const auto same = [&op](const Operation& o) { return &o == &op; };
    if (op.op == Op::kCtrlRecv) {
      std::ignore = end.receives.take(same);
      --receives_;
    } else {
      std::ignore = end.sends.take(same);
      if (end.sends.empty()) std::erase(stalled_, &end);
    }
    order_.finish(op, -ECANCELED);
  }

 private:
  static End& of(const Operation& op) { return *static_cast<End*>(static_cast<Control*>(op.end)); }
  void finish_late(const End& end, Operation& op) { order_.finish(op, end.ended); }
  void finish_all(End& end) {
    const Connection& connection = end.connection;
    end.ended = connection.state() == ConnectionState::kEstablished ? -ECANCELED
                : connection.loss()                                 ? -ECONNRESET
                                                                    : -ENOTCONN;
    while (Operation* op = end.sends.pop_front()) order_.finish(*op, end.ended);
    while (Operation* op = end.receives.pop_front()) {
      --receives_;
      order_.finish(*op, end.ended);
    }
    std::erase(stalled_, &end);
  }
  bool try_send(End& end, Operation& op) {
    const Status s = end.connection.try_send({op.what.bytes, op.amount});
    if (!s && s.error().code == Errc::again) return false;
    order_.finish(op, s ? static_cast<std::int64_t>(op.amount) : outcome_of(s.error()));
    return true;
  }

  Order& order_;
  std::unordered_map<const Connection*, std::unique_ptr<End>> ends_;
  std::vector<std::unique_ptr<End>> retired_;
  std::vector<End*> stalled_;  // That have sends waiting; each once, there is room for all.
  std::size_t receives_ = 0;   // That wait.
};

}  // namespace comch::uring
