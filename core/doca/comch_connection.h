// doca_comch_connection: a connection as the program holds it.
//
// Threads: as the connection. Lifetime: from the connect callback (of a client: from when it
// runs) until the server's disconnect callback has returned, or the client is idle; consumers
// and producers of it are destroyed before.
#pragma once

#include <doca_comch.h>

#include "comch/connection.h"

struct doca_comch_connection {
  comch::Connection* connection = nullptr;  // Its user data is this.
  doca_comch_server* server = nullptr;      // One of the two.
  doca_comch_client* client = nullptr;
  doca_data user_data{};
  comch::ConnectionCounters snapshot;  // Of doca_comch_connection_update_info().
};

namespace comch::doca {

inline doca_comch_connection* handle_of(const Connection& connection) {
  return static_cast<doca_comch_connection*>(connection.user_data().pointer);
}

}  // namespace comch::doca
