// ControlClient: the asking side of a control cell: a client in the public API.
//
//   ControlClient client(plan, server_name);
//   const double ns = median_ns(duration, [&] { client.round_trip(); });
//
// Threads: its own process's one.
// Errors: std::runtime_error, also when the server goes. A server that lives and does not
// answer is the business of who started both.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/control_plan.h"
#include "comch/comch.h"

namespace comch::bench {

class ControlClient {
 public:
  ControlClient(const ControlPlan& plan, const std::string& server);
  // Leaves in an orderly way.
  ~ControlClient();
  ControlClient(const ControlClient&) = delete;
  ControlClient& operator=(const ControlClient&) = delete;

  // Puts 64 bytes in the server's queue, as soon as there is room.
  void send();
  // Sends, and waits for the answer.
  void round_trip();
  // Waits until the server has received everything.
  void fence();

  // Millions of messages a second.
  double rate(Duration duration);

 private:
  bool send_now(std::span<const std::byte> message);
  bool submit(std::span<const std::byte> message);
  void await_answer();
  void turn();

  const ControlPlan plan_;
  std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Client> client_;
  Connection* connection_ = nullptr;
  const std::array<std::byte, 64> message_{};
  std::uint64_t answers_ = 0;
  std::uint64_t awaited_ = 0;
};

}  // namespace comch::bench
