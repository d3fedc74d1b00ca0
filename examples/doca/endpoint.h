/* endpoint: how the two programs of the older API make an endpoint, send and receive.
 *
 * Threads: one. Lifetime: an endpoint is the caller's. */
#ifndef ENDPOINT_H_
#define ENDPOINT_H_

#include <doca_comm_channel.h>
#include <stdbool.h>

#define ENDPOINT_SERVICE_NAME "comm_channel_server"
#define ENDPOINT_MESSAGE_SIZE 4080 /* Both sides must agree. */

doca_error_t endpoint_create(struct doca_dev *dev, struct doca_comm_channel_ep_t **ep);

/* Sends the text, as soon as there is room. CONNECTION_RESET: the peer is gone. */
doca_error_t endpoint_send(struct doca_comm_channel_ep_t *ep, bool epoll, const char *text,
                           struct doca_comm_channel_addr_t *peer);

/* Waits for a message; `message` has ENDPOINT_MESSAGE_SIZE bytes. */
doca_error_t endpoint_receive(struct doca_comm_channel_ep_t *ep, bool epoll, char *message,
                              size_t *length, struct doca_comm_channel_addr_t **peer);

#endif
