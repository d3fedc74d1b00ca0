// MixedEcho: the loop. One wait ends for messages and for bytes of a socket; what has come is
// sent back, until every client it was made for has gone.
//
// Threads: its process's one. Errors: std::runtime_error, std::system_error.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "bench/fast/fast_ends.h"
#include "bench/ring/kernel_ring.h"
#include "comch/uring/ring.h"

namespace comch::bench {

// There and back, of a channel.
struct ChannelPlans {
  FastPlan there;
  FastPlan back;
};

class MixedEcho {
 public:
  // Null, or -1: there is no such client. The socket is connected, and stays the caller's.
  MixedEcho(const ChannelPlans* channel, int socket);
  ~MixedEcho();
  MixedEcho(const MixedEcho&) = delete;
  MixedEcho& operator=(const MixedEcho&) = delete;

  void serve();

 private:
  void open_channel(const ChannelPlans& plans);
  void echo_message(const uring::Completion& completion);
  void echo_bytes(const io_uring_cqe& completion);
  void receive_bytes();

  KernelRing kernel_;
  std::optional<ConsumerEnd> consumer_;
  std::optional<ProducerEnd> producer_;
  const std::unique_ptr<uring::Ring> ring_;
  uring::Source* from_ = nullptr;
  uring::Destination* to_ = nullptr;
  const int socket_;
  int clients_ = 0;
  std::array<char, 64> bytes_{};
};

}  // namespace comch::bench
