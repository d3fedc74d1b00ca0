// RingServer: a server whose connections are all served through one ring: it counts control
// messages, for others to see, until its clients have left.
//
// Threads: its process's one. Errors: std::runtime_error.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "bench/control_plan.h"
#include "comch/comch.h"
#include "comch/uring/ring.h"

namespace comch::bench {

class RingServer {
 public:
  // `heard` may lie in shared memory, and outlives this.
  RingServer(const std::string& name, std::uint32_t clients, std::atomic<std::uint64_t>& heard);
  ~RingServer();
  RingServer(const RingServer&) = delete;
  RingServer& operator=(const RingServer&) = delete;

  std::size_t connections() const { return clients_.size(); }
  // Until there are so many connections.
  void await(std::size_t connections);
  // Until the last of them has left.
  void serve();
  // Sleeps until something happens, at most so long.
  void turn(std::chrono::nanoseconds most = std::chrono::seconds(1));

 private:
  struct Heard {
    uring::Control* control;
    std::array<std::byte, 64> message;
  };
  void add(Connection& connection);
  void remove(const Connection& connection);
  void hear(std::uint64_t id, Heard& client);
  void count(const uring::Completion& completion);

  const std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Server> server_;
  std::unordered_map<std::uint64_t, Heard> clients_;  // By connection.
  std::unique_ptr<uring::Ring> ring_;
  std::atomic<std::uint64_t>& heard_;
};

}  // namespace comch::bench
