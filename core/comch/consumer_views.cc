// ConsumerImpl: messages that are looked at where they lie.
#include "base/pause.h"
#include "comch/consumer_impl.h"

namespace comch {

using transport::shm::Passage;

bool ConsumerImpl::has_views() const {
  if (!views() || !port_) return false;
  return port_->shown() != 0 || (!polled_out_ && port_->has_message());
}

Status ConsumerImpl::require_no_views() const {
  if (!views()) return {};
  return fail(Errc::not_supported, "the consumer's messages are looked at by poll_views()");
}

std::size_t ConsumerImpl::poll_views(std::span<View> out) {
  if (!port_ || !views()) return 0;
  View* view = out.data();
  std::uint64_t bytes = 0;
  const std::size_t count = port_->view(out.size(), [&](const transport::shm::Shown& shown) {
    bytes += shown.data.size();
    *view++ = {
        .data = shown.data, .immediate = shown.immediate, .producer = ProducerId{shown.producer}};
  });
  messages_[static_cast<std::size_t>(Passage::kInline)] += count;
  bytes_ += bytes;
  // As progress() does: whoever asks in a loop leaves the producer its line to send in.
  if (count == 0) pause();
  if (ending_) [[unlikely]] {
    polled_out_ = count == 0 && !out.empty();
    request_work();
  }
  return count;
}

Status ConsumerImpl::release_views(std::size_t count) {
  if (!port_ || !port_->release(count)) {
    return fail(Errc::invalid_value, "not so many views are kept");
  }
  if (ending_) request_work();
  return {};
}

}  // namespace comch
