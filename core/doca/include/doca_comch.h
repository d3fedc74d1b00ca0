/* doca_comch.h: servers and clients, which meet in connections and send messages.
 *
 * A server lives on the DPU's side of a device and has a name; a client lives on the host's
 * side and finds it by that name. Both are contexts (doca_ctx.h):
 *
 *   doca_comch_client_create(dev, "name", &client);
 *   doca_comch_client_task_send_set_conf(client, sent, failed, 64);
 *   doca_comch_client_event_msg_recv_register(client, received);
 *   doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(client));
 *   doca_ctx_start(doca_comch_client_as_ctx(client));     IN_PROGRESS: doca_pe_progress() ends it
 *   doca_comch_client_get_connection(client, &connection);
 *   doca_comch_client_task_send_alloc_init(client, connection, "hello", 5, &task);
 *   doca_task_submit(doca_comch_task_send_as_task(task));
 *
 * Every function answers INVALID_VALUE for a NULL pointer. Setters, *_set_conf() and *_register()
 * answer BAD_STATE unless the context is idle; without a setter a default holds, which its
 * getter answers. Getters may be called at any time.
 *
 * Order: messages of a connection arrive in the order they were submitted, once each, whole.
 * Threads: a server or client, its connections and tasks live on the thread of their engine.
 * Lifetime: a connection is valid from the server's connect callback until its disconnect
 * callback has returned, for a client while it runs; what is asked of it later is refused. A
 * context outlives its tasks.
 * Follows DOCA Comch 3.0. */
#ifndef DOCA_COMCH_H_
#define DOCA_COMCH_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;

/* Connections. */

struct doca_comch_connection;

/* A word of the program's own, 0 at first; it may still be set and read when the connection is
 * over. The getter answers 0 of NULL. */
DOCA_STABLE
doca_error_t doca_comch_connection_set_user_data(struct doca_comch_connection *connection,
                                                 union doca_data user_data);
DOCA_STABLE
union doca_data doca_comch_connection_get_user_data(const struct doca_comch_connection *connection);

/* The context of a connection; NULL when it is of the other kind, or the connection is NULL. */
struct doca_comch_server;
DOCA_STABLE
struct doca_comch_server *doca_comch_server_get_server_ctx(
    const struct doca_comch_connection *connection);
struct doca_comch_client;
DOCA_STABLE
struct doca_comch_client *doca_comch_client_get_client_ctx(
    const struct doca_comch_connection *connection);

/* Limits of a device. Names count their closing NUL. */

DOCA_STABLE
doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                             uint32_t *max_name_len);
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                    uint32_t *size);
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo,
                                            uint32_t *num_clients);
DOCA_STABLE
doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                               uint32_t *max_send_tasks);
/* NOT_SUPPORTED: the device is on the other side. */
DOCA_STABLE
doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo);
DOCA_STABLE
doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo);

/* Servers. */

/* A server named `name` for the host function behind `repr`. The caller owns it; the device and
 * the representor may be closed before it is destroyed.
 * INVALID_VALUE: the name is empty, too long, "." or "..", or holds '/'; the representor is
 * another device's. NOT_SUPPORTED: a host-side device. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_comch_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                      const char *name, struct doca_comch_server **comch_server);
/* IN_USE: it is not idle, and unchanged. May be called from any callback, also from the one that
 * tells that it is idle. */
DOCA_STABLE
doca_error_t doca_comch_server_destroy(struct doca_comch_server *comch_server);

/* The largest message, in bytes; both ends must agree. INVALID_VALUE: 0, or above the limit. */
DOCA_STABLE
doca_error_t doca_comch_server_set_max_msg_size(struct doca_comch_server *comch_server,
                                                uint32_t size);
DOCA_STABLE
doca_error_t doca_comch_server_get_max_msg_size(const struct doca_comch_server *comch_server,
                                                uint32_t *size);
