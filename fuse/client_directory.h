// ClientDirectory: clients/NAME, a client of the library as files.
//
// It connects when its `server` file is written (autostart) or `enable` is; the write
// returns when the connection is there and `conn` can be seen. When the server ends, the
// client becomes idle by itself, and `conn` stays until its messages are read.
//
// Threads, lifetime: as ContextDirectory.
#pragma once

#include <memory>
#include <string>

#include "comch/client.h"
#include "endpoint_directory.h"

namespace comch::fuse {

class ClientDirectory final : public EndpointDirectory {
 public:
  // Connects from the first host-side device until told otherwise.
  static Result<std::shared_ptr<ClientDirectory>> create(Services& services,
                                                         std::shared_ptr<ObjectRecord> record,
                                                         std::shared_ptr<EventStream> events);

  struct Configuration {
    std::string server;  // Empty until it is written; then the client cannot start.
    std::shared_ptr<Device> device;
    std::uint32_t max_message_size = kDefaultMessageSize;
    std::uint32_t recv_queue_size = kDefaultRecvQueueSize;
    std::uint32_t send_tasks = kDefaultSendTasks;
    std::uint32_t connect_timeout_ms = 10'000;
  };
  // Only for create().
  ClientDirectory(Services& services, Configuration configuration,
                  std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events);

  nlohmann::ordered_json json() const override;

 private:
  Context* context() const override { return client_.get(); }
  Status rebuild() override;
  Status destroy_context() override { return Client::destroy(client_); }
  void add_own_files() override;
  const char* missing_setting() const override {
    return configuration_.server.empty() ? "server" : nullptr;
  }
  bool is_ready() const override;
  Outcome end_connection(Connection& connection, bool at_once) override;
  void on_changed(ContextState before, ContextState after) override;

  Result<std::unique_ptr<Client>> make_client();
  Status set_limits(Client& client) const;
  Outcome store_server(std::string_view text);
  Outcome store_device(std::string_view text);

  Configuration configuration_;
  std::unique_ptr<Client> client_;
  Connection* connection_ = nullptr;  // While the client runs.
  std::uint64_t connections_made_ = 0;
};

}  // namespace comch::fuse
