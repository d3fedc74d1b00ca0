// Messages on their way into the peer's queue; see connection_outbox.h.
#include "connection_outbox.h"

#include "whole_put.h"

namespace comch::fuse {
Status ConnectionOutbox::send_first(std::span<const std::byte> message) {
  if (connection_ == nullptr) return fail(Errc::connection_reset, why_refused());
  return connection_->try_send(message);
}

std::unique_ptr<Put> ConnectionOutbox::begin_put() { return std::make_unique<WholePut>(*this); }

int ConnectionOutbox::refusal() const {
  const bool is_open =
      connection_ != nullptr && connection_->state() == ConnectionState::kEstablished;
  return is_open ? 0 : EPIPE;
}

void ConnectionOutbox::end(int error) {
  connection_ = nullptr;
  fail_all(error);
}

}  // namespace comch::fuse
