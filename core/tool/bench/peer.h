// Peer: the other process of a benchmark.
//
//   auto peer = Peer::start([&](const std::string& name, const Peer::Ready& ready) -> Outcome<> {
//     ... be a server called `name`, call ready() when it can be connected to, serve ...
//   });
//   ... connect to peer->name(), measure, disconnect ...
//   return peer->finish();
//
// Threads: start() forks; call it while the process has one thread.
// Order: start() returns when the body has called ready().
// Lifetime: the process ends with its body; one that does not is killed by finish() or the
// destructor, and all die with the process that made them.
// Errors: what the body complains of is told by the peer itself, on standard error.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "tool/complaint.h"

namespace comch::tool {

class Peer {
 public:
  using Ready = std::function<void()>;
  using Body = std::function<Outcome<>(const std::string& name, const Ready& ready)>;

  static Outcome<Peer> start(const Body& body);

  Peer(Peer&& other) noexcept;
  Peer& operator=(Peer&&) = delete;
  ~Peer();

  const std::string& name() const { return name_; }

  // Waits for the process to end; a complaint when it did not end well.
  Outcome<> finish();

 private:
  Peer(pid_t pid, std::string name) : pid_(pid), name_(std::move(name)) {}

  pid_t pid_;
  std::string name_;
};

}  // namespace comch::tool
