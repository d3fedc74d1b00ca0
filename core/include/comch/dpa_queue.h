// The accelerator's end of a MsgQ: dpa::Consumer and dpa::Producer, and the completion contexts
// through which kernels learn of messages.
//
//   auto arrivals = dpa::ConsumerCompletion::create().value();
//   arrivals->set_max_receives(64);
//   arrivals->set_thread(*thread);
//   arrivals->start();
//   auto consumer = dpa::Consumer::create(*queue).value();
//   consumer->set_max_receives(64);
//   consumer->set_completion(*arrivals, 7);
//   consumer->start();
//
//   // In the kernel:
//   std::uint32_t count = 0;
//   while (const dpa::ReceiveElement* message = arrivals->get_completion()) {
//     producer->post_immediate(ConsumerId{1}, message->immediate);       // echo
//     ++count;
//   }
//   arrivals->acknowledge(count);
//   arrivals->request_notification();
//   consumer->ack(count);
//
// What has arrived before request_notification() and was not got notifies at once, and so does
// a message that ack() or acknowledge() makes room for: no order of the last three calls loses
// anything.
//
// Threads: what is marked *device* is for kernels and any other thread; each object's device
// calls are made by one thread at a time. Everything else belongs to the program, by one thread
// at a time, also while kernels run: a kernel may meet an object that was just stopped, and is
// answered bad_state or nothing. It must not meet one that was destroyed.
//
// Order: messages of one producer to one consumer come, and complete, in the order submitted.
//
// Lifetime: a completion context outlives what is attached to it; an element is valid until it is
// acknowledged, also when its context is stopped meanwhile; that starts again only afterwards. Any
// thread may acknowledge for a kernel that runs no more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "comch/consumer.h"
#include "comch/dpa.h"
#include "comch/memory_map.h"
#include "comch/msgq.h"
#include "comch/producer.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch::dpa {

// A memory map as kernels name it. A value; the map is started and outlives its use.
class DeviceMap {
 public:
  // not_found: the map has not this device. not_permitted: it is not started.
  static Result<DeviceMap> of(MemoryMap& map, const Device& device);

  // The memory at an address of the map (of MemoryMap::origin(), for one made from an export).
  // not_permitted: the map was stopped, or its permissions do not let an accelerator read,
  // or, if `write`, write. invalid_value: the range does not lie in the map.
  Result<std::span<std::byte>> at(std::uint64_t address, std::size_t size, bool write) const;

 private:
  explicit DeviceMap(MemoryMap& map) : map_(&map) {}
  MemoryMap* map_;
};

// A place in a device map.
struct MapAddress {
  DeviceMap map;
  std::uint64_t address = 0;
};

// A message that has arrived.
struct ReceiveElement {
  std::span<const std::byte> immediate;
  ProducerId producer{};
  ConsumerId consumer{};
  std::uint32_t user_data = 0;  // Of Consumer::set_completion().
};

class ConsumerCompletion {
 public:
  static constexpr std::uint32_t kMaxConsumers = 1024;

  static Result<std::unique_ptr<ConsumerCompletion>> create();
  // in_use: it is started. invalid_value: null.
  static Status destroy(std::unique_ptr<ConsumerCompletion>& completion);

  ConsumerCompletion(const ConsumerCompletion&) = delete;
  ConsumerCompletion& operator=(const ConsumerCompletion&) = delete;
  virtual ~ConsumerCompletion() = default;

  // Configuration. bad_state: started. invalid_value: 0, or above the limit.
  Status set_max_consumers(std::uint32_t consumers);  // Attached at a time. Default: 64.
  Status set_max_receives(std::uint32_t receives);    // Elements not acknowledged. Mandatory.
  Status set_immediate_size(std::uint32_t bytes);     // 0 is allowed. Default: 32.
  Status set_thread(Thread& thread);                  // None: it is polled.

