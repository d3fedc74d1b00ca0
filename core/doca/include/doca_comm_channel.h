/* doca_comm_channel.h: the older form of the channel: endpoints without contexts or callbacks.
 *
 * An endpoint either listens, as a service on the DPU's side, or connects to one, on the host's:
 *
 *   doca_comm_channel_ep_create(&ep);
 *   doca_comm_channel_ep_set_device(ep, dev);
 *   doca_comm_channel_ep_connect(ep, "name", &peer);
 *   while (doca_comm_channel_peer_addr_update_info(peer) == DOCA_ERROR_CONNECTION_INPROGRESS)
 *     ...;
 *   doca_comm_channel_ep_sendto(ep, "hello", 5, DOCA_CC_MSG_FLAG_NONE, peer);
 *   do {
 *     len = sizeof(answer);
 *   } while (doca_comm_channel_ep_recvfrom(ep, answer, &len, DOCA_CC_MSG_FLAG_NONE, &from) ==
 *            DOCA_ERROR_AGAIN);
 *
 * No call waits for the other side, but for doca_comm_channel_ep_connect(), which gives it a few
 * milliseconds. All work of an endpoint is done inside its calls, and what it has to do is seen
 * at its event handles.
 *
 * Every function answers INVALID_VALUE for a NULL pointer, unless it says otherwise.
 *
 * Order: messages of one peer arrive in the order they were sent, once each, whole. Peers take
 * turns: each gives one message before any gives a second.
 * Threads: an endpoint and its peer addresses belong to one thread at a time.
 * Lifetime: a peer address lasts until doca_comm_channel_ep_disconnect() or the end of its
 * endpoint, also after the other side is gone. Devices may be closed before the endpoint is.
 * Follows DOCA Comm Channel 2.6. */
#ifndef DOCA_COMM_CHANNEL_H_
#define DOCA_COMM_CHANNEL_H_

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
struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t;

enum doca_comm_channel_msg_flags { DOCA_CC_MSG_FLAG_NONE = 0 };

/* A file descriptor to wait for with poll or epoll. It is the endpoint's; do not read it. */
typedef doca_event_handle_t doca_event_channel_t;

/* Limits. The name's length counts its closing NUL. */

DOCA_STABLE
doca_error_t doca_comm_channel_get_max_service_name_len(uint32_t *max_service_name_len);
DOCA_STABLE
doca_error_t doca_comm_channel_get_max_message_size(struct doca_devinfo *devinfo,
                                                    uint32_t *max_message_size);
DOCA_STABLE
doca_error_t doca_comm_channel_get_max_send_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_send_queue_size);
DOCA_STABLE
doca_error_t doca_comm_channel_get_max_recv_queue_size(struct doca_devinfo *devinfo,
                                                       uint32_t *max_recv_queue_size);
/* NOT_SUPPORTED: services do not live on this device. */
DOCA_STABLE
doca_error_t doca_comm_channel_get_service_max_num_connections(struct doca_devinfo *devinfo,
                                                               uint32_t *max_num_connections);

/* The endpoint. */

/* NO_MEMORY. INITIALIZATION: the system has no descriptors left. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
/* Disconnects every peer, closes the event handles and frees all. What sendto() answered SUCCESS
 * for while the peer's queue had room is received; what waited for room is lost.
 * NOT_CONNECTED: the endpoint is NULL. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep);

/* Properties. The setters answer BAD_STATE once the endpoint listens or is connected. The device
 * is mandatory, the representor too for a service; getters of what was not set give NULL, or the
 * default in force. */

DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev **device);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep **device_rep);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t *max_msg_size);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *send_queue_size);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t *recv_queue_size);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep,
                                             struct doca_dev *device);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_dev_rep *device_rep);
/* INVALID_VALUE: 0, or above the limit. Both sides must agree on the size of messages; queues are
 * made a power of two, and at least 16 messages long.
 * The receive queue holds what a peer has sent and recvfrom() has not given out, for each peer;
 * the send queue holds what no peer's receive queue had room for, for all of them. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep,
                                                   uint16_t max_msg_size);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t send_queue_size);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep,
                                                      uint16_t recv_queue_size);

/* Events. */

