// CallRound: see call_round.h.
#include "transport/rdma/call_round.h"

#include <utility>

#include "transport/rdma/server_port.h"

namespace comch::transport::rdma {

CallRound::CallRound(std::vector<Address> addresses, std::uint64_t name_hash,
                     std::optional<std::uint16_t> port)
    : addresses_(std::move(addresses)), name_hash_(name_hash), only_port_(port) {}

Address CallRound::target() const {
  Address target = addresses_[address_];
  target.port = only_port_.value_or(server_port(name_hash_, port_));
  return target;
}

void CallRound::next_port() {
  if (only_port_ || ++port_ == kPorts) next_address();
}

void CallRound::next_address() {
  port_ = 0;
  ++address_;
}

void CallRound::note(Failure failure) {
  if (failure.weight > failure_.weight) failure_ = std::move(failure);
}

}  // namespace comch::transport::rdma
