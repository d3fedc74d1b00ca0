// Copying senders: by tasks, and by arrays. See sender.h.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tool/bench/sender.h"

namespace comch::tool {

// A task for each message under way; its callback makes it free for the next.
class TaskSender final : public Sender {
 public:
  explicit TaskSender(std::uint32_t depth) : depth_(depth) {}

  Status configure(Producer& producer) override;
  Status begin(Producer& producer, std::span<Buffer* const> buffers) override;
  Result<std::size_t> send(ConsumerId to, std::size_t most) override;
  Result<bool> done() override;
  void end() override;

 private:
  const std::uint32_t depth_;
  std::vector<ProducerTask*> tasks_;
  std::vector<ProducerTask*> idle_;
  std::optional<Error> failure_;
};

// As many messages in a call as are wanted, at most kTogether.
class ArraySender final : public Sender {
 public:
  static constexpr std::size_t kTogether = 64;

  Status configure(Producer& producer) override;
  Status begin(Producer& producer, std::span<Buffer* const> buffers) override;
  Result<std::size_t> send(ConsumerId to, std::size_t most) override;
  Result<bool> done() override;

 private:
  Producer* producer_ = nullptr;
  std::array<Outgoing, kTogether> messages_;
  std::vector<ConsumerId> used_;  // Consumers that were sent to.
};

}  // namespace comch::tool