/* The handles of a connected or listening endpoint; either pointer may be NULL, but not both.
 * BAD_STATE: it is neither. NOT_FOUND: the system has no descriptors left.
 * A handle becomes readable after it was armed, and stays so until it is armed again:
 *   send     a message has left the send queue, or its peer is lost, since the last time
 *   receive  a message, or a client that is to be accepted, is there; of a client: or the end
 * Something is seen whether it happened before the arming or after. Now and then a handle is
 * readable and nothing is found; arm it again then, too. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *local_ep,
                                                    doca_event_channel_t *send_event_channel,
                                                    doca_event_channel_t *recv_event_channel);
/* INVALID_VALUE: also when the endpoint is neither connected nor listening. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *local_ep);
DOCA_STABLE
doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *local_ep);

/* Readable when a client came, was accepted or went, or the service failed, until
 * doca_comm_channel_ep_update_service_state_info(), which arms it again.
 * NOT_SUPPORTED: a client's endpoint. BAD_STATE: neither connected nor listening. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_service_event_channel(
    struct doca_comm_channel_ep_t *local_ep, doca_event_channel_t *service_event_channel);

/* Connecting. */

/* Makes the endpoint a service.
 * INVALID_VALUE: the name is empty, too long, "." or "..", or holds '/'; the representor is
 * another device's. NOT_PERMITTED: a device of the host's side, or the endpoint listens or is
 * connected already. NOT_SUPPORTED: services do not live on this device. BAD_STATE: no device or
 * no representor. CONNECTION_ABORTED: the name is taken, or could not be registered.
 * NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name);
/* Makes the endpoint a client of a service, which need not have accepted it yet.
 * INVALID_VALUE: not a name a service could have. NOT_PERMITTED: a device of the DPU's side, or
 * the endpoint listens or is connected already. NOT_SUPPORTED: clients do not live on this
 * device. BAD_STATE: no device. CONNECTION_ABORTED: no such service, or it refused. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr);
/* Ends one connection. The other side gets what was delivered, and then errors when it sends. A
 * client may connect again. NOT_CONNECTED: no such connection, or NULL. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
                                             struct doca_comm_channel_addr_t *peer_addr);

/* Messages. No flag but NONE exists. */

/* Delivers the message, or puts a copy of it into the send queue when the peer has no room.
 * INVALID_VALUE: longer than the maximum, or a flag. NOT_CONNECTED: no such connection, or NULL.
 * AGAIN: the send queue is full, or the connection is not complete. CONNECTION_RESET: the peer is
 * gone or a message to it was lost; disconnect it. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg,
                                         size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer_addr);
/* Takes a message: `*len` is the room in `msg`, and afterwards the message's length. A service
 * accepts its clients here.
 * INVALID_VALUE: also when the message is longer than the room; it stays and `*len` is its
 * length. NOT_CONNECTED: the endpoint is neither connected nor listening. AGAIN: no message.
 * CONNECTION_RESET: a client's service is gone, and all it sent was taken; of a service: the
 * message is of a peer that was lost in sending. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg,
                                           size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer_addr);

/* Peer addresses. */

/* A word of the program's own; 0 until it is set. */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t *user_data);
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer_addr,
                                                       uint64_t user_context);

/* Takes the counts that the getters below answer, which are 0 before.
 * CONNECTION_INPROGRESS: not complete. CONNECTION_ABORTED: refused, or over; the last counts. */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_send_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_messages);
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_send_bytes(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_bytes);
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_recv_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_messages);
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *recv_bytes);
/* Messages in the send queue: those that disconnect() and destroy() would lose. */
DOCA_STABLE
doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(
    const struct doca_comm_channel_addr_t *peer_addr, uint64_t *send_in_flight_messages);

/* The state of a service. NOT_SUPPORTED: the endpoint does not listen. */

/* Takes the counts and the peers that the getters below answer, ends the arrays given before, and
 * arms the service event. CONNECTION_RESET: the service has failed for good; destroy it. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_update_service_state_info(
    struct doca_comm_channel_ep_t *local_ep);
/* The peers that were accepted and not disconnected. The array is the endpoint's, and NULL when
 * it is empty. */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_peer_addr_list(
    const struct doca_comm_channel_ep_t *local_ep,
    struct doca_comm_channel_addr_t ***peer_addr_array, uint32_t *peer_addr_array_len);
/* Clients that wait to be accepted by doca_comm_channel_ep_recvfrom(). */
DOCA_STABLE
doca_error_t doca_comm_channel_ep_get_pending_connections(
    const struct doca_comm_channel_ep_t *local_ep, uint32_t *pending_connections);

#ifdef __cplusplus
}
#endif

#endif
