/* doca_comm_channel_server: waits for a client's message, answers with a text of its own, and ends
 * the connection. Of the older API, of endpoints.
 *
 *   doca_comm_channel_server -p 03:00.0 -r b1:00.0 -t "Message from the server" */
#include <doca_comm_channel.h>
#include <doca_log.h>

#include "endpoint.h"
#include "example.h"

DOCA_LOG_REGISTER(COMM_CHANNEL_SERVER::MAIN);

struct program {
  struct example_config config;
  struct doca_dev *dev;
  struct doca_dev_rep *rep;
  struct doca_comm_channel_ep_t *ep;
};

static doca_error_t serve(struct program *program) {
  char message[ENDPOINT_MESSAGE_SIZE];
  size_t length = 0;
  struct doca_comm_channel_addr_t *peer = NULL;
  TRY(example_open_device(program->config.pci_addr, &program->dev));
  TRY(example_open_representor(program->dev, program->config.rep_pci_addr, &program->rep));
  TRY(endpoint_create(program->dev, &program->ep));
  TRY(doca_comm_channel_ep_set_device_rep(program->ep, program->rep));
  TRY(doca_comm_channel_ep_listen(program->ep, ENDPOINT_SERVICE_NAME));
  DOCA_LOG_INFO("Waiting for a client");

  TRY(endpoint_receive(program->ep, program->config.epoll, message, &length, &peer));
  DOCA_LOG_INFO("Received: %.*s", (int)length, message);
  TRY(endpoint_send(program->ep, program->config.epoll, program->config.text, peer));
  TRY(doca_comm_channel_ep_disconnect(program->ep, peer));
  return DOCA_SUCCESS;
}

int main(int argc, char **argv) {
  struct program program = {.config = EXAMPLE_DPU("Message from the server")};
  doca_error_t result = example_options(argc, argv, &program.config);
  if (result == DOCA_SUCCESS) {
    result = serve(&program);
    if (program.ep != NULL) doca_comm_channel_ep_destroy(program.ep);
    if (program.rep != NULL) doca_dev_rep_close(program.rep);
    if (program.dev != NULL) doca_dev_close(program.dev);
  }
  example_end();
  return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
