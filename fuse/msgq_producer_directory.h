// MsgqProducerDirectory: msgq/NAME/producers/NAME: a producer at the CPU's end of a MsgQ as files.
//
// It sends to the accelerator's only consumer. It starts as MsgqConsumerDirectory does.
//
// Threads, lifetime: as ContextDirectory.
#pragma once

#include <memory>
#include <string>

#include "comch/producer.h"
#include "context_directory.h"
#include "msgq_link.h"
#include "msgq_outbox.h"

namespace comch::fuse {

class MsgqProducerDirectory final : public ContextDirectory {
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
  Status rebuild() override;
  Status accept_configuration() override { return {}; }
  Status destroy_context() override;
  void add_own_files() override;
  void close_entrance(int error) override { outbox_->fail_writers(error); }
  bool is_drained() const override { return outbox_->waiting() == 0; }
  void leave(int error) override { outbox_->end(error); }
  void on_changed(ContextState before, ContextState after) override;
  void check_own() override;
  void reset_counters() override { at_reset_ = engine_counters(); }
  Outcome obey_own(const Order& order) override;
  std::string own_usage() const override { return "drain\ncancel\n"; }

  Result<std::unique_ptr<Producer>> make_producer();
  // An errno, or 0.
  int start_by_opening();
  Counters engine_counters() const;

  const std::shared_ptr<MsgqLink> link_;
  const std::shared_ptr<MsgqOutbox> outbox_;
  std::shared_ptr<AcceleratorEnd> end_;       // Of the run that the producer belongs to.
  std::unique_ptr<Producer> producer_;        // After its MsgQ, which it needs to its end.
  std::weak_ptr<AcceleratorEnd> started_in_;  // Once in a run it starts by itself.
  Counters last_counters_;                    // Of a producer that is no more.
  Counters at_reset_;
};

}  // namespace comch::fuse
