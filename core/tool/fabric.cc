// Fabric: opens devices and representors by what the user said of them.
#include "tool/fabric.h"

#include <fmt/format.h>

namespace comch::tool {
namespace {

Outcome<std::shared_ptr<Device>> open_device(const std::string& which, Side side) {
  auto device = which.empty() ? Device::open_first(side) : Device::open(which);
  if (device) return *device;
  if (which.empty()) {
    return complain(fmt::format("cannot open a device of the {} side", name(side)), device.error());
  }
  return complain(fmt::format("cannot open the device {}", which), device.error());
}

}  // namespace

Outcome<ServerPlace> open_server_place(const CommonOptions& common) {
  auto device = open_device(common.device, Side::kDpu);
  if (!device) return std::unexpected(device.error());
  if (!(*device)->info().capability.server) {
    return complain(
        fmt::format("{} is no device of the dpu side, where servers are; see `comch ls`",
                    (*device)->info().name));
  }
  auto representor = common.representor.empty() ? Representor::open_first(*device)
                                                : Representor::open(*device, common.representor);
  if (!representor) {
    return complain(fmt::format("cannot open a representor of {}{}{}", (*device)->info().name,
                                common.representor.empty() ? "" : " called ", common.representor),
                    representor.error());
  }
  return ServerPlace{*device, *representor};
}

Outcome<std::shared_ptr<Device>> open_client_device(const CommonOptions& common) {
  return open_device(common.device.empty() ? common.representor : common.device, Side::kHost);
}

std::string own_server(const Device& device, const std::string& name) {
  const std::optional<RdmaLink>& link = device.info().rdma;
  if (!link || !link->server.empty()) return name;
  return fmt::format("rdma://{}/{}", link->address, name);
}

CommonOptions with_this_machine(CommonOptions common) {
  if (common.device.empty() || !common.representor.empty()) return common;
  const auto device = Device::open(common.device);
  const bool undescribed =
      device && (*device)->info().rdma && (*device)->info().representors.empty();
  if (undescribed) common.representor = (*device)->info().rdma->address;
  return common;
}

}  // namespace comch::tool
