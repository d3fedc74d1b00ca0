// RdmaChannel: letters that came while there was no hub to take them.
#include "base/say.h"
#include "transport/rdma/channel.h"

namespace comch::transport::rdma {

// Without a hub there is nothing that a letter could be about but a consumer that is new.
void RdmaChannel::refuse(std::span<const std::byte> body, const Error& why) {
  const Result<wire::RdmaPacket> letter = wire::decode_rdma(body);
  if (!letter) return link_->break_by_peer("a letter that no correct peer writes");
  const auto* const terms = std::get_if<wire::RdmaConsumer>(&*letter);
  if (terms == nullptr) return;
  say(LogLevel::kError, "a peer's consumer cannot be reached: {}", describe(why));
  if (refusals_.size() == kRefusals) return link_->break_by_peer("more than it takes answers for");
  refusals_.push({terms->id, 0, why.code});
  flush_refusals();
}

void RdmaChannel::flush_refusals() {
  while (!refusals_.empty()) {
    if (!takes(refusals_.front())) {
      return reactor_.set_alarm(news_, reactor_.now_ns() + kRetry_ns);
    }
    refusals_.pop();
  }
}

}  // namespace comch::transport::rdma
