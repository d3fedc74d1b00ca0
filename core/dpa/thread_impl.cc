// Thread, and ThreadImpl: see thread_impl.h.
#include "dpa/thread_impl.h"

#include <system_error>
#include <utility>

#include "dpa/run_impl.h"

namespace comch::dpa {

ThreadImpl::~ThreadImpl() {
  if (started()) end_worker();
}

void ThreadImpl::notify() {
  {
    const std::lock_guard lock(mutex_);
    notified_ = true;
  }
  wake_.notify_one();
}

void ThreadImpl::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || (may_run_ && notified_ && !finished_); });
    if (ending_) return;
    notified_ = false;
    lock.unlock();
    run_once();
    lock.lock();
  }
}

void ThreadImpl::run_once() {
  if (part_.accelerator().ruined()) return;
  runs_.fetch_add(1, std::memory_order_relaxed);  // No edge: a count.
  RunImpl run(part_.accelerator(), {.local_storage = local_storage_, .stopping = &stopping_});
  run.protect(kernel_);
  if (!run.finished) return;
  const std::lock_guard lock(mutex_);
  finished_ = true;
}

void ThreadImpl::end_worker() {
  stopping_.store(true, std::memory_order_relaxed);  // No edge: a request.
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  worker_.join();
  worker_ = {};
}

Result<std::unique_ptr<Thread>> Thread::create(Accelerator& accelerator) {
  if (Status s = AcceleratorImpl::of(accelerator).require_running(); !s) {
    return std::unexpected(s.error());
  }
  return std::make_unique<ThreadImpl>(accelerator);
}

Status Thread::destroy(std::unique_ptr<Thread>& thread) {
  if (thread == nullptr) return fail(Errc::invalid_value, "there is no thread to destroy");
  const ThreadImpl& self = ThreadImpl::of(*thread);
  if (self.started()) return fail(Errc::in_use, "the thread is started; stop it first");
  if (self.attached_ != 0) return fail(Errc::in_use, "something is attached that notifies it");
  thread.reset();
  return {};
}

Status Thread::set_kernel(Kernel kernel) {
  ThreadImpl& self = ThreadImpl::of(*this);
  if (self.started()) return fail(Errc::bad_state, "the thread is started; stop it first");
  if (!kernel) return fail(Errc::invalid_value, "there is no kernel to set");
  self.kernel_ = std::move(kernel);
  return {};
}

Status Thread::set_local_storage(DeviceAddress address) {
  ThreadImpl& self = ThreadImpl::of(*this);
  if (self.started()) return fail(Errc::bad_state, "the thread is started; stop it first");
  self.local_storage_ = address;
  return {};
}

Status Thread::start() {
  ThreadImpl& self = ThreadImpl::of(*this);
  if (Status s = self.part_.accelerator().require_running(); !s) return s;
  if (self.started()) return fail(Errc::bad_state, "the thread is started already");
  if (!self.kernel_) return fail(Errc::bad_state, "set a kernel first");
  self.may_run_ = self.finished_ = self.ending_ = false;
  // No edges: the thread that could see these is yet to be made.
  self.stopping_.store(false, std::memory_order_relaxed);
  self.runs_.store(0, std::memory_order_relaxed);
  try {
    self.worker_ = std::thread([&self] { self.work(); });
  } catch (const std::system_error& error) {
    return fail(Errc::operating_system, "there is no thread to be had", error.code().value());
  }
  return {};
}

Status Thread::run() {
  ThreadImpl& self = ThreadImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (!self.started()) return fail(Errc::bad_state, "the thread is not started");
  if (self.attached_ == 0) return fail(Errc::bad_state, "attach first what notifies the thread");
  {
    const std::lock_guard lock(self.mutex_);
    self.may_run_ = true;
  }
  self.wake_.notify_one();
  return {};
}

Status Thread::stop() {
  ThreadImpl& self = ThreadImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (!self.started()) return fail(Errc::bad_state, "the thread is not started");
  if (self.worker_.get_id() == std::this_thread::get_id()) {
    return fail(Errc::bad_state, "a kernel cannot stop its own thread; it can finish()");
  }
  self.end_worker();
  return {};
}

bool Thread::started() const { return ThreadImpl::of(*this).started(); }
std::uint32_t Thread::id() const { return ThreadImpl::of(*this).id_; }
std::uint64_t Thread::runs() const {
  return ThreadImpl::of(*this).runs_.load(std::memory_order_relaxed);  // No edge: a count.
}
Accelerator& Thread::accelerator() const { return ThreadImpl::of(*this).part_.accelerator(); }

}  // namespace comch::dpa
