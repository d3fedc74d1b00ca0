// The receives that a consumer of a MsgQ posts; see msgq_receives.h.
#include "msgq_receives.h"

#include <utility>

#include "comch/log.h"

namespace comch::fuse {

class MsgqReceives::QueueArrival final : public Arrival {
 public:
  QueueArrival(std::shared_ptr<MsgqReceives> receives, const ReceiveTask& task)
      : Arrival(task.producer()),
        receives_(std::move(receives)),
        bytes_(task.immediate().begin(), task.immediate().end()) {}
  ~QueueArrival() override {
    if (const Status posted = receives_->post(); !posted) {
      log(LogLevel::kError, describe(posted.error()));
    }
  }

  std::size_t size() const override { return bytes_.size(); }
  Part part(std::size_t offset, std::size_t most) const override {
    return part_of(bytes_, offset, most);
  }

 private:
  const std::shared_ptr<MsgqReceives> receives_;
  const std::vector<std::byte> bytes_;
};

Status MsgqReceives::post_all(Consumer& consumer, std::uint32_t count) {
  consumer_ = &consumer;
  while (count-- > 0) {
    if (Status posted = post(); !posted) return posted;
  }
  return {};
}

void MsgqReceives::end_posting() {
  consumer_ = nullptr;
  end_ = nullptr;
}

Status MsgqReceives::post() const {
  if (consumer_ == nullptr || consumer_->state() != ContextState::kRunning) return {};
  const auto task = consumer_->allocate_receive(nullptr);
  if (!task) return std::unexpected(task.error());
  if (Status posted = (*task)->submit(); !posted) {
    std::ignore = (*task)->free();
    return posted;
  }
  host_.touch();
  end_->on_posted();
  return {};
}

std::shared_ptr<const Arrival> MsgqReceives::take(ReceiveTask& task) {
  auto arrival = std::make_shared<const QueueArrival>(shared_from_this(), task);
  std::ignore = task.free();
  return arrival;
}

}  // namespace comch::fuse
