// ConsumerImpl: what stands behind a dpa::Consumer: a place in a MsgQ and, while it is started,
// an inbox that its completion context keeps.
//
// Threads: see dpa_queue.h; the lock is for kernels that meet a stop(). Lifetime: outlived by
// the MsgQ and the completion context.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/homebound.h"
#include "comch/dpa_queue.h"
#include "dpa/accelerator_impl.h"
#include "dpa/consumer_completion_impl.h"
#include "msgq/msgq_impl.h"

namespace comch::dpa {

class ConsumerImpl final : public Consumer, public Homebound<ConsumerImpl> {
 public:
  ConsumerImpl(MsgQ& queue, Accelerator& accelerator, msgq::ConsumerSeat seat)
      : queue_(queue), part_(accelerator), seat_(std::move(seat)) {}
  ~ConsumerImpl() override { leave(); }

  static ConsumerImpl& of(Consumer& face) { return static_cast<ConsumerImpl&>(face); }
  static const ConsumerImpl& of(const Consumer& face) {
    return static_cast<const ConsumerImpl&>(face);
  }

 private:
  friend class Consumer;  // The face does the rest.

  bool started() const {
    const auto lock = lock_at_home(mutex_);
    return attachment_ != nullptr;
  }
  bool leave();

  MsgQ& queue_;
  const Part part_;
  const msgq::ConsumerSeat seat_;
  ConsumerId id_{};
  std::uint32_t max_receives_ = 0;
  std::uint32_t immediate_size_ = msgq::kMaxImmediate;
  ConsumerCompletionImpl* completion_ = nullptr;
  std::uint32_t user_data_ = 0;

  mutable std::mutex mutex_;  // Of what is below; taken ahead of the completion context's.
  ConsumerCompletionImpl::Attachment* attachment_ = nullptr;  // While started.
};

}  // namespace comch::dpa
