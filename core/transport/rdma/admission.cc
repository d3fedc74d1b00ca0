// Admission: see admission.h.
#include "transport/rdma/admission.h"

#include <algorithm>

#include "base/say.h"
#include "base/text.h"

namespace comch::transport::rdma {
namespace {

constexpr std::string_view kAny = "any";

// An IPv4 address within a GID or an IPv6 address: ::ffff:a.b.c.d.
Address widened(const Address& address) {
  if (address.family != Address::Family::kIpv4) return address;
  Address wide{.family = Address::Family::kIpv6};
  wide.bytes[10] = wide.bytes[11] = 0xff;
  std::copy_n(address.bytes.begin(), 4, wide.bytes.begin() + 12);
  return wide;
}

}  // namespace

Result<Admission> Admission::of(Verbs& verbs, const std::vector<std::string>& peers) {
  Admission admission;
  for (const std::string& peer : peers) {
    if (peer == kAny) {
      admission.any_ = true;
      continue;
    }
    if (const auto address = Address::parse(peer)) {
      admission.peers_.push_back(*address);
      continue;
    }
    const Result<std::vector<Address>> found = verbs.resolver()->look_up(peer);
    if (!found) {
      say(LogLevel::kError, "the peer {} that may connect is not found: {}", printable(peer),
          describe(found.error()));
      return std::unexpected(found.error());
    }
    admission.peers_.insert(admission.peers_.end(), found->begin(), found->end());
  }
  return admission;
}

bool Admission::admits(const Address& peer) const {
  const Address wide = widened(peer);
  // Each interface has an fe80::1 of its own: who lists one of one interface means no other's.
  const auto is_peer = [&](const Address& listed) {
    return widened(listed).bytes == wide.bytes && (listed.scope == 0 || listed.scope == peer.scope);
  };
  return any_ || std::ranges::any_of(peers_, is_peer);
}

}  // namespace comch::transport::rdma
