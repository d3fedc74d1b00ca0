// comch ls: the devices there are and the servers that can be seen.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "comch/device.h"
#include "tool/commands.h"
#include "tool/fabric.h"
#include "tool/rendezvous.h"
#include "tool/shown.h"

namespace comch::tool {
namespace {

using Json = nlohmann::ordered_json;

struct LsOptions {
  bool devices_only = false;
  bool servers_only = false;
};

std::string_view roles(const Capability& capability) {
  if (capability.server && capability.client) return "server,client";
  if (capability.server) return "server";
  return capability.client ? "client" : "none";
}

bool wanted(const DeviceInfo& device, const CommonOptions& common) {
  return common.device.empty() || common.device == device.name ||
         normal_pci(common.device) == device.pci;
}

bool wanted(std::string_view representor, const CommonOptions& common) {
  return common.representor.empty() || common.representor == representor ||
         normal_pci(common.representor) == representor;
}

void print_devices(const std::vector<DeviceInfo>& devices) {
  fmt::print("{:<14} {:<14} {:<5} {:<5} {}\n", "DEVICE", "PCI", "SIDE", "KIND", "ROLE");
  for (const DeviceInfo& device : devices) {
    fmt::print("{:<14} {:<14} {:<5} {:<5} {}\n", device.name, device.pci, name(device.side),
               name(device.kind), roles(device.capability));
    for (const RepresentorInfo& representor : device.representors) {
      fmt::print("{:<14} {:<14} {:<5} {:<5} {}\n", "  representor", representor.pci, "",
                 name(representor.kind), representor.vuid);
    }
  }
}

void print_servers(const std::vector<SeenServer>& servers) {
  fmt::print("{:<20} {:<14} {:<8} {:>8}  {}\n", "SERVER", "REPRESENTOR", "STATE", "PID",
             "DIRECTORY");
  for (const SeenServer& server : servers) {
    fmt::print("{:<20} {:<14} {:<8} {:>8}  {}\n", shown(server.name), shown(server.representor),
               name(server.liveness), server.pid > 0 ? std::to_string(server.pid) : "-",
               shown(server.directory.parent_path().native()));
  }
}

Json to_json(const std::vector<DeviceInfo>& devices) {
  Json all = Json::array();
  for (const DeviceInfo& device : devices) {
    Json representors = Json::array();
    for (const RepresentorInfo& representor : device.representors) {
      representors.push_back(
          {{"pci", representor.pci}, {"vuid", representor.vuid}, {"kind", name(representor.kind)}});
    }
    Json one{{"name", device.name},
             {"pci", device.pci},
             {"vuid", device.vuid},
             {"side", name(device.side)},
             {"kind", name(device.kind)},
             {"server", device.capability.server},
             {"client", device.capability.client},
             {"representors", std::move(representors)}};
    if (device.rdma) one["rdma"] = device.rdma->address;
    all.push_back(std::move(one));
  }
  return all;
}

Json to_json(const std::vector<SeenServer>& servers) {
  Json all = Json::array();
  for (const SeenServer& server : servers) {
    Json one{{"name", server.name},
             {"representor", server.representor},
             {"state", name(server.liveness)},
             {"directory", server.directory.parent_path().native()}};
    if (server.pid > 0) one["pid"] = server.pid;
    all.push_back(std::move(one));
  }
  return all;
}

Outcome<> list(const CommonOptions& common, const LsOptions& options) {
  auto devices = list_devices();
  if (!devices) return complain("cannot list the devices", devices.error());
  std::erase_if(*devices, [&](const DeviceInfo& device) { return !wanted(device, common); });
  if (devices->empty() && !common.device.empty()) {
    return complain(fmt::format("there is no device {}", common.device));
  }

  auto servers = seen_servers(rendezvous_directories());
  std::erase_if(servers,
                [&](const SeenServer& server) { return !wanted(server.representor, common); });

  if (common.json) {
    Json all = Json::object();
    if (!options.servers_only) all["devices"] = to_json(*devices);
    if (!options.devices_only) all["servers"] = to_json(servers);
    fmt::print("{}\n", all.dump(2, ' ', false, Json::error_handler_t::replace));
    return {};
  }
  if (!options.servers_only) print_devices(*devices);
  if (!options.servers_only && !options.devices_only) fmt::print("\n");
  if (!options.devices_only) print_servers(servers);
  return {};
}

}  // namespace

void add_ls(CLI::App& app, const CommonOptions& common, Command& chosen) {
  auto options = std::make_shared<LsOptions>();
  CLI::App* command = app.add_subcommand("ls", "List devices, and servers that can be seen");
  auto* devices = command->add_flag("--devices", options->devices_only, "Devices only");
  command->add_flag("--servers", options->servers_only, "Servers only")->excludes(devices);
  command->callback([&common, &chosen, options] {
    chosen = [&common, options] { return list(common, *options); };
  });
}

}  // namespace comch::tool
