// ConsumerImpl: messages that are looked at where they lie.
#include "comch/consumer_impl.h"
#include "engine/engine.h"

namespace comch {

bool ConsumerImpl::has_views() const {
  if (!in_views() || !port_) return false;
  return port_->shown() != 0 || (!polled_out_ && port_->has_message());
}

std::size_t ConsumerImpl::poll_views(std::span<View> out) {
  if (!port_ || !in_views()) return 0;
  const auto show = [view = out.data()](std::size_t n, const transport::shm::Shown& each) {
    view[n].data = each.data;
    view[n].immediate = each.immediate;
    view[n].producer = ProducerId{each.producer};
  };
  const auto [shown, bytes] = port_->view(out.size(), show);
  count(transport::Passage::kInline, bytes, shown);
  end_poll(shown == 0 && !out.empty());
  return shown;
}

Status ConsumerImpl::release_views(std::size_t count) {
  if (!port_ || !port_->release(count)) {
    return fail(Errc::invalid_value, "not so many views are kept");
  }
  if (ending_) request_work();
  // It may have fallen asleep over a message that could not be shown beside so many.
  if (engine::Engine::attention(*this) == engine::Attention::kAsleep) engine()->make_hot(*this);
  return {};
}

}  // namespace comch
