// Link: see link.h.
#include "transport/rdma/link.h"

#include <array>
#include <utility>

namespace comch::transport::rdma {
namespace {

constexpr std::uint64_t kReceiveId = ~std::uint64_t{0};  // No position of a send.

// What the application is told. Who it was is known by the object that breaks.
Error failure_of(CompletionStatus status) {
  switch (status) {
    case CompletionStatus::kRemoteAccess:
    case CompletionStatus::kRemoteInvalid:
      return {Errc::connection_reset, 0, "the other side's device refused a write to its memory"};
    case CompletionStatus::kRetryExceeded:
    case CompletionStatus::kReceiverNotReady:
      return {Errc::connection_reset, 0, "the other side's device does not answer"};
    case CompletionStatus::kLocalProtection:
    case CompletionStatus::kLocalLength:
      return {Errc::connection_reset, 0, "the device may not read the memory that was sent"};
    default:
      return {Errc::connection_reset, 0, "the other side is gone"};
  }
}

Result<std::unique_ptr<Link>> make_in(Domain& domain, std::uint32_t sends) {
  auto completions = domain.make_completion_queue(sends + Link::kReceives);
  if (!completions) return std::unexpected(completions.error());
  auto pair = domain.make_queue_pair({.send_queue = *completions,
                                      .receive_queue = *completions,
                                      .max_sends = sends,
                                      .max_receives = Link::kReceives,
                                      .max_inline = Link::kInline});
  if (!pair) return std::unexpected(pair.error());
  return std::make_unique<Link>(std::move(*completions), std::move(*pair), sends);
}

}  // namespace

Result<std::unique_ptr<Link>> Link::make(const Fabric& fabric, std::uint32_t sends) {
  return make_in(*fabric.domain, sends);
}

Result<std::unique_ptr<Link>> Link::make_writable(const Fabric& fabric, std::uint32_t sends) {
  return make_in(*fabric.exposed, sends);
}

Link::Link(std::shared_ptr<CompletionQueue> completions, std::shared_ptr<QueuePair> pair,
           std::uint32_t sends)
    : completions_(std::move(completions)), pair_(std::move(pair)), sends_(sends) {}

wire::PairEnd Link::self() const {
  const PeerQueuePair self = pair_->self();
  return {self.number, self.first_packet};
}

Status Link::connect(const Fabric& fabric, const wire::PairEnd& peer) {
  const Status done =
      pair_->connect(*fabric.path, {peer.number, peer.first_packet}, fabric.patience);
  return done ? post_receives(kReceives) : done;
}

Status Link::post_receives(std::uint32_t count) {
  std::array<ReceiveRequest, kReceives> requests;
  requests.fill({.id = kReceiveId});
  return pair_->post(std::span<const ReceiveRequest>(requests).first(count));
}

Status Link::post(std::span<SendRequest> requests) {
  if (failure_) return std::unexpected(*failure_);
  requests.back().signalled = true;
  for (std::size_t n = 0; n < requests.size(); ++n) requests[n].id = posted_ + n + 1;
  std::size_t count = 0;
  const Status done = pair_->post(std::span<const SendRequest>(requests), count);
  posted_ += count;
  // A part of a post has nothing signalled behind it, and would never be known to be complete.
  if (!done) fail_with({Errc::connection_reset, done.error().sys, "the device takes no request"});
  return failure_ ? Status(std::unexpected(*failure_)) : Status();
}

void Link::ring() {
  std::array<SendRequest, 1> request{
      SendRequest{.opcode = SendOpcode::kWriteWithImmediate, .solicited = true}};
  if (post(request)) ++wakes_sent_;
}

void Link::took(const Completion& completion) {
  if (completion.status != CompletionStatus::kSuccess) {
    return fail_with(failure_of(completion.status));
  }
  if (completion.id != kReceiveId) {
    if (completion.id <= posted_ && completion.id > done_) done_ = completion.id;
    return;
  }
  ++rings_;
  if (const Status posted = post_receives(1); !posted) fail_with(posted.error());
}

bool Link::poll() {
  std::array<Completion, 16> completions;
  const Result<std::size_t> count = completions_->poll(completions);
  if (!count) {
    const bool is_new = !failure_;
    fail_with({Errc::connection_reset, count.error().sys, "the device's completions are lost"});
    return is_new;
  }
  for (std::size_t n = 0; n < *count; ++n) took(completions[n]);
  return *count != 0;
}

std::uint32_t Link::take_rings() { return std::exchange(rings_, 0); }

void Link::arm() {
  if (armed_ || failure_) return;
  const Status armed = completions_->arm(false);
  armed_ = armed.has_value();
  if (!armed) fail_with(armed.error());
}

void Link::drain() {
  completions_->drain();
  armed_ = false;
}

void Link::flush() {
  pair_->flush();
  fail_with({Errc::connection_reset, 0, "the peer is gone"});
}

void Link::fail_with(const Error& error) {
  if (!failure_) failure_ = error;
}

SendRequest write_to(const wire::Target& target, std::uint64_t offset, const Segment& from,
                     std::uint32_t max_inline) {
  return {.opcode = SendOpcode::kWrite,
          .inlined = from.length <= max_inline,
          .segment_count = 1,
          .segments = {from},
          .remote_address = target.address + offset,
          .remote_key = target.key};
}

}  // namespace comch::transport::rdma
