// doca_comch_connection: a connection as the program holds it.
//
// Handles outlive their connections: a client has one for all of its life, a server keeps
// those of the last kParked connections that ended before it uses one again. So a handle that
// a program kept too long says that its connection is over, and is never looked for in memory
// that is gone.
//
// Threads: as the connection. Lifetime: its server's or client's. Consumers and producers of a
// connection are destroyed before its end is told.
#pragma once

#include <doca_comch.h>

#include <cstddef>
#include <deque>

#include "comch/connection.h"

struct doca_comch_connection {
  comch::Connection* connection = nullptr;  // Its user data is this. Null: over, or not yet.
  doca_comch_server* server = nullptr;      // One of the two.
  doca_comch_client* client = nullptr;
  doca_data user_data{};
  comch::ConnectionCounters snapshot;  // Of doca_comch_connection_update_info().

  // The connection has come about: what was said of an earlier one is forgotten.
  void begin(comch::Connection& established);
};

namespace comch::doca {

inline doca_comch_connection* handle_of(const Connection& connection) {
  return static_cast<doca_comch_connection*>(connection.user_data().pointer);
}

// The handles of a server's connections, and of those that were.
#pragma GCC visibility push(default)  // Shared by the libraries of the C API.
class ConnectionHandles {
 public:
  static constexpr std::size_t kParked = 1024;  // Picked: 100 KiB.

  explicit ConnectionHandles(doca_comch_server* server) : server_(server) {}
  doca_comch_connection& begin(Connection& established);
  void end(doca_comch_connection& over);

 private:
  doca_comch_server* const server_;
  std::deque<doca_comch_connection> all_;  // Grows; what is in it stays where it is.
  std::deque<doca_comch_connection*> parked_;
};
#pragma GCC visibility pop

}  // namespace comch::doca
