// ProducerImpl: what stands behind a dpa::Producer: a place in a MsgQ and, while it is started, a
// sender that its completion context keeps.
//
// Threads: see dpa_queue.h; the lock is for kernels that meet a stop(), which waits for a copy
// that is going on. Lifetime: outlived by the MsgQ and the completion context.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <utility>

#include "base/homebound.h"
#include "comch/dpa_queue.h"
#include "dpa/accelerator_impl.h"
#include "dpa/producer_completion_impl.h"
#include "msgq/msgq_impl.h"

namespace comch::dpa {

class ProducerImpl final : public Producer, public Homebound<ProducerImpl> {
 public:
  ProducerImpl(MsgQ& queue, Accelerator& accelerator, msgq::ProducerSeat seat)
      : queue_(queue), part_(accelerator), seat_(std::move(seat)) {}
  ~ProducerImpl() override { leave(); }

  static ProducerImpl& of(Producer& face) { return static_cast<ProducerImpl&>(face); }
  static const ProducerImpl& of(const Producer& face) {
    return static_cast<const ProducerImpl&>(face);
  }

 private:
  friend class Producer;  // The face does the rest.

  bool started() const {
    const auto lock = lock_at_home(mutex_);
    return sender_ != nullptr;
  }
  bool leave();
  Status send(ConsumerId consumer, std::span<const std::byte> immediate, const Submit& submit,
              const Copy& copy);

  MsgQ& queue_;
  const Part part_;
  const msgq::ProducerSeat seat_;
  std::uint32_t max_sends_ = 0;
  ProducerCompletionImpl* completion_ = nullptr;
  UserData user_data_;

  mutable std::mutex mutex_;  // Of what is below; taken ahead of the completion context's.
  Sender* sender_ = nullptr;  // While started.
};

}  // namespace comch::dpa
