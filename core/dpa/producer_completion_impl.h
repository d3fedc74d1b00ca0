// ProducerCompletionImpl: what stands behind a ProducerCompletion: it keeps the senders that are
// attached, and hands out their completions, in turns.
//
// One lock guards this and the senders, so that a producer can be stopped while a kernel runs.
// It is never held while data is copied, nor while the notifier is asked.
//
// Threads: any. Lifetime: outlives what is attached. Errors: see dpa_queue.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/homebound.h"
#include "comch/dpa_queue.h"
#include "dpa/device_map.h"
#include "dpa/element_ring.h"
#include "dpa/notifier.h"
#include "dpa/sender.h"

namespace comch::dpa {

class ProducerCompletionImpl final : public ProducerCompletion,
                                     public Arrivals,
                                     public Homebound<ProducerCompletionImpl> {
 public:
  ProducerCompletionImpl(Accelerator& accelerator, std::uint32_t elements)
      : part_(accelerator), size_(elements) {}
  ~ProducerCompletionImpl() override;

  static ProducerCompletionImpl& of(ProducerCompletion& face) {
    return static_cast<ProducerCompletionImpl&>(face);
  }
  static const ProducerCompletionImpl& of(const ProducerCompletion& face) {
    return static_cast<const ProducerCompletionImpl&>(face);
  }

  // For producers and asynchronous operations.
  // bad_state: not started. full: kMaxAttached.
  Result<Sender*> attach(std::unique_ptr<Sender> sender);
  // What it has submitted is still completed.
  void detach(Sender& sender);
  // It is forgotten at once, and so are its completions.
  void drop(Sender& sender);
  std::shared_ptr<msgq::Doorbell> doorbell() const { return notifier_; }

  // One operation, with the copy that belongs to it; `begin` begins it on its sender.
  template <class Begin>
  Status operate(Sender& sender, const Submit& submit, const Copy& copy, Begin&& begin) {
    const Result<Sender::Operation> operation = locked(std::forward<Begin>(begin));
    if (!operation) return std::unexpected(operation.error());
    copy.run();
    locked([&] { sender.finish(*operation); });
    if (submit.report) notifier_->ring();
    return {};
  }
  template <class Use>
  auto locked(Use&& use) {
    const std::lock_guard lock(mutex_);
    return use();
  }

 private:
  friend class ProducerCompletion;  // The face does the rest.

  bool has_arrivals() override;
  const SendElement* get();

  const Part part_;
  const std::uint32_t size_;
  ThreadImpl* thread_ = nullptr;
  const std::shared_ptr<Notifier> notifier_ = std::make_shared<Notifier>(*this);

  mutable std::mutex mutex_;  // Of what is below.
  bool started_ = false;
  std::uint32_t attached_ = 0;  // And not leaving.
  std::vector<std::unique_ptr<Sender>> senders_;
  std::size_t turn_ = 0;
  ElementRing<SendElement> elements_;
};

}  // namespace comch::dpa