/* Messages that wait for this side, per connection. INVALID_VALUE: 0, or above the limit. */
DOCA_STABLE
doca_error_t doca_comch_server_set_recv_queue_size(struct doca_comch_server *comch_server,
                                                   uint32_t size);
DOCA_STABLE
doca_error_t doca_comch_server_get_recv_queue_size(const struct doca_comch_server *comch_server,
                                                   uint32_t *size);
DOCA_STABLE
doca_error_t doca_comch_server_get_device(const struct doca_comch_server *comch_server,
                                          struct doca_dev **dev);
DOCA_STABLE
doca_error_t doca_comch_server_get_device_rep(const struct doca_comch_server *comch_server,
                                              struct doca_dev_rep **rep);
/* NULL of NULL. */
DOCA_STABLE
struct doca_ctx *doca_comch_server_as_ctx(struct doca_comch_server *comch_server);

/* Delivers what was submitted, then ends the connection: its disconnect callback is called from
 * doca_pe_progress(). Messages that were not received yet are dropped. INVALID_VALUE: not a
 * connection of this server, or it is ending already. IN_USE: consumers or producers of this side
 * are not idle. */
DOCA_STABLE
doca_error_t doca_comch_server_disconnect(struct doca_comch_server *comch_server,
                                          struct doca_comch_connection *connection);

/* Clients. */

/* INVALID_VALUE: not a name a server could have. NOT_SUPPORTED: a DPU-side device. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_comch_client_create(struct doca_dev *dev, const char *name,
                                      struct doca_comch_client **comch_client);
/* As of servers. */
DOCA_STABLE
doca_error_t doca_comch_client_destroy(struct doca_comch_client *comch_client);

/* As of servers. */
DOCA_STABLE
doca_error_t doca_comch_client_set_max_msg_size(struct doca_comch_client *comch_client,
                                                uint32_t size);
DOCA_STABLE
doca_error_t doca_comch_client_get_max_msg_size(const struct doca_comch_client *comch_client,
                                                uint32_t *size);
DOCA_STABLE
doca_error_t doca_comch_client_set_recv_queue_size(struct doca_comch_client *comch_client,
                                                   uint32_t size);
DOCA_STABLE
doca_error_t doca_comch_client_get_recv_queue_size(const struct doca_comch_client *comch_client,
                                                   uint32_t *size);
DOCA_STABLE
doca_error_t doca_comch_client_get_device(const struct doca_comch_client *comch_client,
                                          struct doca_dev **dev);
DOCA_STABLE
struct doca_ctx *doca_comch_client_as_ctx(struct doca_comch_client *comch_client);

/* BAD_STATE: the client has no connection; wait until it runs. */
DOCA_STABLE
doca_error_t doca_comch_client_get_connection(const struct doca_comch_client *comch_client,
                                              struct doca_comch_connection **connection);

/* Sending. */

struct doca_comch_task_send;
typedef void (*doca_comch_task_send_completion_cb_t)(struct doca_comch_task_send *task,
                                                     union doca_data task_user_data,
                                                     union doca_data ctx_user_data);

/* Mandatory. Each submitted task comes back through one of the two: the first when the message
 * is delivered to the other side's queue. It is received from there even if this process dies, but
 * not if the other side itself stops or disconnects first. INVALID_VALUE: 0 tasks, or above the
 * limit. */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_set_conf(
    struct doca_comch_server *comch_server, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);