  // bad_state: started already, set_max_receives() is missing, or the thread is not started.
  // in_use: elements of the last run are not acknowledged.
  Status start();
  // in_use: consumers are attached. bad_state: not started.
  Status stop();

  bool started() const;
  std::uint32_t max_consumers() const;
  std::uint32_t max_receives() const;
  std::uint32_t immediate_size() const;
  Thread* thread() const;

  // Device. The next message, in a receive that a consumer has posted; null: there is none, or
  // max_receives() elements are not acknowledged.
  const ReceiveElement* get_completion();
  // Device. Gives the oldest `count` elements back, also of a stopped context.
  // invalid_value: there are not so many. bad_state: not started, and there are none.
  Status acknowledge(std::uint64_t count);
  // Device. The thread is notified once, of the next arrival or of one that was not got.
  // bad_state: not started, or there is no thread.
  Status request_notification();

 protected:
  ConsumerCompletion() = default;
};

class Consumer {
 public:
  // bad_state: the MsgQ is not started. not_permitted: its consumers run on the CPU. full.
  static Result<std::unique_ptr<Consumer>> create(MsgQ& queue);
  // in_use: it is started. invalid_value: null.
  static Status destroy(std::unique_ptr<Consumer>& consumer);

  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  virtual ~Consumer() = default;

  // Configuration. bad_state: started. invalid_value: 0 or above MsgQ::kMaxDepth, kMaxImmediate.
  Status set_max_receives(std::uint32_t receives);  // Posted at a time. Mandatory.
  Status set_immediate_size(std::uint32_t bytes);   // 0 is allowed. Default: 32.
  Status set_completion(ConsumerCompletion& completion, std::uint32_t user_data);  // Mandatory.

  // bad_state: started, or something mandatory is missing or not started. invalid_value: the
  // completion context takes less immediate data. full: it has as many consumers as it may have.
  Status start();
  // What has arrived for a posted receive is still handed out by the completion context; what
  // was held is dropped, and its producer told. bad_state: not started.
  Status stop();

  bool started() const;
  ConsumerId id() const;  // From start() on; another one after each start.
  std::uint32_t max_receives() const;
  std::uint32_t immediate_size() const;
  MsgQ& queue() const;

  // Device. Posts `count` receives.
  // invalid_value: more than max_receives() would be posted; nothing is. bad_state: not started.
  Status ack(std::uint32_t count);

 protected:
  Consumer() = default;
};

// The end of an operation that asked for a completion.
struct SendElement {
  // shutdown: the consumer has ended, and the message was not delivered. Else well.
  Status status;
  ProducerId producer{};        // 0: of AsyncOperations.
  std::uint64_t user_data = 0;  // Of the operation.
  UserData owner_user_data;     // Of the Producer or AsyncOperations.
};

// The completion context of producers and asynchronous operations.
class ProducerCompletion {
 public:
  static constexpr std::uint32_t kMaxElements = 1U << 16U;
  static constexpr std::uint32_t kMaxAttached = 1024;  // Producers and AsyncOperations.

  // `elements`, to be not acknowledged at a time: rounded up to a power of two.
  // invalid_value: 0, or above kMaxElements. bad_state: the accelerator is not started.
  static Result<std::unique_ptr<ProducerCompletion>> create(Accelerator& accelerator,
                                                            std::uint32_t elements);
  // in_use: it is started. invalid_value: null.
  static Status destroy(std::unique_ptr<ProducerCompletion>& completion);

  ProducerCompletion(const ProducerCompletion&) = delete;
  ProducerCompletion& operator=(const ProducerCompletion&) = delete;
  virtual ~ProducerCompletion() = default;

  // None: it is polled. bad_state: started.
  Status set_thread(Thread& thread);
  // bad_state: started already, or the thread is not started. in_use: as of ConsumerCompletion.
  Status start();
  // in_use: something is attached. bad_state: not started.
  Status stop();

  bool started() const;
  std::uint32_t elements() const;
  Thread* thread() const;

