// Fabric: what the fast path of one connection stands on: the device, the way its packets take,
// and for how long they are tried.
//
// A peer that guesses a key and an address can write to whatever is registered so in the domain of
// a queue pair that it has the other end of. So what this side only sends from lies in a domain
// that all connections share and nothing can be written to in; and what a peer may write to lies,
// with the queue pairs it is to come by, in a domain of its connection alone.
//
// Threads: a value, of which the parts may be used by any. Lifetime: keeps what it names.
#pragma once

#include <memory>

#include "transport/rdma/allowances.h"
#include "transport/rdma/verbs.h"

namespace comch::transport::rdma {

struct Fabric {
  // Of a connection that is established, with a domain of its own. Errors: what the verbs say.
  static Result<Fabric> of(const Id& id, const Patience& patience);

  std::shared_ptr<Domain> domain;   // Of all connections: nothing in it is written to from afar.
  std::shared_ptr<Domain> exposed;  // Of this one: what its peer may write to.
  std::shared_ptr<const Path> path;
  Patience patience;
  std::shared_ptr<Allowances> allowances;  // Of what is made here because the peer asks for it.
};

}  // namespace comch::transport::rdma
