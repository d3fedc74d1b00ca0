// RealId: see real_id.h.
#include "transport/rdma/real_id.h"

#include <cerrno>
#include <utility>

#include "transport/rdma/real_address.h"

namespace comch::transport::rdma {
namespace {

std::unexpected<Error> refused(const char* what) {
  return fail(Errc::operating_system, what, errno);
}

// Of which the peer's packets are: the kernel tells the way to it by the local GID's place in the
// device's table, and the table has each GID's network device. 0: neither says.
std::uint32_t interface_of(rdma_cm_id& id) {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RTR;
  int mask = 0;
  if (id.verbs == nullptr || rdma_init_qp_attr(&id, &attributes, &mask) != 0) return 0;
  const ibv_ah_attr& way = attributes.ah_attr;
  ibv_gid_entry local{};
  if (ibv_query_gid_ex(id.verbs, way.port_num, way.grh.sgid_index, &local, 0) != 0) return 0;
  return local.ndev_ifindex;
}

}  // namespace

Result<std::shared_ptr<RealDomain>> RealDomains::of(rdma_cm_id& id) {
  const std::lock_guard lock(mutex_);
  std::weak_ptr<RealDomain>& known = domains_[id.verbs];
  if (std::shared_ptr<RealDomain> domain = known.lock()) return domain;
  Result<std::shared_ptr<RealDomain>> made = RealDomain::make(*id.verbs, id.port_num);
  if (made) known = *made;
  return made;
}

RealId::RealId(std::shared_ptr<RealCm> cm, CmId id) : cm_(std::move(cm)), id_(std::move(id)) {
  id_->context = this;
}

RealId::~RealId() {
  if (queue_pair_ == nullptr) return;
  queue_pair_->flush();
  id_->qp = nullptr;  // It is somebody else's from here on, if it lives.
}

Status RealId::resolve_address(const std::optional<Address>& source, const Address& target,
                               int timeout_ms) {
  const auto resolve = [&](const std::optional<Address>& ours, const Address& theirs) {
    SocketAddress from = to_socket(ours.value_or(Address{}));
    SocketAddress to = to_socket(theirs);
    return rdma_resolve_addr(id_.get(), ours ? from.get() : nullptr, to.get(), timeout_ms) == 0;
  };
  if (resolve(source, target)) return {};
  // Ports of Ethernet know no addresses of InfiniBand; their GIDs are internet addresses.
  if (target.family == Address::Family::kGid &&
      resolve(source.transform(as_internet), as_internet(target))) {
    return {};
  }
  return refused("no RDMA device leads to this address");
}

Status RealId::resolve_route(int timeout_ms) {
  if (rdma_resolve_route(id_.get(), timeout_ms) == 0) return {};
  return refused("no way to this address is found");
}

rdma_conn_param RealId::parameters(std::span<const std::byte> data, const Patience& patience) {
  patience_ = patience;
  std::uint8_t ack_timeout = patience.ack_timeout;
  // A kernel or a device without this option has a time of its own, which is longer.
  static_cast<void>(rdma_set_option(id_.get(), RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT,
                                    &ack_timeout, sizeof ack_timeout));
  rdma_conn_param made{};
  made.private_data = data.data();
  made.private_data_len = static_cast<std::uint8_t>(data.size());
  made.retry_count = patience.retry_count;
  made.rnr_retry_count = patience.rnr_retry_count;
  return made;
}

Status RealId::connect(std::span<const std::byte> data, const Patience& patience) {
  if (data.size() > kMaxConnectData) return fail(Errc::invalid_value, "connect's data is too long");
  rdma_conn_param wanted = parameters(data, patience);
  if (rdma_connect(id_.get(), &wanted) == 0) return {};
  return refused("the RDMA device does not connect");
}

Status RealId::listen(const Address& address, int backlog) {
  const auto bind = [this](const Address& where) {
    return rdma_bind_addr(id_.get(), to_socket(where).get()) == 0;
  };
  // As resolve_address() has it.
  if (!bind(address) && (address.family != Address::Family::kGid || !bind(as_internet(address)))) {
    if (errno == EADDRINUSE) return fail(Errc::already_exist, "another listens there", errno);
    if (errno == EACCES) return fail(Errc::not_permitted, "only root may listen there", errno);
    return refused("no RDMA device of this machine has this address");
  }
  if (rdma_listen(id_.get(), backlog) == 0) return {};
  if (errno == EADDRINUSE) return fail(Errc::already_exist, "another listens there", errno);
  return refused("the RDMA device does not listen");
}

Status RealId::accept(std::span<const std::byte> data, const Patience& patience) {
  if (data.size() > kMaxAcceptData) return fail(Errc::invalid_value, "accept's data is too long");
  rdma_conn_param wanted = parameters(data, patience);
  if (rdma_accept(id_.get(), &wanted) == 0) return {};
  return refused("the RDMA device does not accept");
}

Status RealId::reject(std::span<const std::byte> data) {
  if (data.size() > kMaxRejectData) return fail(Errc::invalid_value, "reject's data is too long");
  if (rdma_reject(id_.get(), data.data(), static_cast<std::uint8_t>(data.size())) == 0) return {};
  return refused("the RDMA device does not reject");
}

Status RealId::disconnect() {
  if (rdma_disconnect(id_.get()) == 0) return {};
  if (errno == EINVAL) return {};  // It was not connected any more.
  return refused("the RDMA device does not disconnect");
}

Result<std::shared_ptr<QueuePair>> RealId::create_queue_pair(const QueuePairOptions& options) {
  ibv_qp_init_attr wanted = queue_pair_attributes(options);
  if (rdma_create_qp(id_.get(), &domain_->protection(), &wanted) != 0) {
    // What is inlined is a wish, and some devices refuse one that goes too far.
    wanted = queue_pair_attributes(options);
    wanted.cap.max_inline_data = 0;
    if (rdma_create_qp(id_.get(), &domain_->protection(), &wanted) != 0) {
      return refused("the RDMA device gives no queue pair");
    }
  }
  auto made = RealQueuePair::make(domain_, Queues(id_->qp), options, wanted.cap.max_inline_data);
  if (!made) {
    id_->qp = nullptr;
    return std::unexpected(made.error());
  }
  queue_pair_ = *made;
  return queue_pair_;
}

Result<std::shared_ptr<const Path>> RealId::path() const { return RealPath::make(*id_); }

Address RealId::local() const { return from_socket(*rdma_get_local_addr(id_.get())); }

// A caller's address comes without the interface that a link-local one belongs to.
Address RealId::peer() const {
  Address peer = from_socket(*rdma_get_peer_addr(id_.get()));
  if (peer.is_link_local() && peer.scope == 0) peer.scope = interface_of(*id_);
  return peer;
}

Status RealId::on_device() {
  Result<std::shared_ptr<RealDomain>> domain = cm_->domains->of(*id_);
  if (!domain) return std::unexpected(domain.error());
  domain_ = std::move(*domain);
  return {};
}

// Left at 0, a message that finds no receive would be sent again after 655 ms only.
void RealId::on_established() {
  if (queue_pair_ != nullptr) {
    [[maybe_unused]] const Status set = queue_pair_->set_min_rnr_timer(patience_.min_rnr_timer);
  }
}

}  // namespace comch::transport::rdma
