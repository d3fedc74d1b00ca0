// FakeQueuePair: see fake_fabric.h.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "support/fake_fabric.h"

namespace comch::test {

using rdma::Completion;
using rdma::CompletionKind;
using rdma::CompletionStatus;
using rdma::ReceiveRequest;
using rdma::RegionAccess;
using rdma::SendOpcode;
using rdma::SendRequest;
using Lock = std::lock_guard<std::recursive_mutex>;

namespace {

// As a device does it for one who polls: ascending, and whoever has seen a word has seen all
// before it. The bytes are another thread's, and no plain store would do.
void place(std::byte* to, const std::byte* from, std::size_t size) {
  while (size > 0) {
    const bool word = size >= 8 && reinterpret_cast<std::uintptr_t>(to) % 8 == 0;
    const std::size_t step = word ? 8 : 1;
    if (word) {
      std::uint64_t value = 0;
      std::memcpy(&value, from, sizeof value);
      // DATA: meets the acquire of whoever polls this memory.
      __atomic_store_n(reinterpret_cast<std::uint64_t*>(to), value, __ATOMIC_RELEASE);
    } else {
      // DATA: likewise, for the bytes beside whole words.
      __atomic_store_n(reinterpret_cast<std::uint8_t*>(to), std::to_integer<std::uint8_t>(*from),
                       __ATOMIC_RELEASE);
    }
    to += step;
    from += step;
    size -= step;
  }
}

std::uint64_t size_of(const SendRequest& request) {
  std::uint64_t size = 0;
  for (std::size_t n = 0; n < request.segment_count; ++n) size += request.segments[n].length;
  return size;
}

FakeCompletionQueue& queue(const std::shared_ptr<rdma::CompletionQueue>& any) {
  return dynamic_cast<FakeCompletionQueue&>(*any);
}

}  // namespace

FakeQueuePair::FakeQueuePair(std::shared_ptr<FakeState> state, FakeHost& host, std::uint32_t domain,
                             rdma::QueuePairOptions options)
    : state_(std::move(state)),
      host_(host),
      domain_(domain),
      options_(std::move(options)),
      number_(state_->next_number++),
      max_inline_(std::min(options_.max_inline, state_->max_inline)) {
  state_->queue_pairs[number_] = this;
  ++host_.counts.queue_pairs;
}

FakeQueuePair::~FakeQueuePair() {
  const Lock lock(state_->mutex);
  state_->queue_pairs.erase(number_);
  --host_.counts.queue_pairs;
}

Status FakeQueuePair::check(const SendRequest& request) const {
  if (life_ == Life::kFresh) return fail(Errc::operating_system, "not connected", EINVAL);
  if (occupied == options_.max_sends) return fail(Errc::again, "the send queue is full", ENOMEM);
  if (request.inlined && size_of(request) > max_inline_) {
    return fail(Errc::operating_system, "too long to be inline", EINVAL);
  }
  return {};
}

Status FakeQueuePair::post(std::span<const SendRequest> requests, std::size_t& posted) {
  const Lock lock(state_->mutex);
  posted = 0;
  if (Status s = state_->may_fail(); !s) return s;
  if (!requests.empty()) ++host_.counts.doorbells;
  Status all;
  for (const SendRequest& request : requests) {
    if (all = check(request); !all) break;
    Pending& pending = pending_.emplace_back(Pending{request, {}});
    ++occupied;
    ++posted;
    ++host_.counts.work_requests;
    if (request.signalled) ++host_.counts.signalled;
    if (request.inlined) {
      ++host_.counts.inlined;
      for (std::size_t n = 0; n < request.segment_count; ++n) {
        const rdma::Segment& segment = request.segments[n];
        pending.inlined.insert(pending.inlined.end(), segment.address,
                               segment.address + segment.length);
      }
    }
    if (++state_->posted == state_->failing_request) pending.fate = state_->failing_status;
  }
  if (life_ == Life::kBroken) break_now();
  state_->pump();
  return all;
}

Status FakeQueuePair::post(std::span<const ReceiveRequest> requests) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  if (receives_.size() + requests.size() > options_.max_receives) {
    return fail(Errc::again, "the receive queue is full", ENOMEM);
  }
  if (!requests.empty()) ++host_.counts.receive_doorbells;
  host_.counts.receives_posted += requests.size();
  receives_.insert(receives_.end(), requests.begin(), requests.end());
  if (life_ == Life::kBroken) break_now();
  state_->pump();
  return {};
}

