// Servers as files; see server_directory.h.
#include "server_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "framing.h"
#include "json_object.h"
#include "message_file.h"
#include "value.h"

namespace comch::fuse {

Result<std::shared_ptr<ServerDirectory>> ServerDirectory::create(
    Services& services, std::string name, std::shared_ptr<ObjectRecord> record,
    std::shared_ptr<EventStream> events) {
  auto device = Device::open_first(Side::kDpu);
  if (!device) return std::unexpected(device.error());
  auto representor = Representor::open_first(*device);
  if (!representor) return std::unexpected(representor.error());
  Configuration configuration{.name = std::move(name),
                              .device = std::move(*device),
                              .representor = std::move(*representor)};
  auto made = std::make_shared<ServerDirectory>(services, std::move(configuration),
                                                std::move(record), std::move(events));
  if (const Status ready = made->set_up(); !ready) return std::unexpected(ready.error());
  return made;
}

ServerDirectory::ServerDirectory(Services& services, Configuration configuration,
                                 std::shared_ptr<ObjectRecord> record,
                                 std::shared_ptr<EventStream> events)
    : EndpointDirectory(services, std::move(record), std::move(events)),
      configuration_(std::move(configuration)) {}

Outcome ServerDirectory::autostart() { return start(); }

Status ServerDirectory::rebuild() {
  auto made = make_server();
  if (!made) return std::unexpected(made.error());
  if (server_) {
    if (Status destroyed = Server::destroy(server_); !destroyed) return destroyed;
  }
  server_ = std::move(*made);
  return {};
}

Result<std::unique_ptr<Server>> ServerDirectory::make_server() {
  auto server =
      Server::create(configuration_.device, configuration_.representor, configuration_.name);
  if (!server) return server;
  if (Status set = set_limits(**server); !set) return std::unexpected(set.error());
  if (Status set = set_callbacks(**server); !set) return std::unexpected(set.error());
  if (Status tied = services().engine.engine().connect(**server); !tied) {
    return std::unexpected(tied.error());
  }
  return server;
}

Status ServerDirectory::set_limits(Server& server) const {
  if (Status set = server.set_max_message_size(configuration_.max_message_size); !set) return set;
  if (Status set = server.set_recv_queue_size(configuration_.recv_queue_size); !set) return set;
  if (Status set = server.set_max_clients(configuration_.max_clients); !set) return set;
  if (configuration_.access) {
    if (Status set = server.set_access(*configuration_.access); !set) return set;
  }
  // Another user's daemon serves its own user only, whose identity it has anyway.
  if (geteuid() != 0) return {};
  return server.set_owner({.uid = record().owner, .gid = record().group});
}

Status ServerDirectory::set_callbacks(Server& server) {
  if (Status set = set_connection_callbacks(server, configuration_.send_tasks); !set) return set;
  return server.on_connection(
      [this](Connection& connection, bool successful) {
        if (successful) on_connected(connection);
      },
      [this](Connection& connection, bool) { on_disconnected(connection); });
}

void ServerDirectory::on_connected(Connection& connection) {
  const std::uint64_t number = connections_made_++;
  const std::string name = fmt::format("conn{}", number);
  ConnectionDirectory& made =
      connection_set().begin(connection, number, name, make_connection_record(name), inbox_);
  inbox_->add(made.inbox());
}

void ServerDirectory::on_disconnected(Connection& connection) {
  const ConnectionDirectory* directory = ConnectionSet::directory_of(connection);
  if (directory == nullptr) return;
  // What was looked at and not read stays readable in connN; the server's recv is done
  // with it only then, so its messages are not lost to a reader of that.
  if (directory->inbox()->given_back() == 0) inbox_->remove(*directory->inbox());
  connection_set().end(connection, connection.loss() ? ECONNRESET : 0);
}

Outcome ServerDirectory::end_connection(Connection& connection, bool at_once) {
  return Outcome::of(at_once ? server_->abort(connection) : server_->disconnect(connection));
}

void ServerDirectory::leave(int error) {
  EndpointDirectory::leave(error);
  inbox_->waiting.fail_all(error);
  inbox_->pollers.wake();
}

void ServerDirectory::add_own_files() {
  EndpointDirectory::add_own_files();
  add_place_files();
  add_number_setting("max_msg_size", configuration_.max_message_size);
  add_number_setting("recv_queue_size", configuration_.recv_queue_size);
  add_number_setting("send_tasks", configuration_.send_tasks);
  add_number_setting("max_clients", configuration_.max_clients);
  add_access_file("allow_uid", false);
  add_access_file("allow_gid", true);
  auto opener = [inbox = inbox_](const Caller&) -> std::expected<std::unique_ptr<OpenFile>, int> {
    return std::make_unique<FramedFile>(
        inbox,
        [](const Message& message) { return frame_header(message.from->name(), message.size()); },
        FramedFile::Packing::kOnePerRead);
  };
  add_stream(*this, "recv",
             std::make_shared<StreamNode>(shared_record(), Direction{.readable = true},
                                          std::move(opener)));
}

void ServerDirectory::add_place_files() {
  add_setting(
      "name", [this] { return configuration_.name; },
      [this](std::string_view text) { return configure(configuration_.name, std::string(text)); });
  add_setting(
      "device", [this] { return configuration_.device->info().name; },
      [this](std::string_view text) { return store_device(text); });
  add_setting(
      "rep", [this] { return representor_word(); },
      [this](std::string_view text) { return store_representor(text); });
}

Outcome ServerDirectory::store_device(std::string_view text) {
  auto device = Device::open(text);
  if (!device) return Outcome::failed(device.error());
  auto representor = Representor::open_first(*device);
  if (!representor) return Outcome::failed(representor.error());
  Configuration changed = configuration_;
  changed.device = std::move(*device);
  changed.representor = std::move(*representor);
  return configure(configuration_, std::move(changed));
}

// On a device that nobody described a representor is the machine that may connect, not a function.
std::string ServerDirectory::representor_word() const {
  const RepresentorInfo& info = configuration_.representor->info();
  return info.pci == configuration_.device->info().pci ? info.vuid : info.pci;
}

Outcome ServerDirectory::store_representor(std::string_view text) {
  auto representor = Representor::open(configuration_.device, text);
  if (!representor) return Outcome::failed(representor.error());
  return configure(configuration_.representor, std::move(*representor));
}

void ServerDirectory::add_access_file(const char* file, bool of_groups) {
  const AccessPart part = of_groups ? AccessPart::kGids : AccessPart::kUids;
  add_setting(
      file, [this, part] { return show_access(server_->access(), part); },
      [this, part](std::string_view text) {
        auto changed = with_access(server_->access(), part, text);
        if (!changed)
          return Outcome::failed(EINVAL, "write numeric ids with spaces between them, or *");
        return configure(configuration_.access, std::move(changed));
      });
}

Counters ServerDirectory::counters() const {
  Counters all = EndpointDirectory::counters();
  all.push_back({"connections_made", connections_made_});
  all.push_back({"refused", server_ ? server_->refused() : 0});
  return all;
}

nlohmann::ordered_json ServerDirectory::json() const {
  nlohmann::ordered_json json{{"name", configuration_.name},
                              {"device", configuration_.device->info().name},
                              {"rep", representor_word()}};
  add_members(json, EndpointDirectory::json());
  return json;
}

}  // namespace comch::fuse
