// In-place senders, and which sender a plan asks for.
#include "tool/bench/in_place_senders.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "tool/bench/copying_senders.h"

namespace comch::tool {
namespace {

// Neither kind uses tasks, but a producer has to have one.
Status configure_no_tasks(Producer& producer) {
  const auto free_task = [](ProducerTask& task) { std::ignore = task.free(); };
  return producer.configure_send(1, free_task, free_task);
}

}  // namespace

Status LoanSender::configure(Producer& producer) { return configure_no_tasks(producer); }

Status LoanSender::begin(Producer& producer, std::span<Buffer* const>) {
  producer_ = &producer;
  return {};
}

Result<std::size_t> LoanSender::send(ConsumerId to, std::size_t most) {
  std::size_t sent = 0;
  for (; sent < std::min(most, depth_); ++sent) {
    const auto loan = producer_->reserve(to);
    if (!loan) {
      if (loan.error().code == Errc::again) break;
      return std::unexpected(loan.error());
    }
    ++number_;
    std::memcpy(loan->room.data(), &number_, std::min(loan->room.size(), sizeof number_));
    if (auto done = producer_->commit(*loan, loan->room.size()); !done) {
      return std::unexpected(done.error());
    }
  }
  return sent;
}

Status HandOverSender::configure(Producer& producer) {
  if (auto configured = configure_no_tasks(producer); !configured) return configured;
  return producer.on_returned(
      [this](Producer&, ConsumerId, Buffer& buffer, const Status&) { idle_.push_back(&buffer); });
}

Status HandOverSender::begin(Producer& producer, std::span<Buffer* const> buffers) {
  producer_ = &producer;
  idle_.assign(buffers.begin(), buffers.end());
  return {};
}

Result<std::size_t> HandOverSender::send(ConsumerId to, std::size_t most) {
  std::size_t sent = 0;
  for (; sent < most && !idle_.empty(); ++sent) {
    if (const Status passed = producer_->hand_over(to, *idle_.back()); !passed) {
      const Errc code = passed.error().code;
      if (code == Errc::again || code == Errc::full) break;
      return std::unexpected(passed.error());
    }
    idle_.pop_back();
  }
  return sent;
}

std::unique_ptr<Sender> Sender::create(Way way, By by, std::uint32_t depth) {
  if (way == Way::kLoan) return std::make_unique<LoanSender>(depth);
  if (way == Way::kHandOver) return std::make_unique<HandOverSender>();
  if (by == By::kArrays) return std::make_unique<ArraySender>();
  return std::make_unique<TaskSender>(depth);
}

}  // namespace comch::tool
