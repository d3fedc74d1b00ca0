// ServerDirectory: servers/NAME, a server of the library as files.
//
// Threads, lifetime: as ContextDirectory.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "comch/server.h"
#include "endpoint_directory.h"

namespace comch::fuse {

class ServerDirectory final : public EndpointDirectory {
 public:
  // Serves on the first DPU-side device and its first representor until told otherwise.
  static Result<std::shared_ptr<ServerDirectory>> create(Services& services, std::string name,
                                                         std::shared_ptr<ObjectRecord> record,
                                                         std::shared_ptr<EventStream> events);

  struct Configuration {
    std::string name;
    std::shared_ptr<Device> device;
    std::shared_ptr<Representor> representor;
    std::uint32_t max_message_size = kDefaultMessageSize;
    std::uint32_t recv_queue_size = kDefaultRecvQueueSize;
    std::uint32_t send_tasks = kDefaultSendTasks;
    std::uint32_t max_clients = kDefaultClients;
    std::optional<AccessList> access = {};  // None: the representor's.
  };
  // Only for create().
  ServerDirectory(Services& services, Configuration configuration,
                  std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events);

  Outcome autostart() override;
  Counters counters() const override;
  nlohmann::ordered_json json() const override;

 private:
  Context* context() const override { return server_.get(); }
  Status rebuild() override;
  Status destroy_context() override { return Server::destroy(server_); }
  void add_own_files() override;
  Outcome end_connection(Connection& connection, bool at_once) override;
  void leave(int error) override;

  Result<std::unique_ptr<Server>> make_server();
  Status set_limits(Server& server) const;
  Status set_callbacks(Server& server);
  void on_connected(Connection& connection);
  void on_disconnected(Connection& connection);
  void add_place_files();
  void add_access_file(const char* file, bool of_groups);
  Outcome store_device(std::string_view text);
  std::string representor_word() const;
  Outcome store_representor(std::string_view text);

  Configuration configuration_;
  std::unique_ptr<Server> server_;
  const std::shared_ptr<ServerInbox> inbox_ = std::make_shared<ServerInbox>();
  std::uint64_t connections_made_ = 0;
};

}  // namespace comch::fuse
