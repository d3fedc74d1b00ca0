// Client: finds one server by name and talks with it.
//
//   auto client = Client::create(device, "echo").value();
//   client->configure_send(64, [](SendTask& t) { t.free(); }, [](SendTask& t) { t.free(); });
//   client->on_message([](Connection&, std::span<const std::byte> message) {
//     ...
//     return Receipt::kTaken;
//   });
//   engine->connect(*client);
//   client->start();  // kStarting
//   while (client->state() == ContextState::kStarting) engine->wait(100ms);
//   if (auto talk = client->connection()) (*talk)->try_send(message);  // Else failure() says why.
//
// Threads, Order: as Server. When the server ends the connection or dies, what it had
// sent is handed out first; then the client goes through kStopping to kIdle by itself
// and failure() says why.
//
// Lifetime: the client outlives its tasks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "comch/connection.h"
#include "comch/context.h"
#include "comch/device.h"
#include "comch/server.h"
#include "comch/task.h"

#pragma GCC visibility push(default)
namespace comch {

class Client : public Context {
 public:
  using SendHandler = Server::SendHandler;
  using MessageHandler = Server::MessageHandler;
  using SpaceHandler = Server::SpaceHandler;
  using ConsumerHandler = Server::ConsumerHandler;

  // `server_name` is a server's of this device's function, or of another machine, as in
  // "rdma://10.0.0.2/echo".
  // invalid_value: not a name a server could have. not_supported: a DPU-side device.
  static Result<std::unique_ptr<Client>> create(std::shared_ptr<Device> device,
                                                std::string_view server_name);
  // in_use: not idle; `client` is unchanged. Else it is reset.
  static Status destroy(std::unique_ptr<Client>& client);

  // Configuration. bad_state: not idle. invalid_value: 0, or above the capability.
  Status set_max_message_size(std::uint32_t bytes);  // Both ends must agree.
  Status set_recv_queue_size(std::uint32_t messages);
  Status set_connect_timeout(std::chrono::milliseconds timeout);  // Default 10 s.
  Status set_server_name(std::string_view name);
  // On whose behalf the server's access list is asked. A server believes it from root.
  Status set_acting(Identity identity);
  std::uint32_t max_message_size() const;
  std::uint32_t recv_queue_size() const;
  const std::string& server_name() const;
  const std::shared_ptr<Device>& device() const;

  Status configure_send(std::uint32_t tasks, SendHandler sent, SendHandler failed);  // Mandatory.
  Status on_message(MessageHandler handler);                                         // Mandatory.
  Status on_space(SpaceHandler handler);
  Status on_consumer(ConsumerHandler appeared, ConsumerHandler expired);  // As Server's.

  // start() answers kStarting. When the connection does not come about the client goes
  // to kStopping and kIdle, and failure() has: not_found: no such server on this
  // device's function, or on the machine named. connection_aborted: refused, with the
  // server's reason; full: it has its maximum of clients; authentication: its access list
  // does not admit us; invalid_value: its maximum message size is another; no_memory: it has
  // none for one more; unsupported_version; time_out.

  // The connection. bad_state: the client has none; wait until it runs.
  Result<Connection*> connection() const;

  // As Server::allocate_send.
  Result<SendTask*> allocate_send(Connection& connection, std::span<const std::byte> message);

 protected:
  Client() = default;
};

}  // namespace comch
#pragma GCC visibility pop
