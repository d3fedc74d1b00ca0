// ConsumerImpl: messages that are looked at where they lie.
#include "comch/consumer_impl.h"
#include "engine/engine.h"

namespace comch {

using transport::shm::Shown;

bool ConsumerImpl::has_views() const {
  if (!in_views() || !port_) return false;
  return port_->shown() != 0 || (!polled_out_ && port_->has_message());
}

template <class Show>
std::size_t ConsumerImpl::poll_views(std::size_t most, Show show) {
  if (!port_ || !in_views()) return 0;
  const auto [shown, bytes] = port_->view(most, show);
  count(transport::Passage::kInline, bytes, shown);
  end_poll(shown == 0 && most != 0);
  return shown;
}

std::size_t ConsumerImpl::poll_views(std::span<View> out) {
  return poll_views(out.size(), [view = out.data()](std::size_t n, const Shown& each) {
    view[n].data = each.data;
    view[n].immediate = each.immediate;
    view[n].producer = ProducerId{each.producer};
  });
}

std::size_t ConsumerImpl::poll_views(std::span<Incoming> out, std::uint64_t user_data,
                                     std::uint32_t flags, void* owner) {
  return poll_views(out.size(), [=, record = out.data()](std::size_t n, const Shown& each) {
    record[n].user_data = user_data;
    record[n].res = static_cast<std::int64_t>(each.data.size());
    record[n].flags = flags;
    record[n].producer = ProducerId{each.producer};
    record[n].owner = owner;
    record[n].view = each.data.data();
    record[n].size = each.data.size();
    record[n].immediate_data = each.immediate.data();
    record[n].immediate_size = static_cast<std::uint32_t>(each.immediate.size());
    record[n].handle = 0;
  });
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
