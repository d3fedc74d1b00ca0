// What the kernel of a MsgQ does while that runs; see accelerator_end.h.
#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <tuple>
#include <utility>

#include "accelerator_end.h"

namespace comch::fuse {

void AcceleratorEnd::add_consumer(ConsumerId consumer) {
  {
    const std::lock_guard lock(mutex_);
    consumers_.push_back(consumer);
  }
  wake_if_waiting();
}

void AcceleratorEnd::remove_consumer(ConsumerId consumer) {
  const std::lock_guard lock(mutex_);
  std::erase(consumers_, consumer);
}

std::vector<ConsumerId> AcceleratorEnd::consumers() const {
  const std::lock_guard lock(mutex_);
  return consumers_;
}

std::optional<std::string> AcceleratorEnd::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

AcceleratorEnd::Counts AcceleratorEnd::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

// The lock is what makes this safe: either the kernel looks for room behind us and finds what
// was posted, or it has said before that it waits.
void AcceleratorEnd::wake_if_waiting() {
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(is_waiting_, false)) return;
  }
  std::ignore = notification_->notify();
}

void AcceleratorEnd::run(dpa::Run& run) {
  std::uint64_t wanted = 0;
  {
    const std::lock_guard lock(mutex_);
    wanted = runs_wanted_;
    is_waiting_ = true;
  }
  const bool has_ended = run_start() && run_messages(run);
  {
    const std::lock_guard lock(mutex_);
    is_waiting_ = !has_ended;
    runs_ended_ = wanted;
  }
  run_ended_.notify_all();
}

bool AcceleratorEnd::run_start() {
  if (!has_started_) has_started_ = deals_with(COMCH_KERNEL_START, {});
  return has_started_;
}

bool AcceleratorEnd::run_messages(const dpa::Run& run) {
  if (arrivals_ == nullptr) return true;
  while (!run.stopping()) {
    if (offered_ == nullptr) offered_ = arrivals_->get_completion();
    if (offered_ == nullptr) break;
    const Offered message{.bytes = offered_->immediate, .producer = offered_->producer};
    if (!deals_with(COMCH_KERNEL_MESSAGE, message)) return false;
    offered_ = nullptr;
    std::ignore = arrivals_->acknowledge(1);
    std::ignore = consumer_->ack(1);
    const std::lock_guard lock(mutex_);
    ++counts_.received;
  }
  std::ignore = arrivals_->request_notification();
  return true;
}

bool AcceleratorEnd::deals_with(std::uint32_t event, const Offered& offered) {
  const int answer = call(event, offered);
  if (answer == 0) return true;
  if (answer != EAGAIN && !failure()) {
    const char* const word = strerrorname_np(answer);
    fail_with(fmt::format("the kernel has answered {} ({})", answer, word ? word : "no errno"));
  }
  return false;
}

int AcceleratorEnd::call(std::uint32_t event, const Offered& offered) {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.calls;
  }
  const comch_kernel_call one{
      .abi = COMCH_KERNEL_ABI,
      .event = event,
      .data = offered.bytes.data(),
      .size = offered.bytes.size(),
      .producer = static_cast<std::uint32_t>(offered.producer),
      .state = &state_,
      .send = [](const comch_kernel_call* of, std::uint32_t consumer, const void* data,
                 std::size_t size) { return self(*of).send(consumer, data, size); },
      .consumer = [](const comch_kernel_call* of, std::uint32_t n) { return self(*of).nth(n); },
      .stopping = [](const comch_kernel_call* of) { return self(*of).is_stopping() ? 1 : 0; },
      .host = this};
  try {
    return kernel_.function(&one);
  } catch (const std::exception& thrown) {
    fail_with(fmt::format("the kernel has thrown: {}", thrown.what()));
  } catch (...) {
    fail_with("the kernel has thrown something");
  }
  return EIO;
}

AcceleratorEnd& AcceleratorEnd::self(const comch_kernel_call& call) {
  return *static_cast<AcceleratorEnd*>(call.host);
}

void AcceleratorEnd::fail_with(std::string reason) {
  accelerator_->report_failure({.code = Errc::unknown, .what = "the kernel failed"});
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(reason);
  }
  run_ended_.notify_all();
  bell_->ring();
}

bool AcceleratorEnd::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return is_stopping_;
}

std::uint32_t AcceleratorEnd::nth(std::uint32_t n) const {
  const std::lock_guard lock(mutex_);
  return n < consumers_.size() ? static_cast<std::uint32_t>(consumers_[n]) : 0;
}

int AcceleratorEnd::send(std::uint32_t consumer, const void* data, std::size_t size) {
  const std::span bytes(static_cast<const std::byte*>(data), size);
  const int answer = try_send(consumer, bytes);
  if (answer == EAGAIN) {
    const std::lock_guard lock(mutex_);
    ++counts_.no_room;
  }
  return answer;
}

int AcceleratorEnd::try_send(std::uint32_t consumer, std::span<const std::byte> bytes) {
  if (producer_ == nullptr) return EOPNOTSUPP;
  if (bytes.size() > MsgQ::kMaxImmediate) return EMSGSIZE;
  const std::vector<ConsumerId> running = consumers();
  if (consumer != 0) {
    const auto to = static_cast<ConsumerId>(consumer);
    return std::ranges::count(running, to) == 0 ? ENXIO : send_to(to, bytes);
  }
  for (const ConsumerId one : running) {
    const int answer = send_to(one, bytes);
    if (answer != EAGAIN && answer != ENXIO) return answer;
  }
  return EAGAIN;
}

// Into a posted receive only: what the library would hold for one that is yet to be posted is
// lost if the consumer stops instead. Locked over all of it: who has got the message finds it
// counted.
int AcceleratorEnd::send_to(ConsumerId consumer, std::span<const std::byte> bytes) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return ESHUTDOWN;
  const auto is_empty = producer_->is_consumer_empty(consumer);
  if (is_empty && *is_empty) return EAGAIN;
  if (!is_empty) return is_empty.error().code == Errc::invalid_value ? ENXIO : ENOMEM;
  const Status sent = producer_->post_immediate(consumer, bytes);
  if (sent) {
    ++counts_.sent;
    return 0;
  }
  if (sent.error().code == Errc::again) return EAGAIN;
  return sent.error().code == Errc::invalid_value ? ENXIO : EIO;
}

}  // namespace comch::fuse
