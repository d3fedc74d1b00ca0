// RealDomain: a Domain of libibverbs, and the regions, queues and queue pairs made in it.
//
// Threads, Lifetime, Errors: as traffic.h says. Everything made in a domain keeps it. The device
// itself is librdmacm's, which keeps it open until the process ends.
#pragma once

#include <infiniband/verbs.h>

#include <memory>
#include <string>

#include "transport/rdma/real_handles.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

// Bytes of payload in one packet.
inline std::uint32_t packet_size(const ibv_port_attr& port) {
  return std::uint32_t{128} << static_cast<unsigned>(port.active_mtu);  // IBV_MTU_256 is 1.
}

class RealDomain final : public Domain, public std::enable_shared_from_this<RealDomain> {
 public:
  // `context` is one of librdmacm's own; `port` the one that connections will use.
  static Result<std::shared_ptr<RealDomain>> make(ibv_context& context, std::uint8_t port);

  RealDomain(ProtectionDomain protection, const DomainLimits& limits);

  Result<std::shared_ptr<Domain>> make_another() override;

  const std::string& device_name() const override { return name_; }
  const DomainLimits& limits() const override { return limits_; }
  Result<std::shared_ptr<MemoryRegion>> register_memory(std::span<std::byte> range,
                                                        RegionAccess access) override;
  Result<std::shared_ptr<CompletionQueue>> make_completion_queue(std::uint32_t depth) override;
  Result<std::shared_ptr<QueuePair>> make_queue_pair(const QueuePairOptions& options) override;

  ibv_context& context() const { return *protection_->context; }
  ibv_pd& protection() const { return *protection_; }

 private:
  const ProtectionDomain protection_;
  const DomainLimits limits_;
  const std::string name_;
};

}  // namespace comch::transport::rdma
