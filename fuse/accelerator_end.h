// AcceleratorEnd: one run of a MsgQ of the tree: the queues of the library, and the accelerator
// with what its kernel needs of them.
//
//   producers/NAME --> to_accelerator() ----> kernel, on the accelerator's thread
//   consumers/NAME <-- from_accelerator() <---`
//
// A message for which the kernel finds no room stays where it is, and the kernel is called again
// when there may be room: when a consumer has posted, or a new one has come.
//
// Threads: the kernel's calls are made on the accelerator's thread; stop() on any, once the CPU's
// ends of the queues are destroyed; everything else is the loop's, and once stop() has begun only
// failure() and counts().
// Lifetime: shared by the MsgQ's directory and by the CPU's ends, which are made on its queues.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bell.h"
#include "comch/dpa.h"
#include "comch/dpa_queue.h"
#include "comch/msgq.h"
#include "kernel.h"
#include "queue_direction.h"

namespace comch::fuse {

class AcceleratorEnd {
 public:
  struct Settings {
    std::shared_ptr<Device> device;
    QueueDirection direction = QueueDirection::kBoth;
    std::uint32_t depth = 64;  // Receives of the accelerator's consumer; sends not completed.
    std::uint32_t max_consumers = 1;  // On the CPU.
    std::uint32_t max_producers = 1;
  };
  // Everything is made and runs. `bell` rings when the kernel fails.
  // As the library; on failure nothing is left.
  static Result<std::shared_ptr<AcceleratorEnd>> create(const Settings& settings, Kernel kernel,
                                                        std::shared_ptr<const Bell> bell);
  // Only for create().
  AcceleratorEnd(Kernel kernel, std::shared_ptr<const Bell> bell)
      : kernel_(std::move(kernel)), bell_(std::move(bell)) {}
  AcceleratorEnd(const AcceleratorEnd&) = delete;
  AcceleratorEnd& operator=(const AcceleratorEnd&) = delete;
  ~AcceleratorEnd() { stop(true); }

  // Null: the direction has no such queue.
  MsgQ* to_accelerator() const { return down_.get(); }
  MsgQ* from_accelerator() const { return up_.get(); }
  // The accelerator's, which the CPU's producers send to.
  ConsumerId consumer() const { return consumer_->id(); }

  // Consumers of the CPU that run.
  void add_consumer(ConsumerId consumer);
  void remove_consumer(ConsumerId consumer);
  // One of them has posted.
  void on_posted() { wake_if_waiting(); }

  // Why the kernel has failed, in words; nothing when it has not.
  std::optional<std::string> failure() const;

  // The CPU's ends are all destroyed.
  bool is_left_alone() const;
  // Ends all of it; blocks until the kernel returns. Unless `at_once`, messages that have
  // arrived are offered to the kernel before. A second call does nothing.
  void stop(bool at_once);

  struct Counts {
    std::uint64_t calls = 0;     // Of the kernel.
    std::uint64_t received = 0;  // Messages it has dealt with.
    std::uint64_t sent = 0;
    std::uint64_t no_room = 0;  // Sends that were answered EAGAIN.
    std::uint64_t dropped = 0;  // Messages it had not dealt with at the end.
  };
  Counts counts() const;

 private:
  struct Offered {  // A message the kernel is called with.
    std::span<const std::byte> bytes = {};
    ProducerId producer{};
  };

  Status set_up(const Settings& settings);
  Status set_up_receiving(const Settings& settings);
  Status set_up_sending(const Settings& settings);
  Status set_up_thread();

  // On the accelerator's thread. False: the kernel waits for room, or has failed.
  void run(dpa::Run& run);
  bool run_start();
  bool run_messages(const dpa::Run& run);
  bool deals_with(std::uint32_t event, const Offered& offered);
  int call(std::uint32_t event, const Offered& offered);
  void fail_with(std::string reason);

  // What the kernel can call (comch/msgq_kernel.h), which says what they answer.
  static AcceleratorEnd& self(const comch_kernel_call& call);
  int send(std::uint32_t consumer, const void* data, std::size_t size);
  std::uint32_t nth(std::uint32_t n) const;
  bool is_stopping() const;

  int try_send(std::uint32_t consumer, std::span<const std::byte> bytes);
  int send_to(ConsumerId consumer, std::span<const std::byte> bytes);
  std::vector<ConsumerId> consumers() const;

  void wake_if_waiting();
  void let_kernel_finish();
  void say_goodbye();

  const Kernel kernel_;
  const std::shared_ptr<const Bell> bell_;
  void* state_ = nullptr;  // The kernel's.
  bool has_started_ = false;
  const dpa::ReceiveElement* offered_ = nullptr;  // That the kernel could not deal with yet.

  // Each outlives what stands below it.
  std::unique_ptr<dpa::Accelerator> accelerator_;
  std::unique_ptr<MsgQ> down_;
  std::unique_ptr<MsgQ> up_;
  std::unique_ptr<dpa::Thread> thread_;
  std::unique_ptr<dpa::Notification> notification_;
  std::unique_ptr<dpa::ConsumerCompletion> arrivals_;
  std::unique_ptr<dpa::ProducerCompletion> completions_;
  std::unique_ptr<dpa::Consumer> consumer_;
  std::unique_ptr<dpa::Producer> producer_;

  mutable std::mutex mutex_;  // Of what follows, which the threads share.
  std::condition_variable run_ended_;
  std::uint64_t runs_wanted_ = 0;  // What stop() waits for.
  std::uint64_t runs_ended_ = 0;
  bool is_waiting_ = false;  // A run looks for room, or has ended for want of it.
  bool is_stopping_ = false;
  bool is_over_ = false;  // The kernel may not send any more.
  std::vector<ConsumerId> consumers_;
  std::optional<std::string> failure_;
  Counts counts_;
};

}  // namespace comch::fuse
