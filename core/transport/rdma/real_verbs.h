// RealVerbs: the Verbs of rdma-core.
//
//   auto verbs = make_real_verbs();   // Asks nobody anything yet.
//
// Threads, Errors: as verbs.h says; not_supported from every call where this build of comch
// was made without rdma-core.
#pragma once

#include <memory>

#include "transport/rdma/verbs.h"

namespace comch::transport::rdma {

std::unique_ptr<Verbs> make_real_verbs();

}  // namespace comch::transport::rdma
