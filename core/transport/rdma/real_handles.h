// RealHandles: owners of what libibverbs and librdmacm hand out.
//
//   ProtectionDomain domain(ibv_alloc_pd(context));   // Given back when it goes.
//
// Threads: values. Errors: an empty owner; errno says why.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <memory>

namespace comch::transport::rdma {

// Calls `release` with what is owned. What it answers is of no use: there is nobody to tell.
template <auto release>
struct Release {
  template <class T>
  void operator()(T* held) const {
    release(held);
  }
};

using ProtectionDomain = std::unique_ptr<ibv_pd, Release<ibv_dealloc_pd>>;
using Region = std::unique_ptr<ibv_mr, Release<ibv_dereg_mr>>;
using WakeChannel = std::unique_ptr<ibv_comp_channel, Release<ibv_destroy_comp_channel>>;
using Completions = std::unique_ptr<ibv_cq, Release<ibv_destroy_cq>>;
using Queues = std::unique_ptr<ibv_qp, Release<ibv_destroy_qp>>;
using Context = std::unique_ptr<ibv_context, Release<ibv_close_device>>;
using CmChannel = std::unique_ptr<rdma_event_channel, Release<rdma_destroy_event_channel>>;
using CmId = std::unique_ptr<rdma_cm_id, Release<rdma_destroy_id>>;

}  // namespace comch::transport::rdma
