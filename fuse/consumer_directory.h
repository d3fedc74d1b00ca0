// ConsumerDirectory: consumers/NAME of a connection, a consumer of the library as files.
//
// With autostart it starts when the first of its streams is opened; else, or before that,
// by `enable`. Its buffers are made anew for every start.
//
// Threads, lifetime: as ContextDirectory; what has arrived can be read while it is idle, and
// when its connection is over.
#pragma once

#include <memory>
#include <string>

#include "comch/consumer.h"
#include "consumer_queue.h"
#include "context_directory.h"
#include "fast_link.h"
#include "receive_memory.h"

namespace comch::fuse {

class ConsumerDirectory final : public ContextDirectory {
 public:
  static Result<std::shared_ptr<ConsumerDirectory>> create(Services& services,
                                                           std::shared_ptr<FastLink> link,
                                                           const std::string& name,
                                                           std::shared_ptr<ObjectRecord> record,
                                                           std::shared_ptr<EventStream> events);
  // Only for create().
  ConsumerDirectory(Services& services, std::shared_ptr<FastLink> link, const std::string& name,
                    std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events);
  ~ConsumerDirectory() override;

  const std::shared_ptr<ConsumerQueue>& queue() const { return queue_; }
  // The connection is over; `loss` is ECONNRESET or 0.
  void on_end(int loss);

  Counters counters() const override;
  nlohmann::ordered_json json() const override;

 private:
  struct Configuration {
    std::uint64_t buf_size = std::uint64_t{1} << 20;
    std::uint32_t depth = 16;
    std::uint32_t imm_data_len = Consumer::kDefaultImmediate;
  };

  Context* context() const override { return consumer_.get(); }
  Status rebuild() override;
  Status accept_configuration() override;
  Status destroy_context() override;
  void add_own_files() override;
  bool is_ready() const override;
  void close_entrance(int error) override;
  void leave(int error) override { queue_->leave(error); }
  void on_changed(ContextState before, ContextState after) override;
  void reset_counters() override;

  bool is_drained() const override;
  Result<std::unique_ptr<Consumer>> make_consumer(const std::shared_ptr<ReceiveMemory>& memory);
  // See ReceiveMemory.
  std::shared_ptr<const void> admit(std::uint64_t bytes);
  // An errno, or 0.
  int start_by_opening();
  Counters engine_counters() const;

  const std::shared_ptr<FastLink> link_;
  const std::shared_ptr<ConsumerQueue> queue_;
  Configuration configuration_;
  std::shared_ptr<ReceiveMemory> memory_;
  std::unique_ptr<Consumer> consumer_;  // After its memory, which it needs to its end.
  bool was_started_ = false;
  bool has_refused_ = false;  // What was handed over, in this run.
  bool is_to_stop_ = false;   // Somebody has said so, in this run.
  Counters at_reset_;
};

}  // namespace comch::fuse
