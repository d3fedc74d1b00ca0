// ControlLink: see control_link.h.
#include "transport/rdma/control_link.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "wire/frame.h"

namespace comch::transport::rdma {

Result<std::unique_ptr<ControlLink>> ControlLink::create(
    Reactor& reactor, std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id,
    const ControlTerms& terms, ControlLinkOwner& owner, std::uint32_t greetings) {
  std::unique_ptr<ControlLink> link(
      new ControlLink(reactor, std::move(hub), std::move(id), terms, owner));
  Status made = link->equip();
  if (made) made = greetings == 0 ? link->open() : link->expect(greetings);
  if (!made) return std::unexpected(made.error());
  return link;
}

Result<ControlLink::Memory> ControlLink::Memory::make(Domain& domain, std::uint32_t count,
                                                      std::size_t size) {
  Result<Slots> out = Slots::create(domain, count, size, RegionAccess::kLocalRead);
  if (!out) return std::unexpected(out.error());
  Result<Slots> in = Slots::create(domain, count, size, RegionAccess::kLocalWrite);
  if (!in) return std::unexpected(in.error());
  return Memory{std::move(*out), std::move(*in), count};
}

ControlLink::ControlLink(Reactor& reactor, std::shared_ptr<EventHub> hub, std::unique_ptr<Id> id,
                         const ControlTerms& terms, ControlLinkOwner& owner)
    : reactor_(reactor),
      hub_(std::move(hub)),
      terms_(terms),
      owner_(&owner),
      id_(std::move(id)),
      sends_{SendCredits(0), SendCredits(kLetterWindow), SendCredits(kControlWindow)},
      receives_{ReceiveCredits(terms.window), ReceiveCredits(kLetterWindow),
                ReceiveCredits(kControlWindow)},
      arrived_{Fifo<Arrival>(terms.window), Fifo<Arrival>(kLetterWindow),
               Fifo<Arrival>(kControlWindow)},
      sent_(terms.depth()) {
  hub_->set_owner(*id_, *this);
}

Status ControlLink::equip() {
  const std::uint32_t count = terms_.depth();
  const std::shared_ptr<Domain> domain = id_->domain();
  auto completions = domain->make_completion_queue(2 * count + kProbes);
  if (!completions) return std::unexpected(completions.error());
  auto queue_pair = id_->create_queue_pair({.send_queue = *completions,
                                            .receive_queue = *completions,
                                            .max_sends = count + kProbes,
                                            .max_receives = count,
                                            .max_inline = 256});
  if (!queue_pair) return std::unexpected(queue_pair.error());
  queue_pair_ = std::move(*queue_pair);
  if (Status watched = reactor_.watch((*completions)->fd(), *this); !watched) return watched;
  completions_ = std::move(*completions);
  if (Status armed = completions_->arm(false); !armed) return armed;
  armed_ = true;
  return {};
}

Status ControlLink::expect(std::uint32_t greetings) {
  Result<Memory> made = Memory::make(*id_->domain(), greetings, kPacketHeader + wire::kMaxPacket);
  if (!made) return std::unexpected(made.error());
  greetings_ = std::move(*made);
  const Slots& in = greetings_->in;
  for (std::uint32_t slot = 0; slot < greetings; ++slot) {
    to_post_.push_back({kReceiveId | kGreeting | slot, in.segment(slot, in.size())});
  }
  return post_receives();
}

Status ControlLink::open() {
  Result<Memory> made = Memory::make(*id_->domain(), terms_.depth(), terms_.slot_size());
  if (!made) return std::unexpected(made.error());
  memory_ = std::move(*made);
  to_post_.reserve(memory_->count);
  for (std::uint32_t slot = 0; slot < memory_->count; ++slot) {
    to_post_.push_back({kReceiveId | slot, memory_->in.segment(slot, memory_->in.size())});
  }
  return post_receives();
}

ControlLink::~ControlLink() {
  if (completions_) reactor_.unwatch(completions_->fd());
  hub_->forget(*id_);
  // Fails where nothing was connected yet, and tells the peer where something was.
  std::ignore = id_->disconnect();
  queue_pair_.reset();
}

void ControlLink::break_now(const Break& why) {
  if (!broken_) broken_ = why;
}

// --- Out ---------------------------------------------------------------------------------

void ControlLink::set_peer_window(std::uint32_t messages) {
  sends(PacketClass::kMessages).set_window(messages);
}

bool ControlLink::can_send(PacketKind kind) const {
  // The last credit for control packets is kept for telling that ours have been freed: were both
  // sides without one, neither could ever say so.
  const bool spare = kind == PacketKind::kCredit &&
                     !receives_[static_cast<std::size_t>(PacketClass::kControl)].is_due();
  return !broken_ && sends(class_of(kind)).available() > (spare ? 1U : 0U) &&
         sent_.size() < memory().count;
}

Status ControlLink::send(PacketKind kind, std::span<const std::byte> body) {
  if (broken_) return fail(Errc::connection_reset, "the connection is broken");
  const Slots& out = memory().out;
  if (body.size() + kPacketHeader > out.size()) return fail(Errc::too_big, "a packet too long");
  if (!can_send(kind)) return fail(Errc::again, "the peer has no room");
  PacketHeader header{.kind = kind, .freed = {}};
  for (std::size_t n = 0; n < kClasses; ++n) header.freed[n] = receives_[n].tell();
  const std::uint64_t slot = next_slot_++ % memory().count;
  const std::span<std::byte> bytes = out.at(slot);
  write(header, bytes.first<kPacketHeader>());
  if (!body.empty()) std::memcpy(bytes.data() + kPacketHeader, body.data(), body.size());
  const std::size_t size = kPacketHeader + body.size();
  SendRequest request{.id = slot,
                      .opcode = SendOpcode::kSend,
                      .signalled = true,
                      .inlined = size <= queue_pair_->max_inline(),
                      .segment_count = 1,
                      .segments = {out.segment(slot, size)}};
  std::size_t posted = 0;
  if (Status s = queue_pair_->post(std::span(&request, 1), posted); !s) {
    break_now({false, false, "the device takes no more"});
    return fail(Errc::connection_reset, "the device takes no more", s.error().sys);
  }
  ++posted_;
  sends(class_of(kind)).take();
  sent_.push(kind);
  return {};
}

Status ControlLink::probe() {
  const SendRequest request{.id = kProbeId, .opcode = SendOpcode::kWrite, .signalled = true};
  std::size_t posted = 0;
  Status s = queue_pair_->post(std::span(&request, 1), posted);
  if (s) ++posted_;
  return s;
}

// --- In ----------------------------------------------------------------------------------

bool ControlLink::pump() {
  bool did = false;
  std::array<Completion, kBatch> batch;
  for (int n = 0; n < kBatchesPerPump && completions_; ++n) {
    const Result<std::size_t> count = completions_->poll(batch);
    if (!count) {
      did = did || !broken_;
      break_now({false, false, "its completions are lost"});
      return did;
    }
    const std::uint64_t now_ns = *count != 0 ? reactor_.now_ns() : 0;
    for (const Completion& completion : std::span(batch).first(*count)) take(completion, now_ns);
    did = did || *count != 0;
    if (*count < batch.size()) break;
  }
  if (did) flush();
  return did;
}

void ControlLink::take(const Completion& completion, std::uint64_t now_ns) {
  if (completion.status != CompletionStatus::kSuccess) {
    break_now({false, completion.status == CompletionStatus::kFlushed, name(completion.status)});
    return;
  }
  if ((completion.id & kReceiveId) != 0) {
    if (completion.kind != CompletionKind::kReceived) return break_by_peer("an immediate");
    return take_packet(static_cast<std::uint32_t>(completion.id), completion.bytes, now_ns);
  }
  ++completed_;
  if (completion.id == kProbeId) return;
  if (sent_.pop() == PacketKind::kMessage) ++acknowledged_;
}

std::span<std::byte> ControlLink::received(std::uint32_t slot) const {
  if ((slot & kGreeting) != 0) return greetings_->in.at(slot & ~kGreeting);
  return memory_->in.at(slot);
}

void ControlLink::take_packet(std::uint32_t slot, std::uint32_t size, std::uint64_t now_ns) {
  const std::optional<PacketHeader> header = read_header(received(slot).first(size));
  if (!header) return break_by_peer("a packet that is none");
  for (std::size_t n = 0; n < kClasses; ++n) {
    if (!sends_[n].told(header->freed[n])) return break_by_peer("credits that it does not have");
  }
  const PacketClass which = class_of(header->kind);
  const std::uint32_t body = size - static_cast<std::uint32_t>(kPacketHeader);
  if (!receives_[static_cast<std::size_t>(which)].arrived()) {
    return break_by_peer("more packets than it has credits for");
  }
  if (header->kind == PacketKind::kMessage && body > terms_.max_message) {
    return break_by_peer("a message longer than agreed");
  }
  queue(which).push({header->kind, slot, body, now_ns});
  // A packet that only carries counts has done so.
  if (header->kind == PacketKind::kCredit && queue(which).size() == 1) pop(which);
}

std::optional<std::span<const std::byte>> ControlLink::front(PacketClass which) const {
  if (queue(which).empty()) return std::nullopt;
  const Arrival& arrival = queue(which).front();
  return received(arrival.slot).subspan(kPacketHeader, arrival.size);
}

void ControlLink::pop(PacketClass which) {
  // Credits that wait behind it have had their say when they came.
  do {
    const std::uint32_t slot = queue(which).pop().slot;
    // A greeting's is not posted again: another one stands for it once the link is open.
    if ((slot & kGreeting) == 0) {
      to_post_.push_back({kReceiveId | slot, memory_->in.segment(slot, memory_->in.size())});
    }
    ++to_free_[static_cast<std::size_t>(which)];
  } while (has(which) && front_kind(which) == PacketKind::kCredit);
}

void ControlLink::flush() {
  std::ignore = post_receives();  // It breaks the link when it fails.
  tell_if_due();
}

Status ControlLink::post_receives() {
  if (to_post_.empty() || broken_) return {};
  const Status posted = queue_pair_->post(to_post_);
  if (!posted) break_now({false, false, "the device takes no receives"});
  to_post_.clear();
  // Only now: the peer is told of what is there.
  for (std::size_t n = 0; n < kClasses; ++n) {
    receives_[n].freed(std::exchange(to_free_[n], 0));
  }
  return posted;
}

bool ControlLink::is_due() const {
  return std::ranges::any_of(receives_, [](const ReceiveCredits& c) { return c.is_due(); });
}

void ControlLink::tell_if_due() {
  if (is_due() && can_send(PacketKind::kCredit)) std::ignore = send(PacketKind::kCredit, {});
}

bool ControlLink::arm() {
  if (!armed_ && !broken_) {
    if (Status s = completions_->arm(false); !s) {
      break_now({false, false, "its completions cannot be waited for"});
      return true;
    }
    armed_ = true;
  }
  return pump();
}

void ControlLink::on_readable() {
  completions_->drain();
  armed_ = false;
  owner_->on_ready();
}

}  // namespace comch::transport::rdma
