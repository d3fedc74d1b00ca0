// ConnectionOutbox: messages on their way into the peer's queue of one connection.
//
// Threads: the loop's. Lifetime: outlives its connection.
#pragma once

#include <memory>

#include "comch/connection.h"
#include "outbox.h"

namespace comch::fuse {

class ConnectionOutbox final : public Outbox {
 public:
  ConnectionOutbox(EngineHost& host, Connection& connection)
      : Outbox(host), connection_(&connection), max_message_size_(connection.max_message_size()) {}

  Status send_first(std::span<const std::byte> message) override;
  std::size_t max_message_size() const override { return max_message_size_; }
  std::unique_ptr<Put> begin_put() override;
  int refusal() const override;
  const char* why_refused() const override { return "the peer is gone"; }
  // The connection is no more, or the object: whoever waits gets `error`.
  void end(int error);

 private:
  bool can_send() const override { return connection_->can_send(); }
  void request_space() override { connection_->request_space(); }

  Connection* connection_;
  const std::size_t max_message_size_;
};

}  // namespace comch::fuse
