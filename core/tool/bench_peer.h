// BenchPeer: the other process of a benchmark, a server that answers.
//
//   auto peer = BenchPeer::start({.reply = BenchPeer::Reply::kEcho, ...});
//   ... connect to peer->name(), measure, disconnect ...
//   return peer->finish();
//
// An empty message is a fence: it is always sent back, so a client that has it back knows
// that everything before it was received.
//
// Threads: start() forks; call it while the process has one thread.
// Order: start() returns when the server can be connected to.
// Lifetime: the process ends when its client leaves; one that does not is killed by
// finish() or the destructor, and all die with the process that made them.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "tool/bench_turn.h"
#include "tool/common_options.h"
#include "tool/complaint.h"

namespace comch::tool {

class BenchPeer {
 public:
  enum class Reply : std::uint8_t { kEcho, kFencesOnly };

  struct Options {
    CommonOptions common;
    Reply reply = Reply::kEcho;
    Waiting waiting = Waiting::kBusy;
    int cpu = -1;  // To run on; -1: anywhere.
  };

  static Outcome<BenchPeer> start(const Options& options);

  BenchPeer(BenchPeer&& other) noexcept;
  BenchPeer& operator=(BenchPeer&&) = delete;
  ~BenchPeer();

  const std::string& name() const { return name_; }

  // Waits for the process to end; a complaint when it did not end well.
  Outcome<> finish();

 private:
  BenchPeer(pid_t pid, std::string name) : pid_(pid), name_(std::move(name)) {}

  pid_t pid_;
  std::string name_;
};

// Keeps this process on one CPU; -1 changes nothing.
Outcome<> run_on_cpu(int cpu);

}  // namespace comch::tool
