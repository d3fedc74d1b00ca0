// Peer: the other process of a benchmark.
//
//   auto peer = Peer::start(plan);
//   ... connect to peer->name(), measure, disconnect ...
//   return peer->finish();
//
// It is this program anew, told by its command line what to be (peer_command.cc), and no fork:
// who measures has used devices, and an RDMA device does not survive a fork.
//
// Threads: any; one at a time for each Peer.
// Order: start() returns when the server of that name can be connected to.
// Lifetime: the process ends when its client has left; one that does not is killed by finish() or
// the destructor, and all die with the process that made them.
// Errors: what it complains of is told by the peer itself, on standard error.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>

#include "tool/bench/peer_plan.h"
#include "tool/complaint.h"

namespace comch::tool {

// What a server of a benchmark calls when it can be connected to.
using Ready = std::function<void()>;

class Peer {
 public:
  // The subcommand that a peer is started as; nobody else needs it.
  static constexpr const char* kCommand = "bench-peer";

  static Outcome<Peer> start(const PeerPlan& plan);

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
