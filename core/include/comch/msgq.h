// MsgQ: a local queue between the CPU and an accelerator (dpa.h).
//
// There is no server and no connection: both ends are in this process. A MsgQ has one
// direction: either its consumers or its producers run on the accelerator, and the others
// on the CPU. A message is immediate data alone, at most 32 bytes.
//
//   auto queue = MsgQ::create(device).value();
//   queue->set_accelerator_consumer(*accelerator);       // CPU -> accelerator
//   queue->set_max_consumers(1);
//   queue->set_max_producers(4);
//   queue->start();
//   auto consumer = dpa::Consumer::create(*queue).value();    // The accelerator's end.
//   auto producer = Producer::create(*queue).value();         // The CPU's end, as any other.
//
// The first consumer of a MsgQ has the id 1. Ids are not used twice between start() and stop().
//
// With nothing posted a producer on the CPU is answered `again`, and a message of the
// accelerator is held until its consumer posts; none is dropped while its consumer lives.
//
// Threads: a MsgQ is configured, started and stopped by one thread at a time; while it is
// started, any thread may make and destroy ends. The ends follow their own rules.
//
// Order: messages of one producer to one consumer arrive in the order they were sent.
//
// Lifetime: a MsgQ outlives its ends, and the accelerator outlives the MsgQ.
#pragma once

#include <cstdint>
#include <memory>

#include "comch/context.h"
#include "comch/device.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch {

namespace dpa {
class Accelerator;
}

class MsgQ {
 public:
  static constexpr std::uint32_t kMaxImmediate = 32;    // Bytes of a message.
  static constexpr std::uint32_t kMaxConsumers = 1024;  // What set_max_consumers() takes.
  static constexpr std::uint32_t kMaxProducers = 1024;
  static constexpr std::uint32_t kMaxDepth = 8192;  // Receives, or sends, of one end.

  // invalid_value: there is no device.
  static Result<std::unique_ptr<MsgQ>> create(std::shared_ptr<Device> device);
  // in_use: it is started, and unchanged. invalid_value: null.
  static Status destroy(std::unique_ptr<MsgQ>& queue);

  MsgQ(const MsgQ&) = delete;
  MsgQ& operator=(const MsgQ&) = delete;
  virtual ~MsgQ() = default;

  // Which end runs on the accelerator; the last call counts.
  // bad_state: the MsgQ is started.
  Status set_accelerator_consumer(dpa::Accelerator& accelerator);
  Status set_accelerator_producer(dpa::Accelerator& accelerator);
  // How many ends there may be at a time; 1 unless set.
  // bad_state: the MsgQ is started. invalid_value: 0, or above the limit.
  Status set_max_consumers(std::uint32_t consumers);
  Status set_max_producers(std::uint32_t producers);

  // bad_state: it is started, or no end was given to an accelerator.
  Status start();
  // in_use: there are consumers or producers. bad_state: it is not started.
  Status stop();

  bool started() const;
  // One of the two, once set; the other is null.
  dpa::Accelerator* accelerator_consumer() const;
  dpa::Accelerator* accelerator_producer() const;
  std::uint32_t max_consumers() const;
  std::uint32_t max_producers() const;
  std::uint32_t consumers() const;  // There are now.
  std::uint32_t producers() const;
  const std::shared_ptr<Device>& device() const;

  void set_user_data(UserData data);
  UserData user_data() const;

 protected:
  MsgQ() = default;
};

}  // namespace comch
#pragma GCC visibility pop
