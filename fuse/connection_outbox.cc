// Messages on their way into the peer's queue; see connection_outbox.h.
#include "connection_outbox.h"

#include <vector>

namespace comch::fuse {
namespace {

// Keeps what is written until it is complete: it is one message of the connection.
class WholePut final : public Put {
 public:
  explicit WholePut(Outbox& outbox) : outbox_(outbox) {}

  Result<std::size_t> write(std::span<const std::byte> bytes) override {
    if (bytes.size() > outbox_.max_message_size() - message_.size()) {
      return fail(Errc::too_big, "the put is longer than a message");
    }
    message_.insert(message_.end(), bytes.begin(), bytes.end());
    return bytes.size();
  }
  Status finish(bool is_first_in_line) override {
    return is_first_in_line ? outbox_.send_first(message_) : outbox_.send(message_);
  }
  std::size_t size() const override { return message_.size(); }

 private:
  Outbox& outbox_;
  std::vector<std::byte> message_;
};

}  // namespace

Status ConnectionOutbox::send_first(std::span<const std::byte> message) {
  if (connection_ == nullptr) return fail(Errc::connection_reset, "the peer is gone");
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
