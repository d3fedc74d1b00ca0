// Accelerator: a data-path accelerator (DPA), emulated: kernels are functions of this program,
// and run on threads that the accelerator has for them. Its communication with the CPU is
// in dpa_queue.h.
//
//   auto accelerator = dpa::Accelerator::create(device).value();
//   accelerator->start();
//   auto thread = dpa::Thread::create(*accelerator).value();
//   thread->set_kernel([&](dpa::Run& run) { ... });   // One run per notification.
//   thread->start();
//   ... attach a completion context to the thread (dpa_queue.h) and start that ...
//   thread->run();                                    // From here on it can be notified.
//
// A thread sleeps until it is notified, runs its kernel once, and sleeps again. What notifies
// it is an arrival at a completion context that was told to (request_notification(); at its
// start it is), or a Notification.
//
// Threads: objects are configured, started and stopped by one thread of the program at a time,
// also while kernels run. What a kernel may call is said in dpa_queue.h.
//
// Lifetime: an accelerator outlives everything made on it, a thread what notifies it.
//
// Errors: a kernel that throws, or reports a failure, ruins its accelerator, as a fault does on
// a real one: nothing runs on it any more, failure() says why, and it can only be destroyed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "comch/device.h"
#include "comch/result.h"

#pragma GCC visibility push(default)
namespace comch::dpa {

class Accelerator;

// An address in the accelerator's memory. A kernel may use it as a pointer.
enum class DeviceAddress : std::uint64_t {};

// What a kernel knows of the run it is in.
class Run {
 public:
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  Accelerator& accelerator() const;
  std::uint32_t rank() const;  // Which of count() that run the kernel together; 0 on a Thread.
  std::uint32_t count() const;
  DeviceAddress local_storage() const;  // The Thread's; 0 where there is none.
  // The thread is being stopped, or its accelerator is ruined: return soon.
  bool stopping() const;
  // After this run the thread is never notified again, until it is started again.
  void finish();

 protected:
  Run() = default;
  ~Run() = default;
};

using Kernel = std::function<void(Run&)>;
using Function = std::function<std::uint64_t(Run&)>;  // A kernel that answers.

class Accelerator {
 public:
  static constexpr std::uint32_t kMaxTogether = 1024;  // Threads of one launch().

  // invalid_value: there is no device.
  static Result<std::unique_ptr<Accelerator>> create(std::shared_ptr<Device> device);
  // in_use: something made on it is left; `accelerator` is unchanged. invalid_value: null.
  static Status destroy(std::unique_ptr<Accelerator>& accelerator);

  Accelerator(const Accelerator&) = delete;
  Accelerator& operator=(const Accelerator&) = delete;
  virtual ~Accelerator() = default;

  // bad_state: it is started, or ruined.
  Status start();
  // Frees its memory. in_use: threads, completion contexts or the like are left.
  // bad_state: it is not started.
  Status stop();
  bool started() const;
  const std::shared_ptr<Device>& device() const;

  // Runs the function on the accelerator and waits for its answer.
  // bad_state: not started, or ruined, also by this call; see failure().
  // operating_system: there is no thread to run it on. invalid_value: null.
  Result<std::uint64_t> call(const Function& function);
  // Runs the kernel `count` times at once, with ranks from 0, and waits for all.
  // invalid_value: 0, or above kMaxTogether. Others as for call().
  Status launch(std::uint32_t count, const Kernel& kernel);

  // Memory of the accelerator's, aligned for any type, not zeroed. Of all: bad_state: not started.
  // invalid_value: 0 bytes. no_memory: there is none.
  Result<DeviceAddress> allocate(std::size_t size);
  // invalid_value: not what allocate() has answered, or freed already.
  Status free(DeviceAddress address);
  // invalid_value: the range does not lie in one allocation.
  Status write(DeviceAddress to, std::span<const std::byte> from);
  Status read(std::span<std::byte> to, DeviceAddress from);
  Status fill(DeviceAddress to, std::byte value, std::size_t size);

  // Ruins the accelerator; a second report changes nothing. Any thread.
  void report_failure(const Error& error);
  // Why it is ruined; nothing when it is not. Any thread.
  Status failure() const;

 protected:
  Accelerator() = default;
};

class Thread {
 public:
  // bad_state: the accelerator is not started.
  static Result<std::unique_ptr<Thread>> create(Accelerator& accelerator);
  // in_use: it is started, or something is attached that notifies it. invalid_value: null.
  static Status destroy(std::unique_ptr<Thread>& thread);

  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  virtual ~Thread() = default;

  // Configuration. bad_state: started. invalid_value: null.
  Status set_kernel(Kernel kernel);
  Status set_local_storage(DeviceAddress address);

  // Takes a thread of the operating system. Notifications are remembered from here on, as one.
  // bad_state: it is started, has no kernel, or the accelerator is not started or ruined.
  // operating_system: there is no thread to be had.
  Status start();
  // Lets the kernel be run. bad_state: not started, or nothing is attached that could notify it.
  Status run();
  // Waits for the run that is going on, if any. A kernel must not stop its own thread.
  // bad_state: not started, or called by the thread itself.
  Status stop();

  bool started() const;
  std::uint32_t id() const;    // Unique on its accelerator.
  std::uint64_t runs() const;  // Begun since it was started. Any thread.
  Accelerator& accelerator() const;

 protected:
  Thread() = default;
};

// What notifies a thread without a message.
class Notification {
 public:
  static Result<std::unique_ptr<Notification>> create(Thread& thread);
  // in_use: it is started. invalid_value: null.
  static Status destroy(std::unique_ptr<Notification>& notification);

  Notification(const Notification&) = delete;
  Notification& operator=(const Notification&) = delete;
  virtual ~Notification() = default;

  // bad_state: started already, or the thread is not started.
  Status start();
  // bad_state: not started.
  Status stop();
  bool started() const;
  Thread& thread() const;

  // Any thread; also kernels. bad_state: not started.
  Status notify();

 protected:
  Notification() = default;
};

}  // namespace comch::dpa
#pragma GCC visibility pop
