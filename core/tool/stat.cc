// comch stat: the limits of devices, or whether a server answers and to whom.
//
// A server is asked by connecting to it, so it sees a client come and go.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "comch/device.h"
#include "tool/commands.h"
#include "tool/fabric.h"
#include "tool/loop.h"
#include "tool/option_values.h"
#include "tool/session.h"
#include "tool/shown.h"

namespace comch::tool {
namespace {

using Json = nlohmann::ordered_json;

struct StatOptions {
  std::string server;
  double timeout_s = 10;
};

// One object as "key: value" lines, or as JSON. Every value is a word or a number.
void print(const Json& object, bool json) {
  if (json) {
    fmt::print("{}\n", object.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  for (const auto& [key, value] : object.items()) {
    fmt::print("{:<20} {}\n", key + ':',
               value.is_string() ? shown(value.get<std::string>()) : value.dump());
  }
}

Json describe_device(const DeviceInfo& device) {
  const Capability& limits = device.capability;
  return {{"device", device.name},
          {"pci", device.pci},
          {"side", name(device.side)},
          {"server", limits.server},
          {"client", limits.client},
          {"max_name_length", limits.max_name_length},
          {"max_message_size", limits.max_message_size},
          {"max_recv_queue_size", limits.max_recv_queue_size},
          {"max_send_tasks", limits.max_send_tasks},
          {"max_clients", limits.max_clients}};
}

Outcome<> stat_devices(const CommonOptions& common) {
  std::vector<DeviceInfo> devices;
  if (common.device.empty()) {
    auto all = list_devices();
    if (!all) return complain("cannot list the devices", all.error());
    devices = std::move(*all);
  } else {
    auto device = Device::open(common.device);
    if (!device) {
      return complain(fmt::format("cannot open the device {}", common.device), device.error());
    }
    devices.push_back((*device)->info());
  }
  Json all = Json::array();
  for (const DeviceInfo& device : devices) all.push_back(describe_device(device));
  if (common.json) {
    print(all, true);
    return {};
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) fmt::print("\n");
    print(all[i], false);
  }
  return {};
}

Outcome<> report_dead(const CommonOptions& common, const std::string& server,
                      const Complaint& why) {
  if (common.json) print({{"server", server}, {"alive", false}, {"reason", why.text}}, true);
  return std::unexpected(why);
}

Outcome<> stat_server(const CommonOptions& common, const StatOptions& options) {
  auto loop = Loop::create();
  if (!loop) return std::unexpected(loop.error());
  const auto begin = Loop::Clock::now();
  auto session = Session::open(*loop, common, options.server, {},
                               Loop::deadline_in(std::chrono::duration<double>(options.timeout_s)));
  const std::chrono::duration<double, std::micro> taken = Loop::Clock::now() - begin;
  if (!session) return report_dead(common, options.server, session.error());
  if (!session->alive()) {
    const Outcome<> lost = session->loss();
    return report_dead(
        common, options.server,
        lost ? Complaint{.text = fmt::format("\"{}\" ended the connection at once", options.server)}
             : lost.error());
  }
  const Connection& connection = session->connection();
  print({{"server", options.server},
         {"alive", true},
         {"connection", static_cast<std::uint64_t>(connection.id())},
         {"max_message_size", connection.max_message_size()},
         {"peer_pid", connection.peer().pid},
         {"peer_uid", connection.peer().uid},
         {"peer_gid", connection.peer().gid},
         {"connected_in_us", static_cast<std::uint64_t>(taken.count())}},
        common.json);
  return session->close();
}

}  // namespace

void add_stat(CLI::App& app, const CommonOptions& common, Command& chosen) {
  auto options = std::make_shared<StatOptions>();
  CLI::App* command =
      app.add_subcommand("stat", "Limits of the devices, or whether a server answers");
  command->add_option("SERVER", options->server, "Server to connect to");
  takes_seconds(
      command->add_option("--timeout", options->timeout_s, "Give up on the server after so long"))
      ->capture_default_str();
  command->callback([&common, &chosen, options] {
    chosen = [&common, options] {
      return options->server.empty() ? stat_devices(common) : stat_server(common, *options);
    };
  });
}

}  // namespace comch::tool