  // Device; as those of ConsumerCompletion.
  const SendElement* get_completion();
  Status acknowledge(std::uint64_t count);
  Status request_notification();

 protected:
  ProducerCompletion() = default;
};

// What an operation asks for.
struct Submit {
  bool report = false;          // A completion, when the message is in a posted receive.
  std::uint64_t user_data = 0;  // For that completion.
};

class Producer {
 public:
  // bad_state: the MsgQ is not started. not_permitted: its producers run on the CPU. full.
  static Result<std::unique_ptr<Producer>> create(MsgQ& queue);
  // in_use: it is started. invalid_value: null.
  static Status destroy(std::unique_ptr<Producer>& producer);

  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  virtual ~Producer() = default;

  // Configuration. bad_state: started. invalid_value: 0, or above MsgQ::kMaxDepth.
  Status set_max_sends(std::uint32_t sends);              // Not completed at a time. Mandatory.
  Status set_completion(ProducerCompletion& completion);  // Mandatory.
  Status set_user_data(UserData data);

  // bad_state: started, or something mandatory is missing or not started. no_memory.
  // full: the completion context has kMaxAttached.
  Status start();
  // What was submitted goes its way, and is completed. bad_state: not started.
  Status stop();

  bool started() const;
  ProducerId id() const;
  std::uint32_t max_sends() const;
  MsgQ& queue() const;

  // Device. Sends immediate data; if nothing is posted the message is held. It counts as one of
  // max_sends() until it lies in a posted receive and, if it asked for a completion, until that
  // was got.
  // again: max_sends() are not completed. invalid_value: no such consumer, or it takes less
  // immediate data. bad_state: not started.
  Status post_immediate(ConsumerId consumer, std::span<const std::byte> immediate,
                        const Submit& submit = {});
  // Device. Copies `size` bytes, which is done when this returns, and then sends the immediate
  // data. Nothing is copied or sent unless all is well.
  // not_permitted, invalid_value: see DeviceMap::at(); also invalid_value: the ranges overlap.
  // Others as for post_immediate().
  Status dma_copy(ConsumerId consumer, const MapAddress& to, const MapAddress& from,
                  std::size_t size, std::span<const std::byte> immediate,
                  const Submit& submit = {});
  // Device. Whether the consumer has no receive that is not spoken for.
  // invalid_value: no such consumer. bad_state: not started. no_memory.
  Result<bool> is_consumer_empty(ConsumerId consumer);

 protected:
  Producer() = default;
};

// Copies between memory maps that send nothing.
class AsyncOperations {
 public:
  // `operations`, to be not completed at a time: rounded up to a power of two.
  // invalid_value: 0, or above MsgQ::kMaxDepth. bad_state: the accelerator is not started.
  static Result<std::unique_ptr<AsyncOperations>> create(Accelerator& accelerator,
                                                         std::uint32_t operations,
                                                         UserData user_data);
  // in_use: it is started. invalid_value: null.
  static Status destroy(std::unique_ptr<AsyncOperations>& operations);

  AsyncOperations(const AsyncOperations&) = delete;
  AsyncOperations& operator=(const AsyncOperations&) = delete;
  virtual ~AsyncOperations() = default;

  // Mandatory. bad_state: started.
  Status set_completion(ProducerCompletion& completion);
  // bad_state: started, or the completion context is missing or not started. no_memory, full.
  Status start();
  // Completions that were not got are lost. bad_state: not started.
  Status stop();
  bool started() const;
  std::uint32_t operations() const;
  UserData user_data() const;

  // Device. Copies `size` bytes, which is done when this returns.
  // again: operations() completions were not got. Others as for Producer::dma_copy().
  Status copy(const MapAddress& to, const MapAddress& from, std::size_t size,
              const Submit& submit = {});

 protected:
  AsyncOperations() = default;
};

}  // namespace comch::dpa
#pragma GCC visibility pop