Status FakeQueuePair::connect(const rdma::Path& path, const rdma::PeerQueuePair& peer,
                              const rdma::Patience& /*patience*/) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  if (life_ != Life::kFresh) return fail(Errc::operating_system, "connected already", EINVAL);
  plug(dynamic_cast<const FakePath&>(path).to, peer.number);
  state_->pump();
  return {};
}

void FakeQueuePair::plug(FakeHost& host, std::uint32_t peer) {
  if (life_ != Life::kFresh) return;
  life_ = Life::kConnected;
  to_ = &host;
  peer_number_ = peer;
}

void FakeQueuePair::flush() {
  const Lock lock(state_->mutex);
  break_now();
}

void FakeQueuePair::break_now() {
  life_ = Life::kBroken;
  while (!pending_.empty()) complete_front(CompletionStatus::kFlushed);
  while (!receives_.empty()) {
    const ReceiveRequest request = receives_.front();
    receives_.pop_front();
    queue(options_.receive_queue)
        .push({.id = request.id,
               .status = CompletionStatus::kFlushed,
               .kind = CompletionKind::kReceived,
               .queue_pair = number_},
              0, true);
  }
}

FakeQueuePair* FakeQueuePair::peer() const {
  if (life_ != Life::kConnected || unplugged_ || !host_.alive || !to_->alive) return nullptr;
  const auto found = state_->queue_pairs.find(peer_number_);
  if (found == state_->queue_pairs.end() || &found->second->host_ != to_) return nullptr;
  FakeQueuePair& other = *found->second;
  const bool mutual = other.life_ == Life::kConnected && other.peer_number_ == number_;
  return mutual && !other.unplugged_ ? &other : nullptr;
}

bool FakeQueuePair::needs_receive(const SendRequest& request) const {
  return request.opcode != SendOpcode::kWrite;
}

// True: the first request is done with, one way or another.
bool FakeQueuePair::deliver_one() {
  if (pending_.empty()) return false;
  Pending& pending = pending_.front();
  if (pending.fate != CompletionStatus::kSuccess) {
    fail_front(pending.fate);
    return true;
  }
  FakeQueuePair* const other = peer();
  if (other == nullptr || pending.unacknowledged) return false;
  if (needs_receive(pending.request) && other->receives_.empty()) {
    if (!std::exchange(pending.met_no_receive, true)) ++other->host_.counts.not_ready;
    return false;
  }
  const CompletionStatus status = perform(pending, *other);
  if (status != CompletionStatus::kSuccess) {
    fail_front(status);
  } else if (state_->acknowledgements_to_lose != 0) {
    --state_->acknowledgements_to_lose;
    pending.unacknowledged = true;
  } else {
    complete_front(status);
  }
  return true;
}

FakeRegion* FakeQueuePair::region(std::uint32_t key) const {
  const auto found = host_.regions.find(key);
  return found == host_.regions.end() || found->second->domain != domain_ ? nullptr : found->second;
}

std::optional<std::vector<std::byte>> FakeQueuePair::gather(const Pending& pending) const {
  if (pending.request.inlined) return pending.inlined;
  std::vector<std::byte> bytes;
  for (std::size_t n = 0; n < pending.request.segment_count; ++n) {
    const rdma::Segment& segment = pending.request.segments[n];
    const FakeRegion* const from = region(segment.local_key);
    const auto at = reinterpret_cast<std::uint64_t>(segment.address);
    const bool known =
        from != nullptr && from->local_key == segment.local_key && from->covers(at, segment.length);
    if (!known && segment.length != 0) return std::nullopt;
    bytes.insert(bytes.end(), segment.address, segment.address + segment.length);
  }
  return bytes;
}

