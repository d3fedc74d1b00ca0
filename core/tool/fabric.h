// Fabric: the device a subcommand works on, found from --device and --representor.
//
//   auto place = open_server_place(common);     // dpu side, with a representor
//   auto device = open_client_device(common);   // host side
//
// Threads: free functions without state.
// Errors: a complaint that names the option to change.
#pragma once

#include <memory>

#include "comch/device.h"
#include "tool/common_options.h"
#include "tool/complaint.h"

namespace comch::tool {

// Where a server can be made.
struct ServerPlace {
  std::shared_ptr<Device> device;
  std::shared_ptr<Representor> representor;
};

// The device --device names, else the first of the dpu side; on it the representor
// --representor names, else its first.
Outcome<ServerPlace> open_server_place(const CommonOptions& common);

// The device --device names, else the one --representor stands for, else the first of
// the host side.
Outcome<std::shared_ptr<Device>> open_client_device(const CommonOptions& common);

// What a client on `device` has to call a server of this machine: its name, or where the device
// does not know its servers' machine, rdma:// with the device's own address.
std::string own_server(const Device& device, const std::string& name);

// --device names an RDMA device that nobody described: with this machine as its representor, so
// that both ends may be here.
CommonOptions with_this_machine(CommonOptions common);

}  // namespace comch::tool
