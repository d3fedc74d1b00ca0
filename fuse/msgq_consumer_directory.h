// MsgqConsumerDirectory: msgq/NAME/consumers/NAME: a consumer at the CPU's end of a MsgQ as files.
//
// With autostart it starts when the first of its streams is opened while the MsgQ runs; else, or
// before that, by `enable`.
//
// Threads, lifetime: as ContextDirectory; what has arrived can be read while it is idle.
#pragma once

#include <memory>
#include <string>

#include "comch/consumer.h"
#include "consumer_queue.h"
#include "context_directory.h"
#include "msgq_link.h"
#include "msgq_receives.h"

namespace comch::fuse {

class MsgqConsumerDirectory final : public ContextDirectory {
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
  Status rebuild() override;
  Status accept_configuration() override { return {}; }
  Status destroy_context() override;
  void add_own_files() override;
  void close_entrance(int error) override { queue_->set_refusal(error); }
  void leave(int error) override { queue_->leave(error); }
  void on_changed(ContextState before, ContextState after) override;
  void check_own() override;
  void reset_counters() override;

  Result<std::unique_ptr<Consumer>> make_consumer(const std::shared_ptr<MsgqReceives>& receives);
  Status begin_receiving();
  // An errno, or 0.
  int start_by_opening();
  Counters engine_counters() const;

  const std::shared_ptr<MsgqLink> link_;
  const std::shared_ptr<ConsumerQueue> queue_;
  std::shared_ptr<AcceleratorEnd> end_;  // Of the run that the consumer belongs to.
  std::shared_ptr<MsgqReceives> receives_;
  std::unique_ptr<Consumer> consumer_;        // After its MsgQ, which it needs to its end.
  ConsumerId id_{};                           // Since it was last started.
  std::weak_ptr<AcceleratorEnd> started_in_;  // Once in a run it starts by itself.
  Counters last_counters_;                    // Of a consumer that is no more.
  Counters at_reset_;
};

}  // namespace comch::fuse
