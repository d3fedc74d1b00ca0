// ControlLink: packets over one connection's own queue pair, each way with credits. The handshake
// runs over it, and then the channel does.
//
//   auto link = ControlLink::create(reactor, hub, std::move(id), terms, *this, 0).value();
//   link->id().accept(...);                      // or connect(): receives are posted already
//   link->send(PacketKind::kMessage, bytes);     // again: no credit, or none of our own slots
//   link->pump();                                // takes what has happened out of the queue
//   while (auto packet = link->front(PacketClass::kMessages)) { ...; link->pop(...); }
//   link->flush();                               // posts receives again, tells if that is due
//
// A SEND that has completed lies in a receive that the peer had posted, so that it is received
// even if this process dies at once. So does one whose receive the peer says it has posted again,
// though its acknowledgement be lost and the peer gone before it was asked for another. Packets of
// a class are received in the order they were sent.
//
// Whom nobody knows yet is given little: a link that is made for so many *greetings* has a small
// receive for each of them, once, and gets the memory of the connection with open().
//
// Threads: the reactor's. Lifetime: the destructor disconnects; the owner outlives the link.
//
// Errors: a link breaks once, and says why (broken()): the device failed, or the peer wrote what
// no correct peer writes. What has arrived before is still there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "transport/rdma/control_terms.h"
#include "transport/rdma/credits.h"
#include "transport/rdma/event_hub.h"
#include "transport/rdma/fifo.h"
#include "transport/rdma/packet.h"
#include "transport/rdma/slots.h"
#include "transport/rdma/verbs.h"
#include "transport/reactor.h"

namespace comch::transport::rdma {

struct Break {
  bool by_peer = false;  // It wrote nonsense; else the device, or the way, failed.
  bool flushed = false;  // It came of a disconnect, whoever began it.
  std::string_view what;
};

class ControlLinkOwner {
 public:
  // Something has completed: pump().
  virtual void on_ready() = 0;
  virtual void on_event(Event& event) = 0;

 protected:
  ~ControlLinkOwner() = default;
};

class ControlLink final : public IdOwner, public Readiness {
 public:
  // `id` has a domain. `greetings`: how many packets the peer has to say before open(); 0: it is
  // open at once. Errors: what the verbs say; no_memory.
  static Result<std::unique_ptr<ControlLink>> create(
      Reactor& reactor, std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id,
      const ControlTerms& terms, ControlLinkOwner& owner, std::uint32_t greetings);
  ~ControlLink();
  ControlLink(const ControlLink&) = delete;
  ControlLink& operator=(const ControlLink&) = delete;

  Id& id() { return *id_; }
  const ControlTerms& terms() const { return terms_; }
  void set_owner(ControlLinkOwner& owner) { owner_ = &owner; }

  // When the last greeting has come, and before anything is said that lets the peer send more.
  // Errors: as create().
  Status open();

  // --- Out.
  // Before the first message: how many the peer takes.
  void set_peer_window(std::uint32_t messages);
  // again: see above. connection_reset: broken. too_big: it does not fit into a slot.
  Status send(PacketKind kind, std::span<const std::byte> body);
  bool can_send(PacketKind kind) const;
  std::uint64_t messages_delivered() const {
    return std::max(acknowledged_, sends(PacketClass::kMessages).taken());
  }
  // Everything sent has been delivered.
  bool settled() const { return sent_.empty(); }
  // Asks the peer's device whether it is there: a WRITE of nothing.
  Status probe();
  // Requests posted and completed, probes among them: who stands still is lost.
  std::uint64_t posted() const { return posted_; }
  std::uint64_t completed() const { return completed_; }

  // --- In.
  // True: something has happened.
  bool pump();
  std::optional<std::span<const std::byte>> front(PacketClass which) const;
  PacketKind front_kind(PacketClass which) const { return queue(which).front().kind; }
  // When pump() found it.
  std::uint64_t front_ns(PacketClass which) const { return queue(which).front().found_ns; }
  bool has(PacketClass which) const { return !queue(which).empty(); }
  void pop(PacketClass which);
  void flush();
  // Wakes the owner for what comes from here on. True: something came meanwhile.
  bool arm();

  const std::optional<Break>& broken() const { return broken_; }
  // The peer broke the protocol in a way that only the owner could see.
  void break_by_peer(std::string_view what) { break_now({true, false, what}); }
  // An event said that it is over. What has completed before can still be pumped.
  void disconnected() { break_now({false, true, "the peer has disconnected"}); }

  void on_readable() override;
  void on_event(Event& event) override { owner_->on_event(event); }

 private:
  // What packets lie in, each way.
  struct Memory {
    static Result<Memory> make(Domain& domain, std::uint32_t count, std::size_t size);
    Slots out;
    Slots in;
    std::uint32_t count;
  };
  struct Arrival {
    PacketKind kind = PacketKind::kCredit;
    std::uint32_t slot = 0;
    std::uint32_t size = 0;  // Of the body.
    std::uint64_t found_ns = 0;
  };
  static constexpr std::uint64_t kReceiveId = std::uint64_t{1} << 32U;
  static constexpr std::uint32_t kGreeting = std::uint32_t{1} << 31U;  // Beside a receive's slot.
  static constexpr std::uint64_t kProbeId = std::uint64_t{1} << 33U;
  static constexpr std::size_t kBatch = 32;
  static constexpr int kBatchesPerPump = 8;

  ControlLink(Reactor& reactor, std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id,
              const ControlTerms& terms, ControlLinkOwner& owner);
  Status equip();
  Status expect(std::uint32_t greetings);
  const Memory& memory() const { return memory_ ? *memory_ : *greetings_; }
  std::span<std::byte> received(std::uint32_t slot) const;

  Fifo<Arrival>& queue(PacketClass which) { return arrived_[static_cast<std::size_t>(which)]; }
  const Fifo<Arrival>& queue(PacketClass which) const {
    return arrived_[static_cast<std::size_t>(which)];
  }
  SendCredits& sends(PacketClass which) { return sends_[static_cast<std::size_t>(which)]; }
  const SendCredits& sends(PacketClass which) const {
    return sends_[static_cast<std::size_t>(which)];
  }
  void take(const Completion& completion, std::uint64_t now_ns);
  void take_packet(std::uint32_t slot, std::uint32_t size, std::uint64_t now_ns);
  bool is_due() const;
  void tell_if_due();
  Status post_receives();
  void break_now(const Break& why);

  Reactor& reactor_;
  const std::shared_ptr<EventHub> hub_;
  const ControlTerms terms_;
  ControlLinkOwner* owner_;
  std::optional<Memory> greetings_;
  std::optional<Memory> memory_;  // Once it is open.
  std::unique_ptr<Id> id_;
  std::shared_ptr<CompletionQueue> completions_;
  std::shared_ptr<QueuePair> queue_pair_;  // Goes before what it works with.
  std::array<SendCredits, kClasses> sends_;
  std::array<ReceiveCredits, kClasses> receives_;
  std::array<Fifo<Arrival>, kClasses> arrived_;
  Fifo<PacketKind> sent_;  // Under way, oldest first; as many slots are in use.
  std::uint64_t next_slot_ = 0;
  std::vector<ReceiveRequest> to_post_;  // Receives that are free, and not posted again yet,
  std::array<std::uint32_t, kClasses> to_free_{};  // by class.
  std::uint64_t acknowledged_ = 0;                 // Messages.
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  bool armed_ = false;
  std::optional<Break> broken_;
};

}  // namespace comch::transport::rdma
