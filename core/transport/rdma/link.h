// Link: one end of a queue pair that two threads have to themselves, with a completion queue of
// its own. What it carries are writes into memory that the other end has named, and rings: writes
// of nothing that complete a receive there.
//
//   auto link = Link::make(fabric, sends).value();
//   tell the other end link->self(); when it has told the same: link->connect(fabric, peer)
//   if (link->room() >= 2) link->post(requests);
//   link->poll();  ... link->done() >= position of what was posted
//
// Every work request has a position, counted from 1; they complete in order. The last one of a
// post is signalled, so that done() comes to posted() with time, or the link breaks.
//
// Threads: make() and connect() one, from then on one other; the handover between them is the
// caller's. Lifetime: memory that requests name outlives it. Errors: a link that has broken stays
// so, and failure() says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "transport/rdma/fabric.h"
#include "transport/rdma/pinned.h"
#include "wire/rdma_packet.h"

namespace comch::transport::rdma {

class Link {
 public:
  // Receives that wait for rings. One ring is under way per episode of a bell, and a new episode
  // begins when the last was seen, so that more than two are never used.
  static constexpr std::uint32_t kReceives = 4;
  static constexpr std::uint32_t kInline = 256;  // Bytes that we would like to send inline.

  // operating_system, no_memory: the device gives no queue pair.
  static Result<std::unique_ptr<Link>> make(const Fabric& fabric, std::uint32_t sends);
  // By which the other end may write to what is registered with `fabric.exposed`.
  static Result<std::unique_ptr<Link>> make_writable(const Fabric& fabric, std::uint32_t sends);
  Link(std::shared_ptr<CompletionQueue> completions, std::shared_ptr<QueuePair> pair,
       std::uint32_t sends);

  wire::PairEnd self() const;
  // operating_system: the device refuses.
  Status connect(const Fabric& fabric, const wire::PairEnd& peer);

  std::uint32_t max_inline() const { return pair_->max_inline(); }
  // How many requests may be posted now.
  std::uint32_t room() const { return sends_ - static_cast<std::uint32_t>(posted_ - done_); }
  // With one doorbell. The caller knows that there is room.
  Status post(std::span<SendRequest> requests);
  // Wakes the other end. The caller knows that there is room.
  void ring();

  // Takes completions; true when something came.
  bool poll();
  std::uint64_t posted() const { return posted_; }
  std::uint64_t done() const { return done_; }
  bool idle() const { return posted_ == done_ || failure_; }
  // Rings that came since the last call.
  std::uint32_t take_rings();
  const std::optional<Error>& failure() const { return failure_; }

  // Before sleeping: fd() becomes readable with the next completion. poll() once more behind it.
  void arm();
  int fd() const { return completions_->fd(); }
  // fd() was readable.
  void drain();
  // Everything under way is over, for good.
  void flush();

  std::uint64_t wakes_sent() const { return wakes_sent_; }

 private:
  Status post_receives(std::uint32_t count);
  void took(const Completion& completion);
  void fail_with(const Error& error);

  const std::shared_ptr<CompletionQueue> completions_;
  const std::shared_ptr<QueuePair> pair_;
  const std::uint32_t sends_;
  std::uint64_t posted_ = 0;
  std::uint64_t done_ = 0;
  std::uint32_t rings_ = 0;
  std::uint64_t wakes_sent_ = 0;
  bool armed_ = false;
  std::optional<Error> failure_;
};

// A write of `length` bytes of `from` to `offset` of the other side's `target`.
SendRequest write_to(const wire::Target& target, std::uint64_t offset, const Segment& from,
                     std::uint32_t max_inline);

}  // namespace comch::transport::rdma
