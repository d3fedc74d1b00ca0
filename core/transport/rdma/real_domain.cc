// RealDomain: see real_domain.h.
#include "transport/rdma/real_domain.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "transport/rdma/real_completion_queue.h"
#include "transport/rdma/real_queue_pair.h"

namespace comch::transport::rdma {
namespace {

class RealRegion final : public MemoryRegion {
 public:
  RealRegion(std::shared_ptr<const RealDomain> domain, Region region)
      : domain_(std::move(domain)), region_(std::move(region)) {
    address = static_cast<std::byte*>(region_->addr);
    length = region_->length;
    local_key = region_->lkey;
    remote_key = region_->rkey;
  }

 private:
  const std::shared_ptr<const RealDomain> domain_;
  const Region region_;
};

int flags_of(RegionAccess access) {
  if (allows(access, RegionAccess::kRemoteWrite)) {
    return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
  }
  return allows(access, RegionAccess::kLocalWrite) ? IBV_ACCESS_LOCAL_WRITE : 0;
}

// When soft-RoCE sends a write of several packets again, its acknowledgement comes in the middle of
// that, and something is lost once more, then kernel 6.1 goes on in the wrong place: packets bear
// numbers of others from then on, and the peer's device refuses them. Nothing can come in the
// middle of one packet. Besides, where each is acknowledged, the next loss is told at once, and not
// found by the timeout.
std::uint64_t longest_write(const ibv_device_attr& device, const ibv_port_attr& link) {
  constexpr std::uint32_t kSoftRoce = 0xffffff;  // As a vendor.
  return device.vendor_id == kSoftRoce ? packet_size(link) : link.max_msg_sz;
}

std::uint32_t positive(int number) { return static_cast<std::uint32_t>(std::max(number, 0)); }

Result<std::shared_ptr<RealDomain>> make_with(ibv_context& context, const DomainLimits& limits) {
  ProtectionDomain protection(ibv_alloc_pd(&context));
  if (protection == nullptr) {
    return fail(Errc::operating_system, "the RDMA device gives no protection domain", errno);
  }
  return std::make_shared<RealDomain>(std::move(protection), limits);
}

}  // namespace

Result<std::shared_ptr<RealDomain>> RealDomain::make(ibv_context& context, std::uint8_t port) {
  ibv_device_attr device{};
  if (const int failed = ibv_query_device(&context, &device); failed != 0) {
    return fail(Errc::operating_system, "the RDMA device does not say what it can do", failed);
  }
  ibv_port_attr link{};
  if (const int failed = ibv_query_port(&context, port, &link); failed != 0) {
    return fail(Errc::operating_system, "the RDMA device does not say what its port can do",
                failed);
  }
  const DomainLimits limits{.max_message = link.max_msg_sz,
                            .max_write = longest_write(device, link),
                            .max_completions = positive(device.max_cqe)};
  return make_with(context, limits);
}

Result<std::shared_ptr<Domain>> RealDomain::make_another() { return make_with(context(), limits_); }

RealDomain::RealDomain(ProtectionDomain protection, const DomainLimits& limits)
    : protection_(std::move(protection)),
      limits_(limits),
      name_(ibv_get_device_name(protection_->context->device)) {}

Result<std::shared_ptr<MemoryRegion>> RealDomain::register_memory(std::span<std::byte> range,
                                                                  RegionAccess access) {
  // Not the macro of that name: it would register on demand what is given by a constant.
  Region region((ibv_reg_mr)(protection_.get(), range.data(), range.size(), flags_of(access)));
  if (region != nullptr) return std::make_shared<RealRegion>(shared_from_this(), std::move(region));
  const int failed = errno;
  if (failed == ENOMEM) {
    return fail(Errc::no_memory, "memory cannot be pinned for RDMA; raise `ulimit -l`", failed);
  }
  if (failed == EFAULT || failed == EINVAL) {
    return fail(Errc::invalid_value, "memory is not mapped, or not as RDMA would use it", failed);
  }
  return fail(Errc::operating_system, "memory cannot be registered for RDMA", failed);
}

Result<std::shared_ptr<CompletionQueue>> RealDomain::make_completion_queue(std::uint32_t depth) {
  return RealCompletionQueue::make(shared_from_this(), depth);
}

Result<std::shared_ptr<QueuePair>> RealDomain::make_queue_pair(const QueuePairOptions& options) {
  ibv_qp_init_attr wanted = queue_pair_attributes(options);
  Queues queues(ibv_create_qp(protection_.get(), &wanted));
  if (queues == nullptr && wanted.cap.max_inline_data != 0) {
    // What is inlined is a wish, and some devices refuse one that goes too far.
    wanted = queue_pair_attributes(options);
    wanted.cap.max_inline_data = 0;
    queues.reset(ibv_create_qp(protection_.get(), &wanted));
  }
  if (queues == nullptr) {
    return fail(Errc::operating_system, "the RDMA device gives no queue pair", errno);
  }
  return RealQueuePair::make(shared_from_this(), std::move(queues), options,
                             wanted.cap.max_inline_data);
}

}  // namespace comch::transport::rdma
