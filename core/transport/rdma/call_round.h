// CallRound: whom a connector calls, and what has become of it: each address at each port that the
// server's name may have, and of the failures the one that says most.
//
//   CallRound round(addresses, name_hash("echo"), port);
//   while (!round.over()) { call(round.target()); ...; round.note(...); round.next_port(); }
//   tell(round.failure());
//
// Threads: none of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comch/result.h"
#include "transport/rdma/address.h"

namespace comch::transport::rdma {

class CallRound {
 public:
  // How much a failure tells, from little to much.
  enum class Weight : std::uint8_t { kNone, kSilent, kUnreachable, kNobody, kStranger, kRefused };
  struct Failure {
    Weight weight = Weight::kNone;
    Errc code = Errc::unknown;
    int sys = 0;
    std::string reason;
  };

  CallRound() = default;
  // At `port` alone, where there is one.
  CallRound(std::vector<Address> addresses, std::uint64_t name_hash,
            std::optional<std::uint16_t> port);

  // Nobody is left to be called.
  bool over() const { return address_ == addresses_.size(); }
  // The rest is for those that are there.
  Address target() const;
  std::string host() const { return addresses_[address_].host(); }
  // What of the time that is left is for this address, so that each of the others has as much.
  std::uint64_t share_of(std::uint64_t left_ns) const {
    return left_ns / (addresses_.size() - address_);
  }

  // Of this address, or where it has no more, of the next.
  void next_port();
  void next_address();

  // The first of those that tell most is kept.
  void note(Failure failure);
  const Failure& failure() const { return failure_; }

 private:
  std::vector<Address> addresses_;
  std::uint64_t name_hash_ = 0;
  std::optional<std::uint16_t> only_port_;
  std::size_t address_ = 0;
  std::uint32_t port_ = 0;  // Which one of the name's.
  Failure failure_;
};

}  // namespace comch::transport::rdma
