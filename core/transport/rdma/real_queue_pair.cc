// RealQueuePair: see real_queue_pair.h.
#include "transport/rdma/real_queue_pair.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <utility>

#include "os/random.h"
#include "transport/rdma/real_completion_queue.h"
#include "transport/rdma/real_domain.h"

namespace comch::transport::rdma {
namespace {

constexpr std::size_t kChainMax = 64;             // Requests of one doorbell; on the stack.
constexpr std::uint32_t kPacketMask = 0xff'ffff;  // Packets are counted in 24 bits.

ibv_sge segment_of(const Segment& segment) {
  return {.addr = std::bit_cast<std::uintptr_t>(segment.address),
          .length = segment.length,
          .lkey = segment.local_key};
}

ibv_wr_opcode opcode_of(SendOpcode opcode) {
  switch (opcode) {
    case SendOpcode::kSend:
      return IBV_WR_SEND;
    case SendOpcode::kWrite:
      return IBV_WR_RDMA_WRITE;
    case SendOpcode::kWriteWithImmediate:
      break;
  }
  return IBV_WR_RDMA_WRITE_WITH_IMM;
}

unsigned flags_of(const SendRequest& request) {
  unsigned flags = 0;
  if (request.signalled) flags |= IBV_SEND_SIGNALED;
  if (request.inlined) flags |= IBV_SEND_INLINE;
  if (request.solicited) flags |= IBV_SEND_SOLICITED;
  return flags;
}

// One work request of the library, and what it points to.
struct SendWork {
  ibv_send_wr request;
  std::array<ibv_sge, SendRequest::kMaxSegments> segments;

  void fill(const SendRequest& from, ibv_send_wr* next) {
    request = {};
    std::ranges::transform(from.segments, segments.begin(), segment_of);
    request.wr_id = from.id;
    request.next = next;
    request.sg_list = segments.data();
    request.num_sge = from.segment_count;
    request.opcode = opcode_of(from.opcode);
    request.send_flags = flags_of(from);
    if (from.opcode == SendOpcode::kWriteWithImmediate) {
      request.imm_data = htobe32(from.immediate);
    }
    if (from.opcode != SendOpcode::kSend) {
      request.wr.rdma.remote_addr = from.remote_address;
      request.wr.rdma.rkey = from.remote_key;
    }
  }
};

struct ReceiveWork {
  ibv_recv_wr request;
  ibv_sge segment;

  // A receive without a place still has a segment: some devices refuse one that has none.
  void fill(const ReceiveRequest& from, ibv_recv_wr* next) {
    segment = segment_of(from.segment);
    request = {.wr_id = from.id,
               .next = next,
               .sg_list = from.segment.length == 0 ? nullptr : &segment,
               .num_sge = from.segment.length == 0 ? 0 : 1};
  }
};

// Links the works of `requests` into one chain; the last ends it.
template <class Work, class Request>
void chain(std::span<const Request> requests, std::array<Work, kChainMax>& works) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    works[i].fill(requests[i], i + 1 < requests.size() ? &works[i + 1].request : nullptr);
  }
}

Result<RealPath::Step> step_of(rdma_cm_id& id, ibv_qp_state state) {
  RealPath::Step step;
  step.attributes.qp_state = state;
  if (rdma_init_qp_attr(&id, &step.attributes, &step.mask) == 0) return step;
  // So the kernel says that it knows of no peer any more.
  if (errno == EINVAL) return fail(Errc::connection_reset, "the connection has ended", errno);
  return fail(Errc::operating_system, "the connection does not say how its packets go", errno);
}

}  // namespace

ibv_qp_init_attr queue_pair_attributes(const QueuePairOptions& options) {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = &static_cast<RealCompletionQueue&>(*options.send_queue).queue();
  wanted.recv_cq = &static_cast<RealCompletionQueue&>(*options.receive_queue).queue();
  wanted.cap = {.max_send_wr = options.max_sends,
                .max_recv_wr = options.max_receives,
                .max_send_sge = SendRequest::kMaxSegments,
                .max_recv_sge = 1,
                .max_inline_data = options.max_inline};
  wanted.qp_type = IBV_QPT_RC;
  return wanted;
}

Result<std::shared_ptr<const Path>> RealPath::make(rdma_cm_id& id) {
  auto path = std::make_shared<RealPath>();
  for (const auto& [step, state] :
       {std::pair(&path->initialise, IBV_QPS_INIT), std::pair(&path->receive, IBV_QPS_RTR),
        std::pair(&path->send, IBV_QPS_RTS)}) {
    Result<Step> made = step_of(id, state);
    if (!made) return std::unexpected(made.error());
    *step = *made;
  }
  return path;
}

