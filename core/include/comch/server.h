// Server: accepts clients by name and talks with all of them.
//
// A server has a name, unique on its representor while the server runs; the name is
// free again the moment its process ends, however it ends.
//
//   auto server = Server::create(device, representor, "echo").value();
//   server->configure_send(64, [](SendTask& t) { t.free(); }, [](SendTask& t) { t.free(); });
//   server->on_message([](Connection& from, std::span<const std::byte> message) {
//     std::ignore = from.try_send(message);
//     return Receipt::kTaken;
//   });
//   server->on_connection([](Connection&, bool) {}, [](Connection&, bool) {});
//   engine->connect(*server);
//   server->start();
//
// Threads: as Context. Callbacks run inside progress() of the server's engine; from a
// callback everything may be called but progress(), wait() and destroy().
//
// Order: a connection's connected callback comes before its first message, its
// disconnected callback after its last.
//
// Lifetime: the server outlives its connections and tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comch/connection.h"
#include "comch/context.h"
#include "comch/device.h"
#include "comch/task.h"

#pragma GCC visibility push(default)
namespace comch {

// Who may connect. Root and the owner always may.
struct AccessList {
  std::vector<std::uint32_t> uids;
  std::vector<std::uint32_t> gids;  // Matched with the peer's group and supplementary groups.
  bool everyone = false;
};

// On whose behalf a context acts; the process's own identity when not set.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
};

class Server : public Context {
 public:
  using SendHandler = std::function<void(SendTask&)>;
  using MessageHandler = std::function<Receipt(Connection&, std::span<const std::byte>)>;
  // `successful` is false when the change was asked for and did not come about.
  using ConnectionHandler = std::function<void(Connection&, bool successful)>;
  using SpaceHandler = std::function<void(Connection&)>;
  using ConsumerHandler = std::function<void(Connection&, ConsumerId)>;

  // invalid_value: the name is empty, too long, "." or "..", or holds '/' or NUL; the
  // representor is another device's; one of them is null. not_supported: the device is on the
  // host side.
  static Result<std::unique_ptr<Server>> create(std::shared_ptr<Device> device,
                                                std::shared_ptr<Representor> representor,
                                                std::string_view name);
  // in_use: not idle; `server` is unchanged. Else it is reset.
  static Status destroy(std::unique_ptr<Server>& server);

  // Configuration. bad_state: not idle. invalid_value: 0, or above the capability.
  Status set_max_message_size(std::uint32_t bytes);    // Both ends must agree.
  Status set_recv_queue_size(std::uint32_t messages);  // Waiting, per connection.
  Status set_max_clients(std::uint32_t connections);
  // Has clients say when they sent each message, so that Connection::arrival() compares those of
  // all of them. It costs each client a look at the clock per message, so that the default is off.
  Status set_stamped(bool on);
  Status set_access(AccessList access);  // Default: the representor's.
  Status set_owner(Identity owner);      // not_permitted: only root may.
  std::uint32_t max_message_size() const;
  std::uint32_t recv_queue_size() const;
  std::uint32_t max_clients() const;
  const AccessList& access() const;
  const std::string& server_name() const;
  const std::shared_ptr<Device>& device() const;
  const std::shared_ptr<Representor>& representor() const;

  // Mandatory. Each task of allocate_send() comes back through `sent` or `failed`.
  Status configure_send(std::uint32_t tasks, SendHandler sent, SendHandler failed);
  // Mandatory. The bytes are a private copy, valid in the callback only.
  Status on_message(MessageHandler handler);
  // Mandatory.
  Status on_connection(ConnectionHandler connected, ConnectionHandler disconnected);
  // Optional: the answer to Connection::request_space().
  Status on_space(SpaceHandler handler);

  // Mandatory before a Consumer or Producer of a connection starts. Tells of each consumer of the
  // other side: that it can be sent to, and that it is gone; each once, in this order.
  Status on_consumer(ConsumerHandler appeared, ConsumerHandler expired);

  // start(): already_exist: the name is taken on this representor. not_permitted: no
  // runtime directory may be written. operating_system: see Error::sys. On an RDMA device also
  // bad_state: its representor lets no machine in. not_found: an address or a machine that nobody
  // knows. full: servers of other names have all the ports of this one.

  // A task that will send `message` to `connection`; free it when it has come back.
  // invalid_value: not a connection of this server. too_big: above max_message_size().
  // no_memory: every task is out. bad_state: neither running nor stopping. not_connected:
  // the connection has ended, its disconnected callback has begun, and the server is not stopping.
  Result<SendTask*> allocate_send(Connection& connection, std::span<const std::byte> message);

  // Delivers what was submitted, then ends the connection; disconnected is called from
  // progress(). What was not taken yet is dropped.
  // invalid_value: not a connection of this server, or it is ending already. in_use: consumers
  // or producers of this side are not idle.
  Status disconnect(Connection& connection);
  // disconnect() that delivers nothing more; the peer sees a lost connection, and so do consumers
  // and producers of this side. invalid_value: not a connection of this server, or it has ended.
  Status abort(Connection& connection);
  using Context::abort;

  std::size_t connections() const;
  // Connections refused since start, by access list, limit or mismatch.
  std::uint64_t refused() const;

 protected:
  Server() = default;
};

}  // namespace comch
#pragma GCC visibility pop
