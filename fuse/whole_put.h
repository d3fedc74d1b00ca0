// WholePut: a put that is one message: what is written is kept until it is complete.
//
// Threads: the loop's. Lifetime: as Put. Errors: too_big above the outbox' longest message.
#pragma once

#include <vector>

#include "outbox.h"
#include "put.h"

namespace comch::fuse {

class WholePut final : public Put {
 public:
  explicit WholePut(Outbox& outbox) : outbox_(outbox) {}

  Result<std::size_t> write(std::span<const std::byte> bytes, bool) override {
    if (bytes.size() > outbox_.max_message_size() - message_.size()) {
      return fail(Errc::too_big, outbox_.why_too_long());
    }
    message_.insert(message_.end(), bytes.begin(), bytes.end());
    return bytes.size();
  }
  Status finish(bool is_first_in_line) override {
    return is_first_in_line ? outbox_.send_first(message_) : outbox_.send(message_);
  }
  std::size_t size() const override { return message_.size(); }
  std::size_t kept() const override { return message_.size(); }

 private:
  Outbox& outbox_;
  std::vector<std::byte> message_;
};

}  // namespace comch::fuse
