// Verbs devices: the RDMA devices of this machine, as devices that nobody described.
//
//   rxe0   ffff:00:00.0   dpu   servers and clients; no representor but the one that is asked for
//
// One that is a function of the PCI bus has that function's address; one that is none, such as
// soft-RoCE, has one in domain ffff, where no bus is. They count as the DPU's side because
// servers live there, and clients live on them as well.
//
// Threads: any.
#pragma once

#include <vector>

#include "comch/device.h"
#include "transport/rdma/verbs.h"

namespace comch {

// `devices`, each as a Device would describe it; those that are called or addressed like one of
// `others`, which came first, are left out.
std::vector<DeviceInfo> describe_verbs(const std::vector<transport::rdma::VerbsDevice>& devices,
                                       const std::vector<DeviceInfo>& others);

// Those of this machine; none where it has no RDMA.
std::vector<DeviceInfo> verbs_devices(const std::vector<DeviceInfo>& others);

}  // namespace comch
