// AsyncOperationsImpl: what stands behind AsyncOperations: a sender that sends nothing.
//
// Threads: see dpa_queue.h; the lock is for kernels that meet a stop(), which waits for a copy
// that is going on. Lifetime: outlived by the completion context.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/homebound.h"
#include "comch/dpa_queue.h"
#include "dpa/accelerator_impl.h"
#include "dpa/producer_completion_impl.h"

namespace comch::dpa {

class AsyncOperationsImpl final : public AsyncOperations, public Homebound<AsyncOperationsImpl> {
 public:
  AsyncOperationsImpl(Accelerator& accelerator, std::uint32_t operations, UserData user_data)
      : part_(accelerator), operations_(operations), user_data_(user_data) {}
  ~AsyncOperationsImpl() override { leave(); }

  static AsyncOperationsImpl& of(AsyncOperations& face) {
    return static_cast<AsyncOperationsImpl&>(face);
  }
  static const AsyncOperationsImpl& of(const AsyncOperations& face) {
    return static_cast<const AsyncOperationsImpl&>(face);
  }

 private:
  friend class AsyncOperations;  // The face does the rest.

  bool leave();

  const Part part_;
  const std::uint32_t operations_;
  const UserData user_data_;
  ProducerCompletionImpl* completion_ = nullptr;

  mutable std::mutex mutex_;  // Of what is below; taken ahead of the completion context's.
  Sender* sender_ = nullptr;  // While started.
};

}  // namespace comch::dpa
