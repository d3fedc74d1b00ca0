/* cc_callbacks: see cc_callbacks.h. */
#include "doca/cc_callbacks.h"

static size_t last;

static void on_message(struct doca_cc_event_msg_recv* event, uint8_t* bytes, size_t length,
                       struct doca_cc_connection* connection) {
  (void)event;
  (void)bytes;
  (void)connection;
  last = length;
}

static void on_change(struct doca_cc_event_connection_status_changed* event,
                      struct doca_cc_connection* connection, bool successful) {
  (void)event;
  (void)connection;
  (void)successful;
}

doca_error_t register_message_of_2_5(struct doca_cc_server* server) {
  last = 0;
  return doca_cc_server_event_msg_recv_register(server, on_message);
}

size_t last_message_of_2_5(void) { return last; }

doca_error_t register_connections_of_2_5(struct doca_cc_server* server) {
  return doca_cc_server_event_connection_register(server, on_change, on_change);
}
