// RealPair: two ends of one connection over the verbs of this machine.
//
// Where: COMCH_RDMA_SERVER is the address that is listened on, COMCH_RDMA_CLIENT the one that
// connects; by default the two of the guest. A machine without them fails, it does not skip:
// whoever runs these tests has said that they are there.
//
//   RealPair pair(here_and_there());
//   ASSERT_TRUE(pair.connect());
//   pair.client.send("hello");
//
// Threads: one. Errors: as the verbs', and time_out from every wait.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "support/deadline.h"
#include "transport/rdma/verbs.h"

namespace comch::test {

namespace rdma = transport::rdma;

// From the environment, or the guest's.
rdma::Address server_address();
rdma::Address client_address();

// A port for one listener, another in every test of a program.
std::uint16_t next_port();

// The next event of this kind; others are passed over. time_out: it did not come.
Result<rdma::Event> await_event(rdma::EventChannel& channel, rdma::EventKind kind);
// The next completion, found by polling. time_out: there was none.
Result<rdma::Completion> await_completion(rdma::CompletionQueue& queue);

// One side: an id with a queue pair, and one registered buffer.
class RealEnd {
 public:
  static constexpr std::uint32_t kDepth = 16;
  static constexpr std::size_t kBytes = std::size_t{1} << 20;

  // The id has its device.
  Status set_up(std::unique_ptr<rdma::Id> id);
  // Another queue pair, that rdma_cm knows nothing of, on the same completion queues.
  Result<std::shared_ptr<rdma::QueuePair>> make_queue_pair();

  Status send(std::string_view text, rdma::QueuePair* over = nullptr);
  Status write(std::string_view text, std::uint64_t address, std::uint32_t key,
               std::optional<std::uint32_t> immediate = {});
  Status receive(std::uint64_t number, rdma::QueuePair* over = nullptr);
  // Where the receive of that number puts what comes.
  std::string_view received(std::uint64_t number, std::size_t bytes) const;

  std::unique_ptr<rdma::Id> id;
  std::shared_ptr<rdma::CompletionQueue> sent;
  std::shared_ptr<rdma::CompletionQueue> arrived;
  std::shared_ptr<rdma::QueuePair> queue_pair;
  std::vector<std::byte> memory = std::vector<std::byte>(kBytes);
  std::shared_ptr<rdma::MemoryRegion> region;

 private:
  rdma::QueuePairOptions options() const;
  rdma::SendRequest request_for(std::string_view text);
};

class RealPair {
 public:
  RealPair();

  Status listen();
  // Up to the client's connect(), with `data`; the server's end has a queue pair.
  Status knock(std::span<const std::byte> data, const rdma::Patience& patience = {});
  // knock(), accept with `answer`, and both ends established.
  Status connect(std::span<const std::byte> data = {}, std::span<const std::byte> answer = {},
                 const rdma::Patience& patience = {});

  std::unique_ptr<rdma::Verbs> verbs;
  std::unique_ptr<rdma::EventChannel> server_channel;
  std::unique_ptr<rdma::EventChannel> client_channel;
  std::unique_ptr<rdma::Id> listener;
  RealEnd server;
  RealEnd client;
  rdma::Address target;
  std::vector<std::byte> request_data;  // What the server's end was knocked with.
  std::vector<std::byte> answer_data;   // What the client's end was answered.
};

}  // namespace comch::test
