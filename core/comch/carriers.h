// Carriers: which carrier a device's connections travel by.
//
// Threads: any. Lifetime: a carrier, once made, lives as long as the process.
#pragma once

#include <memory>

#include "comch/device.h"
#include "transport/rdma/verbs.h"
#include "transport/transport.h"

namespace comch {

transport::Carrier& shared_memory_carrier();

// One for each way of meeting peers, made when it is first asked for, with the key read from its
// file then. not_supported: this build has no RDMA, or takes no key. Others: the key file cannot be
// read, or holds no key; the log has its name.
Result<transport::Carrier*> rdma_carrier(const RdmaLink& link);

// The one that the device's description asks for; errors as above.
Result<transport::Carrier*> carrier_of(const DeviceInfo& device);

// Puts other verbs in the place of this machine's, and carriers of their own upon them, for as long
// as the object lives. `verbs` outlives it, and it what was connected meanwhile. For tests.
class ScopedVerbs {
 public:
  explicit ScopedVerbs(transport::rdma::Verbs& verbs);
  ~ScopedVerbs();
  ScopedVerbs(const ScopedVerbs&) = delete;
  ScopedVerbs& operator=(const ScopedVerbs&) = delete;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace comch
