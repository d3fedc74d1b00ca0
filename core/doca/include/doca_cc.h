/* doca_cc.h: servers and clients under the names that doca_comch.h had before.
 *
 * Every function does what its namesake of doca_comch.h does: doca_cc_X is doca_comch_X, with the
 * same answers and rules. Two have another name there:
 *   doca_cc_server_event_connection_register  ..._event_connection_status_changed_register
 *   doca_cc_server_get_device_repr            ..._get_device_rep
 *
 * Two generations are served. At the end are the names of 2.5 that 2.6 wrote in another order. The
 * callbacks of messages and connections took size_t and bool in 2.5: which of the two a program
 * registers is seen by its type, and goes to functions of their own in the library. A program that
 * also uses the callbacks' type names defines DOCA_CC_API_2_5, by which they are those of 2.5.
 *
 * Threads, order, lifetime: as in doca_comch.h.
 * Follows DOCA Comm Channel 2.6, and 2.5. */
#ifndef DOCA_CC_H_
#define DOCA_CC_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_dev;
struct doca_dev_rep;
struct doca_devinfo;
struct doca_task;

/* Connections. */

struct doca_cc_connection;
struct doca_cc_server;
struct doca_cc_client;

DOCA_EXPERIMENTAL
doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
                                              union doca_data user_data);
DOCA_EXPERIMENTAL
union doca_data doca_cc_connection_get_user_data(const struct doca_cc_connection *connection);
DOCA_EXPERIMENTAL
struct doca_cc_server *doca_cc_server_get_server_ctx(const struct doca_cc_connection *connection);
DOCA_EXPERIMENTAL
struct doca_cc_client *doca_cc_client_get_client_ctx(const struct doca_cc_connection *connection);

/* Limits of a device. */

DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo,
                                          uint32_t *max_name_len);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
                                                 uint32_t *size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num_clients);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo,
                                            uint32_t *max_send_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo);

/* Servers. */

DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr,
                                   const char *name, struct doca_cc_server **cc_server);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, uint32_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_max_msg_size(const struct doca_cc_server *cc_server,
                                             uint32_t *size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server, uint32_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_recv_queue_size(const struct doca_cc_server *cc_server,
                                                uint32_t *size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_device(const struct doca_cc_server *cc_server,
                                       struct doca_dev **dev);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_get_device_repr(const struct doca_cc_server *cc_server,
                                            struct doca_dev_rep **repr);
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server);

/* Clients. */

DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name,
                                   struct doca_cc_client **cc_client);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, uint32_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_max_msg_size(const struct doca_cc_client *cc_client,
                                             uint32_t *size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_set_recv_queue_size(struct doca_cc_client *cc_client, uint32_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_recv_queue_size(const struct doca_cc_client *cc_client,
                                                uint32_t *size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_device(const struct doca_cc_client *cc_client,
                                       struct doca_dev **dev);
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
                                           struct doca_cc_connection **connection);

/* Sending. */

struct doca_cc_task_send;
typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task,
                                                  union doca_data task_user_data,
                                                  union doca_data ctx_user_data);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *cc_server,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *cc_client,
                                               doca_cc_task_send_completion_cb_t task_completion_cb,
                                               doca_cc_task_send_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *cc_server,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_task_send **task);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_task_send **task);
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);

/* Events. */

struct doca_cc_event_msg_recv;
struct doca_cc_event_connection_status_changed;

#ifdef DOCA_CC_API_2_5
#define DOCA_CC_OF_2_5(name) __asm__(name "_2_5")
typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
                                            uint8_t *recv_buffer, size_t msg_len,
                                            struct doca_cc_connection *cc_connection);
typedef void (*doca_cc_event_connection_status_changed_cb_t)(
    struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *cc_connection,
    bool change_successful);
#else
#define DOCA_CC_OF_2_5(name)
typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event,
                                            uint8_t *recv_buffer, uint32_t msg_len,
                                            struct doca_cc_connection *cc_connection);
typedef void (*doca_cc_event_connection_status_changed_cb_t)(
    struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *cc_connection,
    uint8_t change_successful);
#endif

DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
    DOCA_CC_OF_2_5("doca_cc_server_event_msg_recv_register");
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
                                                    doca_cc_event_msg_recv_cb_t recv_event_cb)
    DOCA_CC_OF_2_5("doca_cc_client_event_msg_recv_register");
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_event_connection_register(
    struct doca_cc_server *cc_server, doca_cc_event_connection_status_changed_cb_t connect_event_cb,
    doca_cc_event_connection_status_changed_cb_t disconnect_event_cb)
    DOCA_CC_OF_2_5("doca_cc_server_event_connection_register");

struct doca_cc_event_consumer;
typedef void (*doca_cc_event_consumer_cb_t)(struct doca_cc_event_consumer *event,
                                            struct doca_cc_connection *cc_connection, uint32_t id);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_event_consumer_register(
    struct doca_cc_server *cc_server, doca_cc_event_consumer_cb_t new_consumer_event_cb,
    doca_cc_event_consumer_cb_t expired_consumer_event_cb);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_event_consumer_register(
    struct doca_cc_client *cc_client, doca_cc_event_consumer_cb_t new_consumer_event_cb,
    doca_cc_event_consumer_cb_t expired_consumer_event_cb);