Result<std::shared_ptr<RealQueuePair>> RealQueuePair::make(std::shared_ptr<const RealDomain> domain,
                                                           Queues queues,
                                                           const QueuePairOptions& options,
                                                           std::uint32_t max_inline) {
  std::uint32_t first_packet = 0;
  const auto bytes = std::as_writable_bytes(std::span(&first_packet, 1));
  if (Status s = os::fill_random(bytes); !s) return std::unexpected(s.error());
  return std::make_shared<RealQueuePair>(std::move(domain), std::move(queues), options, max_inline,
                                         first_packet & kPacketMask);
}

RealQueuePair::RealQueuePair(std::shared_ptr<const RealDomain> domain, Queues queues,
                             const QueuePairOptions& options, std::uint32_t max_inline,
                             std::uint32_t first_packet)
    : domain_(std::move(domain)),
      send_queue_(options.send_queue),
      receive_queue_(options.receive_queue),
      queues_(std::move(queues)),
      max_inline_(max_inline),
      first_packet_(first_packet) {}

Status RealQueuePair::post(std::span<const SendRequest> requests, std::size_t& posted) {
  std::array<SendWork, kChainMax> works;
  for (posted = 0; posted < requests.size();) {
    const auto part = requests.subspan(posted, std::min(requests.size() - posted, kChainMax));
    chain(part, works);
    ibv_send_wr* refused = nullptr;
    const int failed = ibv_post_send(queues_.get(), &works.front().request, &refused);
    if (failed == 0) {
      posted += part.size();
      continue;
    }
    for (std::size_t i = 0; i < part.size() && &works[i].request != refused; ++i) ++posted;
    if (failed == ENOMEM) return fail(Errc::again, "the send queue is full", failed);
    return fail(Errc::operating_system, "the RDMA device does not take a send", failed);
  }
  return {};
}

Status RealQueuePair::post(std::span<const ReceiveRequest> requests) {
  std::array<ReceiveWork, kChainMax> works;
  while (!requests.empty()) {
    const auto part = requests.first(std::min(requests.size(), kChainMax));
    chain(part, works);
    ibv_recv_wr* refused = nullptr;
    const int failed = ibv_post_recv(queues_.get(), &works.front().request, &refused);
    if (failed == ENOMEM) return fail(Errc::again, "the receive queue is full", failed);
    if (failed != 0) {
      return fail(Errc::operating_system, "the RDMA device does not take a receive", failed);
    }
    requests = requests.subspan(part.size());
  }
  return {};
}

Status RealQueuePair::take(const RealPath::Step& step) {
  ibv_qp_attr attributes = step.attributes;
  const int failed = ibv_modify_qp(queues_.get(), &attributes, step.mask);
  if (failed == 0) return {};
  return fail(Errc::operating_system, "the queue pair does not come to life", failed);
}

Status RealQueuePair::connect(const Path& path, const PeerQueuePair& peer,
                              const Patience& patience) {
  const auto& way = static_cast<const RealPath&>(path);
  RealPath::Step receive = way.receive;
  receive.attributes.dest_qp_num = peer.number;
  receive.attributes.rq_psn = peer.first_packet & kPacketMask;
  receive.attributes.min_rnr_timer = patience.min_rnr_timer;
  receive.mask |= IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MIN_RNR_TIMER;
  RealPath::Step send = way.send;
  send.attributes.sq_psn = first_packet_;
  send.attributes.timeout = patience.ack_timeout;
  send.attributes.retry_cnt = patience.retry_count;
  send.attributes.rnr_retry = patience.rnr_retry_count;
  send.mask |= IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY;
  if (Status s = take(way.initialise); !s) return s;
  if (Status s = take(receive); !s) return s;
  return take(send);
}

Status RealQueuePair::set_min_rnr_timer(std::uint8_t code) {
  RealPath::Step step;
  step.attributes.min_rnr_timer = code;
  step.mask = IBV_QP_MIN_RNR_TIMER;
  return take(step);
}

void RealQueuePair::flush() {
  RealPath::Step step;
  step.attributes.qp_state = IBV_QPS_ERR;
  step.mask = IBV_QP_STATE;
  // A device that is gone has flushed it already.
  [[maybe_unused]] const Status flushed = take(step);
}

}  // namespace comch::transport::rdma
