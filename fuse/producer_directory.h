// ProducerDirectory: producers/NAME of a connection, a producer of the library as files.
//
//   ls remote/                  the ids of the other side's consumers
//   echo 1 > producers/p0/target
//
// With autostart it starts when `target` is written.
//
// Threads, lifetime: as ContextDirectory.
#pragma once

#include <memory>
#include <string>

#include "comch/producer.h"
#include "context_directory.h"
#include "fast_link.h"
#include "producer_outbox.h"

namespace comch::fuse {

class ProducerDirectory final : public ContextDirectory {
 public:
  static Result<std::shared_ptr<ProducerDirectory>> create(Services& services,
                                                           std::shared_ptr<FastLink> link,
                                                           std::shared_ptr<ObjectRecord> record,
                                                           std::shared_ptr<EventStream> events);
  // Only for create().
  ProducerDirectory(Services& services, std::shared_ptr<FastLink> link,
                    std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events);
  ~ProducerDirectory() override { outbox_->set_producer(nullptr); }

  // A consumer of the other side is gone.
  void on_expired(ConsumerId consumer) { outbox_->on_expired(consumer); }
  // The connection is over.
  void on_end() { outbox_->end(EPIPE); }

  Counters counters() const override;
  nlohmann::ordered_json json() const override;

 private:
  Context* context() const override { return producer_.get(); }
  Status rebuild() override;
  Status accept_configuration() override;
  Status destroy_context() override { return Producer::destroy(producer_); }
  void add_own_files() override;
  void close_entrance(int error) override { outbox_->fail_writers(error); }
  bool is_drained() const override { return outbox_->is_idle(); }
  void leave(int error) override { outbox_->end(error); }
  void on_changed(ContextState before, ContextState after) override;
  void check_own() override { outbox_->look_again(); }
  void reset_counters() override { at_reset_ = engine_counters(); }
  Outcome obey_own(const Order& order) override;
  std::string own_usage() const override { return "drain\ncancel\n"; }

  Result<std::unique_ptr<Producer>> make_producer();
  std::string show_target() const;
  Outcome store_target(std::string_view text);
  Outcome store_immediate(std::string_view text);
  Counters engine_counters() const;

  const std::shared_ptr<FastLink> link_;
  const std::shared_ptr<ProducerOutbox> outbox_;
  std::uint32_t depth_ = kDefaultSendTasks;
  std::unique_ptr<Producer> producer_;
  Counters at_reset_;
};

}  // namespace comch::fuse
