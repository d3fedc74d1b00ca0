/* endpoint: see endpoint.h. */
#include "endpoint.h"

#include <doca_log.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "example.h"

DOCA_LOG_REGISTER(COMM_CHANNEL::ENDPOINT);

#define QUEUE_SIZE 10

doca_error_t endpoint_create(struct doca_dev *dev, struct doca_comm_channel_ep_t **ep) {
  TRY(doca_comm_channel_ep_create(ep));
  TRY(doca_comm_channel_ep_set_device(*ep, dev));
  TRY(doca_comm_channel_ep_set_max_msg_size(*ep, ENDPOINT_MESSAGE_SIZE));
  TRY(doca_comm_channel_ep_set_send_queue_size(*ep, QUEUE_SIZE));
  TRY(doca_comm_channel_ep_set_recv_queue_size(*ep, QUEUE_SIZE));
  return DOCA_SUCCESS;
}

static doca_error_t sleep_on(doca_event_channel_t event) {
  struct epoll_event wanted = {.events = EPOLLIN};
  const int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return DOCA_ERROR_OPERATING_SYSTEM;
  const bool slept = epoll_ctl(epoll_fd, EPOLL_CTL_ADD, event, &wanted) == 0 &&
                     epoll_wait(epoll_fd, &wanted, 1, -1) == 1;
  close(epoll_fd);
  return slept ? DOCA_SUCCESS : DOCA_ERROR_OPERATING_SYSTEM;
}

/* A handle is armed before it is waited for; what happened before the arming is seen, too. */
static doca_error_t wait_to_send(struct doca_comm_channel_ep_t *ep, bool epoll) {
  doca_event_channel_t event;
  if (!epoll) {
    example_pause();
    return DOCA_SUCCESS;
  }
  TRY(doca_comm_channel_ep_get_event_channel(ep, &event, NULL));
  TRY(doca_comm_channel_ep_event_handle_arm_send(ep));
  return sleep_on(event);
}

static doca_error_t wait_to_receive(struct doca_comm_channel_ep_t *ep, bool epoll) {
  doca_event_channel_t event;
  if (!epoll) {
    example_pause();
    return DOCA_SUCCESS;
  }
  TRY(doca_comm_channel_ep_get_event_channel(ep, NULL, &event));
  TRY(doca_comm_channel_ep_event_handle_arm_recv(ep));
  return sleep_on(event);
}

doca_error_t endpoint_send(struct doca_comm_channel_ep_t *ep, bool epoll, const char *text,
                           struct doca_comm_channel_addr_t *peer) {
  doca_error_t result;
  while ((result = doca_comm_channel_ep_sendto(ep, text, strlen(text), DOCA_CC_MSG_FLAG_NONE,
                                               peer)) == DOCA_ERROR_AGAIN) {
    TRY(wait_to_send(ep, epoll));
  }
  return result;
}

doca_error_t endpoint_receive(struct doca_comm_channel_ep_t *ep, bool epoll, char *message,
                              size_t *length, struct doca_comm_channel_addr_t **peer) {
  doca_error_t result;
  while (*length = ENDPOINT_MESSAGE_SIZE,
         (result = doca_comm_channel_ep_recvfrom(ep, message, length, DOCA_CC_MSG_FLAG_NONE,
                                                 peer)) == DOCA_ERROR_AGAIN) {
    TRY(wait_to_receive(ep, epoll));
  }
  return result;
}
