// Device file: what it says of other machines, [device.rdma] and allow_hosts.
//
// Threads: pure functions of a table that nobody changes.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "comch/device.h"
#include "comch/toml_value.h"

namespace comch {

// Nothing where the device has no [device.rdma].
Read<std::optional<RdmaLink>> read_rdma_link(const toml::table& device, Side side);

// The machines that a [[device.representor]] lets in: some where the device meets its peers on
// other machines, else none.
Read<std::vector<std::string>> read_allowed_hosts(const toml::table& representor, bool has_link);

}  // namespace comch
