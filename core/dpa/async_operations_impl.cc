// AsyncOperations, and AsyncOperationsImpl: see async_operations_impl.h.
#include "dpa/async_operations_impl.h"

#include <bit>
#include <utility>

namespace comch::dpa {

// True: it was started.
bool AsyncOperationsImpl::leave() {
  const std::lock_guard lock(mutex_);
  if (sender_ == nullptr) return false;
  completion_->drop(*std::exchange(sender_, nullptr));
  return true;
}

Result<std::unique_ptr<AsyncOperations>> AsyncOperations::create(Accelerator& accelerator,
                                                                 std::uint32_t operations,
                                                                 UserData user_data) {
  if (operations == 0 || operations > MsgQ::kMaxDepth) {
    return fail(Errc::invalid_value, "there are 1 to 8192 asynchronous operations");
  }
  if (Status s = AcceleratorImpl::of(accelerator).require_running(); !s) {
    return std::unexpected(s.error());
  }
  return std::make_unique<AsyncOperationsImpl>(accelerator, std::bit_ceil(operations), user_data);
}

Status AsyncOperations::destroy(std::unique_ptr<AsyncOperations>& operations) {
  if (operations == nullptr) return fail(Errc::invalid_value, "there is nothing to destroy");
  if (operations->started()) return fail(Errc::in_use, "the operations are started; stop them");
  operations.reset();
  return {};
}

Status AsyncOperations::set_completion(ProducerCompletion& completion) {
  if (started()) return fail(Errc::bad_state, "the operations are started");
  AsyncOperationsImpl::of(*this).completion_ = &ProducerCompletionImpl::of(completion);
  return {};
}

Status AsyncOperations::start() {
  AsyncOperationsImpl& self = AsyncOperationsImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (started()) return fail(Errc::bad_state, "the operations are started already");
  if (Status s = self.part_.accelerator().require_running(); !s) return s;
  if (self.completion_ == nullptr) return fail(Errc::bad_state, "set a completion context first");
  Result<std::unique_ptr<Sender>> sender =
      Sender::create({ProducerId{}, self.user_data_}, self.operations_);
  if (!sender) return std::unexpected(sender.error());
  const Result<Sender*> attached = self.completion_->attach(std::move(*sender));
  if (!attached) return std::unexpected(attached.error());
  const std::lock_guard lock(self.mutex_);
  self.sender_ = *attached;
  return {};
}

Status AsyncOperations::stop() {
  AsyncOperationsImpl& self = AsyncOperationsImpl::of(*this);
  if (self.is_away()) return refuse_away();
  if (!self.leave()) return fail(Errc::bad_state, "the operations are not started");
  return {};
}

bool AsyncOperations::started() const {
  const AsyncOperationsImpl& self = AsyncOperationsImpl::of(*this);
  const auto lock = self.lock_at_home(self.mutex_);
  return self.sender_ != nullptr;
}
std::uint32_t AsyncOperations::operations() const {
  return AsyncOperationsImpl::of(*this).operations_;
}
UserData AsyncOperations::user_data() const { return AsyncOperationsImpl::of(*this).user_data_; }

Status AsyncOperations::copy(const MapAddress& to, const MapAddress& from, std::size_t size,
                             const Submit& submit) {
  AsyncOperationsImpl& self = AsyncOperationsImpl::of(*this);
  const Result<Copy> copy = Copy::check(to, from, size);
  if (!copy) return std::unexpected(copy.error());
  const std::lock_guard lock(self.mutex_);
  if (self.sender_ == nullptr) return fail(Errc::bad_state, "the operations are not started");
  return self.completion_->operate(*self.sender_, submit, *copy,
                                   [&] { return self.sender_->begin(submit); });
}

}  // namespace comch::dpa
