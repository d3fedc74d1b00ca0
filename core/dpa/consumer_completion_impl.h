// ConsumerCompletionImpl: what stands behind a ConsumerCompletion: it gets messages from the
// inboxes of the consumers that are attached, in turns, and keeps each until it is acknowledged.
//
// One lock guards this and the inboxes, so that a consumer can be stopped while a kernel runs.
// A kernel takes it uncontended; it is never held while the notifier is asked.
//
// Threads: any. Lifetime: outlives what is attached. Errors: see dpa_queue.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/homebound.h"
#include "comch/dpa_queue.h"
#include "dpa/element_ring.h"
#include "dpa/notifier.h"
#include "msgq/inbox.h"

namespace comch::dpa {

class ConsumerCompletionImpl final : public ConsumerCompletion,
                                     public Arrivals,
                                     public Homebound<ConsumerCompletionImpl> {
 public:
  // A consumer that is attached.
  struct Attachment {
    Attachment(std::shared_ptr<msgq::Mailbox> mailbox, std::uint32_t data)
        : inbox(std::move(mailbox)), user_data(data) {}
    msgq::Inbox inbox;
    const std::uint32_t user_data;
    bool leaving = false;  // Closed, and here only until what has arrived was got.
  };

  ConsumerCompletionImpl() = default;
  ~ConsumerCompletionImpl() override;

  static ConsumerCompletionImpl& of(ConsumerCompletion& face) {
    return static_cast<ConsumerCompletionImpl&>(face);
  }
  static const ConsumerCompletionImpl& of(const ConsumerCompletion& face) {
    return static_cast<const ConsumerCompletionImpl&>(face);
  }

  // For consumers.
  // bad_state: not started. invalid_value: it takes less immediate data. full.
  Status require_room_for(std::uint32_t immediate_size);
  std::shared_ptr<msgq::Doorbell> doorbell() const { return notifier_; }
  Attachment& attach(std::shared_ptr<msgq::Mailbox> mailbox, std::uint32_t user_data);
  void detach(Attachment& attachment);
  // invalid_value: more than the mailbox's depth would be posted.
  Status post(Attachment& attachment, std::uint32_t count);

 private:
  friend class ConsumerCompletion;  // The face does the rest.

  struct Element {
    ReceiveElement face;
    std::array<std::byte, msgq::kMaxImmediate> bytes;
  };

  bool has_arrivals() override;
  const ReceiveElement* get();
  void forget_the_drained();

  std::uint32_t max_consumers_ = 64;
  std::uint32_t max_receives_ = 0;
  std::uint32_t immediate_size_ = msgq::kMaxImmediate;
  ThreadImpl* thread_ = nullptr;
  const std::shared_ptr<Notifier> notifier_ = std::make_shared<Notifier>(*this);

  mutable std::mutex mutex_;  // Of what is below.
  bool started_ = false;
  std::uint32_t consumers_ = 0;  // Attached and not leaving.
  std::vector<std::unique_ptr<Attachment>> attachments_;
  std::size_t turn_ = 0;
  ElementRing<Element> elements_;
};

}  // namespace comch::dpa
