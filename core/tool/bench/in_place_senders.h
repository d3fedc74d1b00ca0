// In-place senders: by loans, and by hand-overs; nothing is copied. See sender.h.
#pragma once

#include <optional>
#include <vector>

#include "tool/bench/sender.h"

namespace comch::tool {

// Builds each message in the consumer's posted buffer: writes its first bytes.
class LoanSender final : public Sender {
 public:
  explicit LoanSender(std::size_t depth) : depth_(depth) {}

  Status configure(Producer& producer) override;
  Status begin(Producer& producer, std::span<Buffer* const> buffers) override;
  Result<std::size_t> send(ConsumerId to, std::size_t most) override;
  Result<bool> done() override { return true; }

 private:
  const std::size_t depth_;
  Producer* producer_ = nullptr;
  std::uint64_t number_ = 0;
};

// Passes buffers, and has each again when the consumer has given it back.
class HandOverSender final : public Sender {
 public:
  Status configure(Producer& producer) override;
  Status begin(Producer& producer, std::span<Buffer* const> buffers) override;
  Result<std::size_t> send(ConsumerId to, std::size_t most) override;
  Result<bool> done() override { return producer_->handed_over() == 0; }

 private:
  Producer* producer_ = nullptr;
  std::vector<Buffer*> idle_;
};

}  // namespace comch::tool
