/* doca_comm_channel_client: sends one message to the service, and ends with its answer. Of the
 * older API, of endpoints.
 *
 *   doca_comm_channel_client -p b1:00.0 -t "Message from the client" */
#include <doca_comm_channel.h>
#include <doca_log.h>

#include "endpoint.h"
#include "example.h"

DOCA_LOG_REGISTER(COMM_CHANNEL_CLIENT::MAIN);

struct program {
  struct example_config config;
  struct doca_dev *dev;
  struct doca_comm_channel_ep_t *ep;
};

static doca_error_t ask(struct program *program) {
  char answer[ENDPOINT_MESSAGE_SIZE];
  size_t length = 0;
  struct doca_comm_channel_addr_t *service = NULL;
  struct doca_comm_channel_addr_t *from = NULL;
  TRY(example_open_device(program->config.pci_addr, &program->dev));
  TRY(endpoint_create(program->dev, &program->ep));
  TRY(doca_comm_channel_ep_connect(program->ep, ENDPOINT_SERVICE_NAME, &service));
  doca_error_t complete;
  while ((complete = doca_comm_channel_peer_addr_update_info(service)) ==
         DOCA_ERROR_CONNECTION_INPROGRESS) {
    example_pause();
  }
  TRY(complete);

  TRY(endpoint_send(program->ep, program->config.epoll, program->config.text, service));
  TRY(endpoint_receive(program->ep, program->config.epoll, answer, &length, &from));
  DOCA_LOG_INFO("Received: %.*s", (int)length, answer);
  TRY(doca_comm_channel_ep_disconnect(program->ep, service));
  return DOCA_SUCCESS;
}

int main(int argc, char **argv) {
  struct program program = {.config = EXAMPLE_HOST("Message from the client")};
  doca_error_t result = example_options(argc, argv, &program.config);
  if (result == DOCA_SUCCESS) {
    result = ask(&program);
    if (program.ep != NULL) doca_comm_channel_ep_destroy(program.ep);
    if (program.dev != NULL) doca_dev_close(program.dev);
  }
  example_end();
  return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
