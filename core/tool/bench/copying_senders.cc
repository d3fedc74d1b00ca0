// Copying senders: tasks go round between submit() and their callback; arrays need neither.
#include "tool/bench/copying_senders.h"

#include <algorithm>
#include <tuple>

namespace comch::tool {

Status TaskSender::configure(Producer& producer) {
  idle_.reserve(depth_);
  return producer.configure_send(
      depth_, [this](ProducerTask& task) { idle_.push_back(&task); },
      [this](ProducerTask& task) {
        if (!failure_) failure_ = task.status().error();
        idle_.push_back(&task);
      });
}

// Every task sends from a buffer of its own when there are enough, as programs do.
Status TaskSender::begin(Producer& producer, std::span<Buffer* const> buffers) {
  for (std::uint32_t n = 0; n < depth_; ++n) {
    auto task = producer.allocate_send(buffers[n % buffers.size()], {}, ConsumerId{});
    if (!task) return std::unexpected(task.error());
    tasks_.push_back(*task);
    idle_.push_back(*task);
  }
  return {};
}

Result<std::size_t> TaskSender::send(ConsumerId to, std::size_t most) {
  std::size_t sent = 0;
  for (; sent < most && !idle_.empty(); ++sent) {
    ProducerTask& task = *idle_.back();
    if (auto set = task.set_consumer(to); !set) return std::unexpected(set.error());
    const bool has_more = sent + 1 < most && idle_.size() > 1;
    const Status submitted = has_more && task.try_submit_more() ? Status() : task.submit();
    if (!submitted) {
      if (submitted.error().code != Errc::again) return std::unexpected(submitted.error());
      break;
    }
    idle_.pop_back();
  }
  return sent;
}

Result<bool> TaskSender::done() {
  if (failure_) return std::unexpected(*failure_);
  return idle_.size() == tasks_.size();
}

void TaskSender::end() {
  for (ProducerTask* task : idle_) std::ignore = task->free();
  idle_.clear();
}

Status ArraySender::configure(Producer& producer) {
  const auto free_task = [](ProducerTask& task) { std::ignore = task.free(); };
  return producer.configure_send(1, free_task, free_task);
}

Status ArraySender::begin(Producer& producer, std::span<Buffer* const> buffers) {
  producer_ = &producer;
  for (std::size_t n = 0; n < kTogether; ++n) {
    messages_[n] = {.data = buffers[n % buffers.size()]->contents(), .immediate = {}};
  }
  return {};
}

Result<std::size_t> ArraySender::send(ConsumerId to, std::size_t most) {
  const auto sent = producer_->send(to, std::span(messages_).first(std::min(most, kTogether)));
  if (!sent && sent.error().code == Errc::again) return 0;
  if (sent && std::ranges::find(used_, to) == used_.end()) used_.push_back(to);
  return sent;
}

Result<bool> ArraySender::done() {
  return std::ranges::none_of(used_, [this](ConsumerId to) { return producer_->busy(to); });
}

}  // namespace comch::tool
