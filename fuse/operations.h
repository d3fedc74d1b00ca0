// Operations: the writes that wait for what they ordered.
//
// `echo echo > server` returns when the client is connected, `echo 0 > enable` when the
// server is idle. Such a write is held here together with its outcome, and looked at
// whenever the engine has made progress. There are few of them at a time.
//
// Threads: the loop's. Lifetime: an operation outlives neither its write nor this list;
// what its outcome refers to must be kept by the outcome.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "outcome.h"
#include "request.h"

namespace comch::fuse {

class Operations {
 public:
  Operations();
  ~Operations();

  // Told how the order ended, before the write is answered.
  using Ended = std::function<void(const Outcome&)>;

  // Answers the write of `size` bytes now if its outcome is known, else when it is. One
  // that must not wait answers EINPROGRESS, and the order goes on.
  void answer(Request request, std::size_t size, Outcome outcome, bool nonblocking, Ended ended);

  // Answers every write whose order has ended. To be called after progress().
  void check();

  // Answers all of them with `error`.
  void fail_all(int error);

  bool empty() const { return held_.empty(); }

 private:
  class Held;
  using List = std::list<std::unique_ptr<Held>>;

  List held_;
};

}  // namespace comch::fuse
