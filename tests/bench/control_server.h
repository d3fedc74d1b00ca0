// ControlServer: the answering side of a control cell: a server in the public API.
//
// It sends messages back, or only counts them and sends back the empty ones, which are the
// asking side's fences. It serves until its clients have left.
//
// Threads: its own process's one. Errors: std::runtime_error.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "bench/control_plan.h"
#include "comch/comch.h"

namespace comch::bench {

class ControlServer {
 public:
  ControlServer(const ControlPlan& plan, const std::string& name);
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

  // Until the last of `clients` has left.
  void serve(std::size_t clients = 1);
  // One turn, the way this plan waits.
  void turn();
  std::size_t connections() const { return server_->connections(); }

 private:
  Receipt receive(Connection& from, std::span<const std::byte> message);
  Receipt answer_by_task(Connection& from, std::span<const std::byte> message);

  const ControlPlan plan_;
  std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Server> server_;
  std::array<std::byte, 64> reply_{};  // A task's message lies still until it is delivered.
  std::size_t left_ = 0;
};

}  // namespace comch::bench
