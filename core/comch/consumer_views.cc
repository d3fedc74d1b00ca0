// ConsumerImpl: messages that are looked at where they lie.
#include "base/pause.h"
#include "comch/consumer_impl.h"

namespace comch {

bool ConsumerImpl::has_views() const {
  if (!in_views() || !port_) return false;
  return port_->shown() != 0 || (!polled_out_ && port_->has_message());
}

std::size_t ConsumerImpl::poll_views(std::span<View> out) {
  if (!port_ || !in_views()) return 0;
  View* view = out.data();
  std::uint64_t bytes = 0;
  const auto show = [&](const transport::shm::Shown& each) {
    bytes += each.data.size();
    *view++ = {
        .data = each.data, .immediate = each.immediate, .producer = ProducerId{each.producer}};
  };
  const std::size_t shown = look_twice([&] { return port_->view(out.size(), show); });
  count(transport::Passage::kInline, bytes, shown);
  end_poll(shown == 0 && !out.empty());
  return shown;
}

Status ConsumerImpl::release_views(std::size_t count) {
  if (!port_ || !port_->release(count)) {
    return fail(Errc::invalid_value, "not so many views are kept");
  }
  if (ending_) request_work();
  return {};
}

}  // namespace comch
