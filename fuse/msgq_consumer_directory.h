// MsgqConsumerDirectory: msgq/NAME/consumers/NAME: a consumer at the CPU's end of a MsgQ as files.
//
// Threads, lifetime: as MsgqEndDirectory; what has arrived can be read while it is idle.
#pragma once

#include <memory>
#include <string>

#include "comch/consumer.h"
#include "consumer_queue.h"
#include "msgq_end_directory.h"
#include "msgq_receives.h"

namespace comch::fuse {

class MsgqConsumerDirectory final : public MsgqEndDirectory {
 public:
  static Result<std::shared_ptr<MsgqConsumerDirectory>> create(Services& services,
                                                               std::shared_ptr<MsgqLink> link,
                                                               const std::string& name,
                                                               std::shared_ptr<ObjectRecord> record,
                                                               std::shared_ptr<EventStream> events);
  // Only for create().
  MsgqConsumerDirectory(Services& services, std::shared_ptr<MsgqLink> link, const std::string& name,
                        std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events);
  ~MsgqConsumerDirectory() override;

  Counters counters() const override;

 private:
  Context* context() const override { return consumer_.get(); }
  Status check_direction(AcceleratorEnd& run) const override;
  Status make_context() override;
  Status drop_context() override;
  void on_entered(ContextState state) override;
  Counters engine_counters() const override;
  void add_own_files() override;
  void close_entrance(int error) override { queue_->set_refusal(error); }
  void leave(int error) override { queue_->leave(error); }
  void reset_counters() override;

  Status begin_receiving();

  const std::shared_ptr<ConsumerQueue> queue_;
  std::shared_ptr<MsgqReceives> receives_;
  std::unique_ptr<Consumer> consumer_;
  ConsumerId id_{};  // Since it was last started.
};

}  // namespace comch::fuse