CompletionStatus FakeQueuePair::perform(const Pending& pending, FakeQueuePair& peer) {
  const SendRequest& request = pending.request;
  const auto bytes = gather(pending);
  if (!bytes) return CompletionStatus::kLocalProtection;
  const rdma::DomainLimits& limits = state_->limits;
  const bool is_send = request.opcode == SendOpcode::kSend;
  const std::uint64_t most =
      is_send ? limits.max_message : std::min(limits.max_message, limits.max_write);
  if (bytes->size() > most) return CompletionStatus::kOther;
  CompletionStatus status = CompletionStatus::kSuccess;
  if (!is_send) status = write(request, *bytes, peer);
  if (status == CompletionStatus::kSuccess && needs_receive(request)) {
    status = peer.receive(request, *bytes);
  }
  // Either device has seen that the other is at odds with it.
  if (status != CompletionStatus::kSuccess) peer.break_now();
  return status;
}

CompletionStatus FakeQueuePair::write(const SendRequest& request, std::span<const std::byte> bytes,
                                      FakeQueuePair& peer) {
  if (bytes.empty()) return CompletionStatus::kSuccess;
  const FakeRegion* const to = peer.region(request.remote_key);
  const bool allowed = to != nullptr && to->remote_key == request.remote_key &&
                       allows(to->access, RegionAccess::kRemoteWrite) &&
                       to->covers(request.remote_address, bytes.size());
  if (!allowed) return CompletionStatus::kRemoteAccess;
  const std::uint64_t offset =
      request.remote_address - reinterpret_cast<std::uint64_t>(to->address);
  place(to->address + offset, bytes.data(), bytes.size());
  return CompletionStatus::kSuccess;
}

// The peer's end of a SEND or an immediate.
CompletionStatus FakeQueuePair::receive(const SendRequest& request,
                                        std::span<const std::byte> bytes) {
  const ReceiveRequest into = receives_.front();
  receives_.pop_front();
  Completion completion{.id = into.id,
                        .status = CompletionStatus::kSuccess,
                        .kind = CompletionKind::kReceivedImmediate,
                        .bytes = static_cast<std::uint32_t>(bytes.size()),
                        .immediate = request.immediate,
                        .queue_pair = number_};
  if (request.opcode == SendOpcode::kSend) {
    completion.kind = CompletionKind::kReceived;
    const FakeRegion* const to = region(into.segment.local_key);
    const auto at = reinterpret_cast<std::uint64_t>(into.segment.address);
    if (bytes.size() > into.segment.length) {
      completion.status = CompletionStatus::kLocalLength;
    } else if (!bytes.empty() &&
               (to == nullptr ||
                !allows(to->access, RegionAccess::kLocalWrite | RegionAccess::kRemoteWrite) ||
                !to->covers(at, bytes.size()))) {
      completion.status = CompletionStatus::kLocalProtection;
    } else if (!bytes.empty()) {
      place(to->address + (at - reinterpret_cast<std::uint64_t>(to->address)), bytes.data(),
            bytes.size());
    }
  }
  queue(options_.receive_queue).push(completion, 0, request.solicited);
  return completion.status == CompletionStatus::kSuccess ? CompletionStatus::kSuccess
                                                         : CompletionStatus::kRemoteInvalid;
}

void FakeQueuePair::complete_front(CompletionStatus status) {
  const SendRequest request = pending_.front().request;
  pending_.pop_front();
  ++unsignalled_;
  if (!request.signalled && status == CompletionStatus::kSuccess) return;
  queue(options_.send_queue)
      .push({.id = request.id,
             .status = status,
             .kind = CompletionKind::kSent,
             .queue_pair = number_},
            std::exchange(unsignalled_, 0), false);
}

void FakeQueuePair::fail_front(CompletionStatus status) {
  complete_front(status);
  break_now();
}

void FakeQueuePair::time_out() {
  if (life_ != Life::kConnected || pending_.empty()) return;
  const FakeQueuePair* const other = peer();
  if (other == nullptr) {
    fail_front(CompletionStatus::kRetryExceeded);
  } else if (pending_.front().unacknowledged) {
    complete_front(CompletionStatus::kSuccess);
    state_->pump();
  } else if (needs_receive(pending_.front().request) && other->receives_.empty()) {
    fail_front(CompletionStatus::kReceiverNotReady);
  }
}

}  // namespace comch::test
