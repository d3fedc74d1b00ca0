// The two ends of a lane of the C API: DocaSender and DocaReceiver, by tasks.
//
// They do what TaskSender and TaskReceiver do, call for call, so that what differs is the API.
//
//   sender.configure(connection, pe);                     // Makes the producer.
//   ... start it ...
//   sender.begin(memory->buffers());
//   Result<std::size_t> sent = sender.send(consumer, 64);  // 0: turn the engine first
//
// Threads: the lane's.
// Lifetime: the memory outlives both, callbacks lead to them where they are.
#pragma once

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_pe.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "comch/consumer.h"
#include "tool/bench/doca_memory.h"
#include "tool/bench/doca_try.h"
#include "tool/bench/reading.h"

namespace comch::tool {

class DocaSender {
 public:
  explicit DocaSender(std::uint32_t depth) : depth_(depth) {}
  DocaSender(const DocaSender&) = delete;
  DocaSender& operator=(const DocaSender&) = delete;

  Status configure(doca_comch_connection* connection, doca_pe* pe);
  Status begin(std::span<doca_buf* const> buffers);
  // 0: the consumer has nothing posted, or every task is under way.
  Result<std::size_t> send(ConsumerId to, std::size_t most);
  Result<bool> done();
  // Every task is done; the producer may stop.
  void end();

  doca_ctx* ctx() const { return doca_comch_producer_as_ctx(producer_.get()); }
  ProducerId id() const;

 private:
  static void on_sent(doca_comch_producer_task_send* task, doca_data, doca_data self);
  static void on_failed(doca_comch_producer_task_send* task, doca_data, doca_data self);

  const std::uint32_t depth_;
  DocaOwned<doca_comch_producer, doca_comch_producer_destroy> producer_;
  std::size_t tasks_ = 0;
  std::vector<doca_comch_producer_task_send*> idle_;
  std::optional<Error> failure_;
};

class DocaReceiver {
 public:
  explicit DocaReceiver(const Reading& read) : read_(read) {}
  DocaReceiver(const DocaReceiver&) = delete;
  DocaReceiver& operator=(const DocaReceiver&) = delete;

  Status configure(doca_comch_connection* connection, doca_pe* pe, const DocaMemory& memory,
                   std::uint32_t depth);
  Status begin(std::span<doca_buf* const> buffers);
  Result<std::size_t> take(std::span<ProducerId> from);

  doca_ctx* ctx() const { return doca_comch_consumer_as_ctx(consumer_.get()); }
  ConsumerId id() const;

 private:
  static void on_received(doca_comch_consumer_task_post_recv* task, doca_data, doca_data self);
  static void on_ended(doca_comch_consumer_task_post_recv* task, doca_data, doca_data);
  Status receive(doca_comch_consumer_task_post_recv* task);

  const Reading read_;
  DocaOwned<doca_comch_consumer, doca_comch_consumer_destroy> consumer_;
  std::vector<ProducerId> arrived_;
  std::optional<Error> failure_;
};

}  // namespace comch::tool
