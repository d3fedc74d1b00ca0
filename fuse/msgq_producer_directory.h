// MsgqProducerDirectory: msgq/NAME/producers/NAME: a producer at the CPU's end of a MsgQ as files.
//
// It sends to the accelerator's only consumer. It starts as MsgqEndDirectory says.
//
// Threads, lifetime: as MsgqEndDirectory.
#pragma once

#include <memory>
#include <string>

#include "comch/producer.h"
#include "msgq_end_directory.h"
#include "msgq_outbox.h"

namespace comch::fuse {

class MsgqProducerDirectory final : public MsgqEndDirectory {
 public:
  static Result<std::shared_ptr<MsgqProducerDirectory>> create(Services& services,
                                                               std::shared_ptr<MsgqLink> link,
                                                               std::shared_ptr<ObjectRecord> record,
                                                               std::shared_ptr<EventStream> events);
  // Only for create().
  MsgqProducerDirectory(Services& services, std::shared_ptr<MsgqLink> link,
                        std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events);
  ~MsgqProducerDirectory() override { outbox_->set_producer(nullptr, {}, ENODEV); }

  Counters counters() const override;

 private:
  Context* context() const override { return producer_.get(); }
  Status check_direction(AcceleratorEnd& run) const override;
  Status make_context() override;
  Status drop_context() override { return Producer::destroy(producer_); }
  void on_entered(ContextState state) override;
  Counters engine_counters() const override;
  void add_own_files() override;
  void close_entrance(int error) override { outbox_->fail_writers(error); }
  bool is_drained() const override { return outbox_->waiting() == 0; }
  void leave(int error) override { outbox_->end(error); }
  void reset_counters() override { reset_counted(); }
  Outcome obey_own(const Order& order) override;
  std::string own_usage() const override { return "drain\ncancel\n"; }

  const std::shared_ptr<MsgqOutbox> outbox_;
  std::unique_ptr<Producer> producer_;
};

}  // namespace comch::fuse