/* Counters of a connection, as they were at the last update. */

enum doca_cc_counter {
  DOCA_CC_COUNTER_SENT_MESSAGES = 1,
  DOCA_CC_COUNTER_SENT_BYTES = 2,
  DOCA_CC_COUNTER_RECV_MESSAGES = 3,
  DOCA_CC_COUNTER_RECV_BYTES = 4
};

DOCA_EXPERIMENTAL
doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_connection_get_counter(const struct doca_cc_connection *cc_connection,
                                            enum doca_cc_counter counter_type,
                                            uint64_t *counter_value);

/* The names of 2.5 for send tasks. */

struct doca_cc_send_task;
typedef void (*doca_cc_send_task_completion_cb_t)(struct doca_cc_send_task *task,
                                                  union doca_data task_user_data,
                                                  union doca_data ctx_user_data);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *cc_server,
                                               doca_cc_send_task_completion_cb_t task_completion_cb,
                                               doca_cc_send_task_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *cc_client,
                                               doca_cc_send_task_completion_cb_t task_completion_cb,
                                               doca_cc_send_task_completion_cb_t task_error_cb,
                                               uint32_t num_send_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_send_task **task);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *cc_client,
                                                 struct doca_cc_connection *peer, const void *msg,
                                                 uint32_t len, struct doca_cc_send_task **task);
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task);

#ifndef DOCA_CC_API_2_5
/* What callbacks of 2.5 are registered with. */

typedef void (*doca_cc_event_msg_recv_cb_2_5_t)(struct doca_cc_event_msg_recv *event,
                                                uint8_t *recv_buffer, size_t msg_len,
                                                struct doca_cc_connection *cc_connection);
typedef void (*doca_cc_event_connection_status_changed_cb_2_5_t)(
    struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *cc_connection,
    bool change_successful);

DOCA_STABLE
doca_error_t doca_cc_server_event_msg_recv_register_2_5(
    struct doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_2_5_t recv_event_cb);
DOCA_STABLE
doca_error_t doca_cc_client_event_msg_recv_register_2_5(
    struct doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_2_5_t recv_event_cb);
DOCA_STABLE
doca_error_t doca_cc_server_event_connection_register_2_5(
    struct doca_cc_server *cc_server,
    doca_cc_event_connection_status_changed_cb_2_5_t connect_event_cb,
    doca_cc_event_connection_status_changed_cb_2_5_t disconnect_event_cb);
#endif

#ifdef __cplusplus
}
#endif

#ifndef DOCA_CC_API_2_5
#ifdef __cplusplus
/* Templates, so that NULL means the functions of 2.6. */
template <int = 0>
DOCA_EXPERIMENTAL inline doca_error_t doca_cc_server_event_msg_recv_register(
    doca_cc_server *cc_server, doca_cc_event_msg_recv_cb_2_5_t recv_event_cb) {
  return doca_cc_server_event_msg_recv_register_2_5(cc_server, recv_event_cb);
}
template <int = 0>
DOCA_EXPERIMENTAL inline doca_error_t doca_cc_client_event_msg_recv_register(
    doca_cc_client *cc_client, doca_cc_event_msg_recv_cb_2_5_t recv_event_cb) {
  return doca_cc_client_event_msg_recv_register_2_5(cc_client, recv_event_cb);
}
template <int = 0>
DOCA_EXPERIMENTAL inline doca_error_t doca_cc_server_event_connection_register(
    doca_cc_server *cc_server, doca_cc_event_connection_status_changed_cb_2_5_t connect_event_cb,
    doca_cc_event_connection_status_changed_cb_2_5_t disconnect_event_cb) {
  return doca_cc_server_event_connection_register_2_5(cc_server, connect_event_cb,
                                                      disconnect_event_cb);
}
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define doca_cc_server_event_msg_recv_register(server, cb)                         \
  _Generic((cb),                                                                   \
      doca_cc_event_msg_recv_cb_2_5_t: doca_cc_server_event_msg_recv_register_2_5, \
      default: doca_cc_server_event_msg_recv_register)(server, cb)
#define doca_cc_client_event_msg_recv_register(client, cb)                         \
  _Generic((cb),                                                                   \
      doca_cc_event_msg_recv_cb_2_5_t: doca_cc_client_event_msg_recv_register_2_5, \
      default: doca_cc_client_event_msg_recv_register)(client, cb)
#define doca_cc_server_event_connection_register(server, connected, disconnected)                     \
  _Generic((connected),                                                                               \
      doca_cc_event_connection_status_changed_cb_2_5_t: doca_cc_server_event_connection_register_2_5, \
      default: doca_cc_server_event_connection_register)(server, connected, disconnected)
#endif
#endif

#endif