DOCA_STABLE
doca_error_t doca_comch_client_task_send_set_conf(
    struct doca_comch_client *comch_client, doca_comch_task_send_completion_cb_t task_completion_cb,
    doca_comch_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/* A task that will send `len` bytes from `msg` to `peer`. The bytes stay the caller's and do
 * not change between submission and callback; they need no memory map. A task that was had can
 * be submitted: what the other side has no room for yet is held and delivered later.
 * INVALID_VALUE: not a connection of this context, or longer than its maximum. A message may be
 * empty, and arrives so.
 * NO_MEMORY: every task is out. BAD_STATE: the context does not run.
 * NOT_CONNECTED: the connection has ended, and the context is not stopping. */
DOCA_STABLE
doca_error_t doca_comch_server_task_send_alloc_init(struct doca_comch_server *comch_server,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);
DOCA_STABLE
doca_error_t doca_comch_client_task_send_alloc_init(struct doca_comch_client *comch_client,
                                                    struct doca_comch_connection *peer,
                                                    const void *msg, uint32_t len,
                                                    struct doca_comch_task_send **task);
DOCA_STABLE
struct doca_task *doca_comch_task_send_as_task(struct doca_comch_task_send *task);

/* Events. The events themselves have no content; the callbacks get everything. */

struct doca_comch_event_msg_recv;
typedef void (*doca_comch_event_msg_recv_cb_t)(struct doca_comch_event_msg_recv *event,
                                               uint8_t *recv_buffer, uint32_t msg_len,
                                               struct doca_comch_connection *comch_connection);

/* Mandatory. The buffer is a copy of the message, valid in the callback and its to change. */
DOCA_STABLE
doca_error_t doca_comch_server_event_msg_recv_register(
    struct doca_comch_server *comch_server, doca_comch_event_msg_recv_cb_t recv_event_cb);
DOCA_STABLE
doca_error_t doca_comch_client_event_msg_recv_register(
    struct doca_comch_client *comch_client, doca_comch_event_msg_recv_cb_t recv_event_cb);

struct doca_comch_event_connection_status_changed;
typedef void (*doca_comch_event_connection_status_changed_cb_t)(
    struct doca_comch_event_connection_status_changed *event,
    struct doca_comch_connection *comch_connection, uint8_t change_successful);

/* Mandatory. Called for each connection that came about and for each that is over; a client
 * learns the same from its state. */
DOCA_STABLE
doca_error_t doca_comch_server_event_connection_status_changed_register(
    struct doca_comch_server *comch_server,
    doca_comch_event_connection_status_changed_cb_t connect_event_cb,
    doca_comch_event_connection_status_changed_cb_t disconnect_event_cb);

struct doca_comch_event_consumer;
typedef void (*doca_comch_event_consumer_cb_t)(struct doca_comch_event_consumer *event,
                                               struct doca_comch_connection *comch_connection,
                                               uint32_t id);

/* Mandatory before a consumer or producer of a connection starts. Tells of each consumer of the
 * other side, that it can be sent to and that it is gone, in this order. */
DOCA_STABLE
doca_error_t doca_comch_server_event_consumer_register(
    struct doca_comch_server *comch_server, doca_comch_event_consumer_cb_t new_consumer_event_cb,
    doca_comch_event_consumer_cb_t expired_consumer_event_cb);
DOCA_STABLE
doca_error_t doca_comch_client_event_consumer_register(
    struct doca_comch_client *comch_client, doca_comch_event_consumer_cb_t new_consumer_event_cb,
    doca_comch_event_consumer_cb_t expired_consumer_event_cb);

/* Counters of a connection, as they were at the last update; 0 before the first. */

enum doca_comch_counter {
  DOCA_COMCH_COUNTER_SENT_MESSAGES = 1,
  DOCA_COMCH_COUNTER_SENT_BYTES = 2,
  DOCA_COMCH_COUNTER_RECV_MESSAGES = 3,
  DOCA_COMCH_COUNTER_RECV_BYTES = 4
};

/* CONNECTION_ABORTED: the connection is over or ending; the last counts are kept.
 * CONNECTION_INPROGRESS: its client is starting. */
DOCA_STABLE
doca_error_t doca_comch_connection_update_info(struct doca_comch_connection *comch_connection);
/* INVALID_VALUE: no such counter. */
DOCA_STABLE
doca_error_t doca_comch_connection_get_counter(const struct doca_comch_connection *comch_connection,
                                               enum doca_comch_counter counter_type,
                                               uint64_t *counter_value);

#ifdef __cplusplus
}
#endif

#endif
