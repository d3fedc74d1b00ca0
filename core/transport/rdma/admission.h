// Admission: which machines may connect to a server, by address: what a representor is to RDMA.
// "any" lets everybody in, and only when it is said; an empty list nobody.
//
//   auto admission = Admission::of(verbs, {"dpu.local", "10.0.0.7"}).value();
//   if (!admission.admits(id.peer())) reject();
//
// Threads: a value. Host names are looked up once, when the server starts.
#pragma once

#include <string>
#include <vector>

#include "transport/rdma/verbs.h"

namespace comch::transport::rdma {

class Admission {
 public:
  // not_found: a host that nobody knows; the log has its name.
  static Result<Admission> of(Verbs& verbs, const std::vector<std::string>& peers);

  bool admits(const Address& peer) const;

 private:
  bool any_ = false;
  std::vector<Address> peers_;
};

}  // namespace comch::transport::rdma
