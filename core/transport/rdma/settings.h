// Settings: what an RDMA device's description says, as the carrier needs it.
//
// Threads: values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "transport/rdma/key.h"
#include "transport/rdma/traffic.h"

namespace comch::transport::rdma {

struct Settings {
  std::string device;  // Of the verbs, "mlx5_0"; empty: whichever has the address.
  std::string local;   // Address to serve at or to call from; empty: any of the device's.
  std::optional<std::uint16_t> port;  // Instead of the one that the name gives.
  std::shared_ptr<const Key> key;     // Null: none is asked for, and none shown.
  std::uint64_t keepalive_ns = 10'000'000'000;
  Patience patience;
};

}  // namespace comch::transport::rdma
