// Accelerator, and AcceleratorImpl: see accelerator_impl.h.
#include "dpa/accelerator_impl.h"

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/homebound.h"
#include "base/say.h"
#include "dpa/run_impl.h"

namespace comch::dpa {

Status AcceleratorImpl::require_running() const {
  if (home_.is_forked()) return refuse_away();
  if (!started_) return fail(Errc::bad_state, "the accelerator is not started");
  if (ruined()) return fail(Errc::bad_state, "the accelerator is ruined; see its failure()");
  return {};
}

Result<std::unique_ptr<Accelerator>> Accelerator::create(std::shared_ptr<Device> device) {
  if (device == nullptr) return fail(Errc::invalid_value, "an accelerator needs a device");
  return std::make_unique<AcceleratorImpl>(std::move(device));
}

Status Accelerator::destroy(std::unique_ptr<Accelerator>& accelerator) {
  if (accelerator == nullptr) return fail(Errc::invalid_value, "there is no accelerator");
  // PARTS: meets the end of the last one.
  if (AcceleratorImpl::of(*accelerator).parts_.load(std::memory_order_acquire) != 0) {
    return fail(Errc::in_use, "something made on the accelerator is left; destroy it first");
  }
  accelerator.reset();
  return {};
}

Status Accelerator::start() {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (self.home_.is_forked()) return refuse_away();
  if (self.started_) return fail(Errc::bad_state, "the accelerator is started already");
  if (self.ruined()) return fail(Errc::bad_state, "the accelerator is ruined; destroy it");
  self.started_ = true;
  return {};
}

Status Accelerator::stop() {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (self.home_.is_forked()) return refuse_away();
  if (!self.started_) return fail(Errc::bad_state, "the accelerator is not started");
  // PARTS: meets the end of the last one.
  if (self.parts_.load(std::memory_order_acquire) != 0) {
    return fail(Errc::in_use, "something made on the accelerator is left; destroy it first");
  }
  self.memory_.free_all();
  self.started_ = false;
  return {};
}

bool Accelerator::started() const { return AcceleratorImpl::of(*this).started_; }
const std::shared_ptr<Device>& Accelerator::device() const {
  return AcceleratorImpl::of(*this).device_;
}

Result<std::uint64_t> Accelerator::call(const Function& function) {
  if (!function) return fail(Errc::invalid_value, "there is no function to call");
  std::uint64_t answer = 0;
  if (Status s = launch(1, [&](Run& run) { answer = function(run); }); !s) {
    return std::unexpected(s.error());
  }
  return answer;
}

Status Accelerator::launch(std::uint32_t count, const Kernel& kernel) {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (Status s = self.require_running(); !s) return s;
  if (!kernel || count == 0 || count > kMaxTogether) {
    return fail(Errc::invalid_value, "a kernel is run on 1 to 1024 threads");
  }
  // Those that run when no more are to be had are told to stop, and waited for.
  std::atomic<bool> stopping{false};
  std::optional<int> refusal;
  {
    std::vector<std::jthread> threads;
    threads.reserve(count);
    for (std::uint32_t rank = 0; rank < count && !refusal; ++rank) {
      try {
        threads.emplace_back([&self, &kernel, &stopping, rank, count] {
          RunImpl run(self, {.rank = rank, .count = count, .stopping = &stopping});
          run.protect(kernel);
        });
      } catch (const std::system_error& error) {
        refusal = error.code().value();
        stopping.store(true, std::memory_order_relaxed);  // No edge: a request.
      }
    }
  }
  if (refusal) return fail(Errc::operating_system, "there is no thread to be had", *refusal);
  return self.require_running();
}

Result<DeviceAddress> Accelerator::allocate(std::size_t size) {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (Status s = self.require_running(); !s) return std::unexpected(s.error());
  return self.memory_.allocate(size);
}

Status Accelerator::free(DeviceAddress address) {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (self.home_.is_forked()) return refuse_away();
  if (!self.started_) return fail(Errc::bad_state, "the accelerator is not started");
  return self.memory_.free(address);
}

Status Accelerator::write(DeviceAddress to, std::span<const std::byte> from) {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (Status s = self.require_running(); !s) return s;
  return self.memory_.write(to, from);
}

Status Accelerator::read(std::span<std::byte> to, DeviceAddress from) {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (Status s = self.require_running(); !s) return s;
  return self.memory_.read(to, from);
}

Status Accelerator::fill(DeviceAddress to, std::byte value, std::size_t size) {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  if (Status s = self.require_running(); !s) return s;
  return self.memory_.fill(to, value, size);
}

void Accelerator::report_failure(const Error& error) {
  AcceleratorImpl& self = AcceleratorImpl::of(*this);
  const std::lock_guard lock(self.mutex_);
  if (self.failure_) return;
  self.failure_ = error;
  say(LogLevel::kWarning, "accelerator {} is ruined: {}", self.device_->info().name, error.what);
  self.ruined_.store(true, std::memory_order_release);  // RUIN: met in ruined().
}

Status Accelerator::failure() const {
  const AcceleratorImpl& self = AcceleratorImpl::of(*this);
  const std::lock_guard lock(self.mutex_);
  if (!self.failure_) return {};
  return std::unexpected(*self.failure_);
}

Accelerator& Run::accelerator() const { return RunImpl::of(*this).accelerator; }
std::uint32_t Run::rank() const { return RunImpl::of(*this).place.rank; }
std::uint32_t Run::count() const { return RunImpl::of(*this).place.count; }
DeviceAddress Run::local_storage() const { return RunImpl::of(*this).place.local_storage; }
bool Run::stopping() const {
  const RunImpl& self = RunImpl::of(*this);
  const std::atomic<bool>* const stopping = self.place.stopping;
  if (self.accelerator.ruined()) return true;
  return stopping != nullptr && stopping->load(std::memory_order_relaxed);  // No edge: a request.
}
void Run::finish() { RunImpl::of(*this).finished = true; }

}  // namespace comch::dpa
