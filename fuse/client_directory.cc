// Clients as files; see client_directory.h.
#include "client_directory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "json_object.h"

namespace comch::fuse {

Result<std::shared_ptr<ClientDirectory>> ClientDirectory::create(
    Services& services, std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events) {
  auto device = Device::open_first(Side::kHost);
  if (!device) return std::unexpected(device.error());
  Configuration configuration{.server = {}, .device = std::move(*device)};
  auto made = std::make_shared<ClientDirectory>(services, std::move(configuration),
                                                std::move(record), std::move(events));
  if (const Status ready = made->set_up(); !ready) return std::unexpected(ready.error());
  return made;
}

ClientDirectory::ClientDirectory(Services& services, Configuration configuration,
                                 std::shared_ptr<ObjectRecord> record,
                                 std::shared_ptr<EventStream> events)
    : EndpointDirectory(services, std::move(record), std::move(events)),
      configuration_(std::move(configuration)) {}

Status ClientDirectory::rebuild() {
  auto made = make_client();
  if (!made) return std::unexpected(made.error());
  if (client_) {
    if (Status destroyed = Client::destroy(client_); !destroyed) return destroyed;
  }
  client_ = std::move(*made);
  return {};
}

Result<std::unique_ptr<Client>> ClientDirectory::make_client() {
  // The library wants a name from the beginning; one that was not written is never used,
  // because missing_setting() keeps such a client from starting.
  const std::string& server = configuration_.server;
  auto client = Client::create(configuration_.device, server.empty() ? "unnamed" : server);
  if (!client) return client;
  if (Status set = set_limits(**client); !set) return std::unexpected(set.error());
  if (Status set = set_connection_callbacks(**client, configuration_.send_tasks); !set) {
    return std::unexpected(set.error());
  }
  if (Status tied = services().engine.engine().connect(**client); !tied) {
    return std::unexpected(tied.error());
  }
  return client;
}

Status ClientDirectory::set_limits(Client& client) const {
  const std::chrono::milliseconds timeout(configuration_.connect_timeout_ms);
  if (Status set = client.set_max_message_size(configuration_.max_message_size); !set) return set;
  if (Status set = client.set_recv_queue_size(configuration_.recv_queue_size); !set) return set;
  if (Status set = client.set_connect_timeout(timeout); !set) return set;
  if (geteuid() != 0) return {};  // As for servers: it has its user's identity anyway.
  return client.set_acting({.uid = record().owner, .gid = record().group});
}

void ClientDirectory::on_changed(ContextState before, ContextState after) {
  if (after == ContextState::kRunning) {
    if (const auto connection = client_->connection()) {
      connection_ = *connection;
      connection_set().begin(*connection_, connections_made_++, "conn",
                             make_connection_record("conn"), nullptr);
    }
  } else if (after != ContextState::kStarting && connection_ != nullptr) {
    // Stopping: all there was to read has been handed out, or is not wanted any more.
    connection_set().end(*connection_, connection_->loss() ? ECONNRESET : 0);
    connection_ = nullptr;
  }
  EndpointDirectory::on_changed(before, after);
}

bool ClientDirectory::is_ready() const {
  if (!connections().all_visible() || connection_ == nullptr) return false;
  // When the server lives in this mount, its connN shall be there, too, before the
  // writer goes on; all that was to be announced was said by now.
  const bool is_here = connection_->peer().pid == getpid();
  return !is_here || services().announcer.idle();
}

Outcome ClientDirectory::end_connection(Connection&, bool at_once) { return stop(at_once); }

Outcome ClientDirectory::store_server(std::string_view text) {
  if (text.empty())
    return Outcome::failed(EINVAL, "write the name of a server, or rdma://HOST/NAME");
  Outcome configured = configure(configuration_.server, std::string(text));
  if (configured.error != 0 || !services().options.autostart) return configured;
  return start();
}

Outcome ClientDirectory::store_device(std::string_view text) {
  auto device = Device::open(text);
  if (!device) return Outcome::failed(device.error());
  return configure(configuration_.device, std::move(*device));
}

void ClientDirectory::add_own_files() {
  EndpointDirectory::add_own_files();
  add_setting(
      "server", [this] { return configuration_.server; },
      [this](std::string_view text) { return store_server(text); }, true);
  add_setting(
      "device", [this] { return configuration_.device->info().name; },
      [this](std::string_view text) { return store_device(text); });
  add_number_setting("max_msg_size", configuration_.max_message_size);
  add_number_setting("recv_queue_size", configuration_.recv_queue_size);
  add_number_setting("send_tasks", configuration_.send_tasks);
  add_number_setting("connect_timeout_ms", configuration_.connect_timeout_ms);
}

nlohmann::ordered_json ClientDirectory::json() const {
  nlohmann::ordered_json json{{"server", configuration_.server},
                              {"device", configuration_.device->info().name}};
  add_members(json, EndpointDirectory::json());
  return json;
}

}  // namespace comch::fuse
