// Receiver: by tasks, whose callbacks post again, and by arrays.
#include "tool/bench/receiver.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <vector>

namespace comch::tool {
namespace {

std::span<const std::byte> message_in(const Buffer& buffer, std::uint64_t length,
                                      const HandedOver& handed_over) {
  return handed_over ? handed_over.bytes : std::span(buffer.data(), length);
}

class TaskReceiver final : public Receiver {
 public:
  explicit TaskReceiver(const Reading& read) : read_(read) {}

  Status configure(Consumer& consumer, std::uint32_t depth) override {
    consumer_ = &consumer;
    return consumer.configure_receive(
        depth,
        [this](ReceiveTask& task) {
          if (auto received = receive(task); !received && !failure_) failure_ = received.error();
        },
        [](ReceiveTask& task) { std::ignore = task.free(); });
  }

  Status begin(Consumer& consumer, std::span<Buffer* const> buffers) override {
    for (Buffer* buffer : buffers) {
      buffer->reset_data_length();
      auto task = consumer.allocate_receive(buffer);
      if (!task) return std::unexpected(task.error());
      if (auto posted = (*task)->submit(); !posted) return posted;
    }
    return {};
  }

  Result<std::size_t> take(std::span<ProducerId> from) override {
    if (failure_) return std::unexpected(*failure_);
    const std::size_t count = std::min(from.size(), arrived_.size());
    std::ranges::copy_n(arrived_.begin(), static_cast<std::ptrdiff_t>(count), from.begin());
    arrived_.erase(arrived_.begin(), arrived_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }

 private:
  Status receive(ReceiveTask& task) {
    arrived_.push_back(task.producer());
    const HandedOver message = task.handed_over();
    if (auto expected = read_(message_in(*task.buffer(), task.length(), message)); !expected)
      return expected;
    if (message) {
      if (auto returned = consumer_->give_back(message); !returned) return returned;
    }
    task.buffer()->reset_data_length();
    return task.submit();
  }

  const Reading read_;
  Consumer* consumer_ = nullptr;
  std::vector<ProducerId> arrived_;
  std::optional<Error> failure_;
};

class ArrayReceiver final : public Receiver {
 public:
  explicit ArrayReceiver(const Reading& read) : read_(read) {}

  Status configure(Consumer& consumer, std::uint32_t depth) override {
    consumer_ = &consumer;
    const auto free_task = [](ReceiveTask& task) { std::ignore = task.free(); };
    return consumer.configure_receive(depth, free_task, free_task);
  }

  Status begin(Consumer& consumer, std::span<Buffer* const> buffers) override {
    for (Buffer* buffer : buffers) buffer->reset_data_length();
    return post(consumer, buffers);
  }

  Result<std::size_t> take(std::span<ProducerId> from) override {
    const auto messages = std::span(messages_).first(std::min(from.size(), messages_.size()));
    const std::size_t count = consumer_->poll(messages);
    if (count == 0) return 0;
    std::array<Buffer*, kTogether> buffers;
    for (std::size_t n = 0; n < count; ++n) {
      const Received& message = messages[n];
      if (auto expected = read_(message_in(*message.buffer, message.length, message.handed_over));
          !expected) {
        return std::unexpected(expected.error());
      }
      if (message.handed_over) {
        if (auto returned = consumer_->give_back(message.handed_over); !returned) {
          return std::unexpected(returned.error());
        }
      }
      from[n] = message.producer;
      buffers[n] = message.buffer;
      buffers[n]->reset_data_length();
    }
    if (auto posted = post(*consumer_, std::span(buffers).first(count)); !posted) {
      return std::unexpected(posted.error());
    }
    return count;
  }

 private:
  static constexpr std::size_t kTogether = 64;

  static Status post(Consumer& consumer, std::span<Buffer* const> buffers) {
    const auto posted = consumer.post(buffers);
    if (!posted) return std::unexpected(posted.error());
    if (*posted == buffers.size()) return {};
    return fail(Errc::full, "Not every buffer could be posted.");
  }

  const Reading read_;
  Consumer* consumer_ = nullptr;
  std::array<Received, kTogether> messages_;
};

}  // namespace

std::unique_ptr<Receiver> Receiver::create(By by, const Reading& read) {
  if (by == By::kArrays) return std::make_unique<ArrayReceiver>(read);
  return std::make_unique<TaskReceiver>(read);
}

}  // namespace comch::tool
