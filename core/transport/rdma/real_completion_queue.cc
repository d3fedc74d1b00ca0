// RealCompletionQueue: see real_completion_queue.h.
#include "transport/rdma/real_completion_queue.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "os/fd.h"
#include "transport/rdma/real_domain.h"

namespace comch::transport::rdma {
namespace {

constexpr std::size_t kPolledMax = 32;  // In one call of the library; lies on the stack.

CompletionStatus status_of(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_SUCCESS:
      return CompletionStatus::kSuccess;
    case IBV_WC_WR_FLUSH_ERR:
      return CompletionStatus::kFlushed;
    case IBV_WC_RETRY_EXC_ERR:
      return CompletionStatus::kRetryExceeded;
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return CompletionStatus::kReceiverNotReady;
    case IBV_WC_REM_ACCESS_ERR:
      return CompletionStatus::kRemoteAccess;
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_OP_ERR:
      return CompletionStatus::kRemoteInvalid;
    case IBV_WC_LOC_PROT_ERR:
    case IBV_WC_LOC_ACCESS_ERR:
      return CompletionStatus::kLocalProtection;
    case IBV_WC_LOC_LEN_ERR:
      return CompletionStatus::kLocalLength;
    default:
      return CompletionStatus::kOther;
  }
}

CompletionKind kind_of(ibv_wc_opcode opcode) {
  if (opcode == IBV_WC_RECV_RDMA_WITH_IMM) return CompletionKind::kReceivedImmediate;
  return opcode == IBV_WC_RECV ? CompletionKind::kReceived : CompletionKind::kSent;
}

// Of a completion that failed, the library fills in the id, the status and the queue pair only.
Completion completion_of(const ibv_wc& from) {
  Completion made{.id = from.wr_id, .status = status_of(from.status), .queue_pair = from.qp_num};
  if (made.status != CompletionStatus::kSuccess) return made;
  made.kind = kind_of(from.opcode);
  made.bytes = made.kind == CompletionKind::kSent ? 0 : from.byte_len;
  if ((from.wc_flags & IBV_WC_WITH_IMM) != 0) made.immediate = be32toh(from.imm_data);
  return made;
}

}  // namespace

Result<std::shared_ptr<CompletionQueue>> RealCompletionQueue::make(
    std::shared_ptr<const RealDomain> domain, std::uint32_t depth) {
  if (depth == 0 || depth > domain->limits().max_completions) {
    return fail(Errc::invalid_value, "the RDMA device has no completion queue of this depth");
  }
  WakeChannel channel(ibv_create_comp_channel(&domain->context()));
  if (channel == nullptr) {
    return fail(Errc::operating_system, "the RDMA device gives no completion channel", errno);
  }
  if (Status s = os::set_nonblocking(channel->fd); !s) return std::unexpected(s.error());
  Completions queue(
      ibv_create_cq(&domain->context(), static_cast<int>(depth), nullptr, channel.get(), 0));
  if (queue == nullptr) {
    return fail(Errc::operating_system, "the RDMA device gives no completion queue", errno);
  }
  return std::make_shared<RealCompletionQueue>(std::move(domain), std::move(channel),
                                               std::move(queue));
}

RealCompletionQueue::RealCompletionQueue(std::shared_ptr<const RealDomain> domain,
                                         WakeChannel channel, Completions queue)
    : domain_(std::move(domain)), channel_(std::move(channel)), queue_(std::move(queue)) {}

// The library waits for every wake-up that was taken and not acknowledged; drain() does both.
RealCompletionQueue::~RealCompletionQueue() = default;

Result<std::size_t> RealCompletionQueue::poll(std::span<Completion> out) {
  std::array<ibv_wc, kPolledMax> polled;
  std::size_t taken = 0;
  while (taken < out.size()) {
    const std::size_t wanted = std::min(out.size() - taken, polled.size());
    const int got = ibv_poll_cq(queue_.get(), static_cast<int>(wanted), polled.data());
    if (got < 0) return fail(Errc::io_failed, "the completion queue has overflowed, or is gone");
    const auto count = static_cast<std::size_t>(got);
    std::ranges::transform(std::span(polled).first(count), out.subspan(taken).begin(),
                           completion_of);
    taken += count;
    if (count < wanted) break;
  }
  return taken;
}

Status RealCompletionQueue::arm(bool solicited_only) {
  const int failed = ibv_req_notify_cq(queue_.get(), solicited_only ? 1 : 0);
  if (failed == 0) return {};
  return fail(Errc::operating_system, "the completion queue gives no wake-up", failed);
}

void RealCompletionQueue::drain() {
  unsigned taken = 0;
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  while (ibv_get_cq_event(channel_.get(), &queue, &context) == 0) ++taken;
  if (taken != 0) ibv_ack_cq_events(queue_.get(), taken);
}

}  // namespace comch::transport::rdma
