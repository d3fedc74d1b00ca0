/* echo: a program of the C API as people write them: the client says a text, the server says it
 * back. With -DDOCA_ARCH_DPU it is the server, else the client.
 *
 *   echo [-p PCI] [-r PCI] [-t TEXT]
 *
 * It exits with 0 when the text has gone both ways and everything was closed. */
#include <doca_argp.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_log.h>
#include <doca_pe.h>
#include <signal.h>
#include <unistd.h>

DOCA_LOG_REGISTER(ECHO::MAIN)

#define CHECK(call)                                                 \
  do {                                                              \
    const doca_error_t result_ = (call);                            \
    if (result_ != DOCA_SUCCESS) {                                  \
      DOCA_LOG_ERR("%s: %s", #call, doca_error_get_descr(result_)); \
      exit(1);                                                      \
    }                                                               \
  } while (0)

#define DEADLINE_S 30

struct echo {
  char pci[DOCA_DEVINFO_PCI_ADDR_SIZE];
  char rep_pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
  char text[64];
  struct doca_pe *pe;
  struct doca_dev *dev;
  struct doca_ctx *ctx;
  int over;
  int answered;
};

static struct echo echo = {.text = "hello"};

static doca_error_t copy_option(char *to, size_t size, const char *from) {
  if (strlen(from) >= size) return DOCA_ERROR_INVALID_VALUE;
  strcpy(to, from);
  return DOCA_SUCCESS;
}
static doca_error_t on_pci(void *value, void *config) {
  struct echo *of = config;
  return copy_option(of->pci, sizeof(of->pci), value);
}
static doca_error_t on_text(void *value, void *config) {
  struct echo *of = config;
  return copy_option(of->text, sizeof(of->text), value);
}

static void option(const char *short_name, const char *long_name, doca_argp_param_cb_t callback) {
  struct doca_argp_param *param;
  CHECK(doca_argp_param_create(&param));
  doca_argp_param_set_short_name(param, short_name);
  doca_argp_param_set_long_name(param, long_name);
  doca_argp_param_set_description(param, long_name);
  doca_argp_param_set_callback(param, callback);
  doca_argp_param_set_type(param, DOCA_ARGP_TYPE_STRING);
  CHECK(doca_argp_register_param(param));
}

static void open_device(void) {
  struct doca_devinfo **list;
  uint32_t count;
  CHECK(doca_devinfo_create_list(&list, &count));
  for (uint32_t i = 0; i < count && echo.dev == NULL; ++i) {
    uint8_t equal = 0;
    CHECK(doca_devinfo_is_equal_pci_addr(list[i], echo.pci, &equal));
    if (equal) CHECK(doca_dev_open(list[i], &echo.dev));
  }
  CHECK(doca_devinfo_destroy_list(list));
  if (echo.dev == NULL) exit(2);
}

static void sent(struct doca_comch_task_send *task, union doca_data task_data,
                 union doca_data ctx_data) {
  (void)task_data;
  (void)ctx_data;
  doca_task_free(doca_comch_task_send_as_task(task));
}

static void not_sent(struct doca_comch_task_send *task, union doca_data task_data,
                     union doca_data ctx_data) {
  sent(task, task_data, ctx_data);
  DOCA_LOG_ERR("a message was not sent");
  exit(3);
}

#ifdef DOCA_ARCH_DPU

static struct doca_dev_rep *rep;
static struct doca_comch_server *server;

static doca_error_t on_rep_pci(void *value, void *config) {
  struct echo *of = config;
  return copy_option(of->rep_pci, sizeof(of->rep_pci), value);
}

static void open_representor(void) {
  struct doca_devinfo_rep **list;
  uint32_t count;
  CHECK(doca_devinfo_rep_create_list(echo.dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
  for (uint32_t i = 0; i < count && rep == NULL; ++i) {
    uint8_t equal = 0;
    CHECK(doca_devinfo_rep_is_equal_pci_addr(list[i], echo.rep_pci, &equal));
    if (equal) CHECK(doca_dev_rep_open(list[i], &rep));
  }
  CHECK(doca_devinfo_rep_destroy_list(list));
  if (rep == NULL) exit(2);
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
                     struct doca_comch_connection *connection) {
  struct doca_comch_task_send *task;
  (void)event;
  if (length >= sizeof(echo.text)) exit(4);
  memcpy(echo.text, buffer, length);
  CHECK(doca_comch_server_task_send_alloc_init(server, connection, echo.text, length, &task));
  CHECK(doca_task_submit(doca_comch_task_send_as_task(task)));
  echo.answered = 1;
}

static void connected(struct doca_comch_event_connection_status_changed *event,
                      struct doca_comch_connection *connection, uint8_t successful) {
  (void)event;
  (void)connection;
  if (!successful) exit(5);
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
                         struct doca_comch_connection *connection, uint8_t successful) {
  connected(event, connection, successful);
  (void)doca_ctx_stop(echo.ctx);
}

static void start(void) {
  open_representor();
  CHECK(doca_comch_server_create(echo.dev, rep, "echo", &server));
  CHECK(doca_comch_server_task_send_set_conf(server, sent, not_sent, 4));
  CHECK(doca_comch_server_event_msg_recv_register(server, received));
  CHECK(
      doca_comch_server_event_connection_status_changed_register(server, connected, disconnected));
  echo.ctx = doca_comch_server_as_ctx(server);
}

static void finish(void) {
  CHECK(doca_comch_server_destroy(server));
  CHECK(doca_dev_rep_close(rep));
}

#else

static struct doca_comch_client *client;

static void received(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
                     struct doca_comch_connection *connection) {
  (void)event;
  (void)connection;
  if (length != strlen(echo.text) || memcmp(buffer, echo.text, length) != 0) exit(4);
  echo.answered = 1;
  (void)doca_ctx_stop(echo.ctx);
}

static void start(void) {
  CHECK(doca_comch_client_create(echo.dev, "echo", &client));
  CHECK(doca_comch_client_task_send_set_conf(client, sent, not_sent, 4));
  CHECK(doca_comch_client_event_msg_recv_register(client, received));
  echo.ctx = doca_comch_client_as_ctx(client);
}

static void say(void) {
  struct doca_comch_connection *connection;
  struct doca_comch_task_send *task;
  CHECK(doca_comch_client_get_connection(client, &connection));
  CHECK(doca_comch_client_task_send_alloc_init(client, connection, echo.text,
                                               (uint32_t)strlen(echo.text), &task));
  CHECK(doca_task_submit(doca_comch_task_send_as_task(task)));
}

static void finish(void) { CHECK(doca_comch_client_destroy(client)); }

#endif

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx,
                          enum doca_ctx_states before, enum doca_ctx_states after) {
  (void)user_data;
  (void)ctx;
  (void)before;
#ifndef DOCA_ARCH_DPU
  if (after == DOCA_CTX_STATE_RUNNING) say();
#endif
  if (after == DOCA_CTX_STATE_IDLE) echo.over = 1;
}

int main(int argc, char **argv) {
  struct doca_log_backend *sdk;
  doca_error_t started;
  alarm(DEADLINE_S);
#ifdef DOCA_ARCH_DPU
  strcpy(echo.pci, "03:00.0");
  strcpy(echo.rep_pci, "b1:00.0");
#else
  strcpy(echo.pci, "b1:00.0");
#endif
  CHECK(doca_log_backend_create_standard());
  CHECK(doca_log_backend_create_with_file_sdk(stderr, &sdk));
  CHECK(doca_log_backend_set_sdk_level(sdk, DOCA_LOG_LEVEL_WARNING));
  CHECK(doca_argp_init(NULL, &echo));
  option("p", "pci-addr", on_pci);
  option("t", "text", on_text);
#ifdef DOCA_ARCH_DPU
  option("r", "rep-pci", on_rep_pci);
#endif
  CHECK(doca_argp_start(argc, argv));
  open_device();
  CHECK(doca_pe_create(&echo.pe));
  start();
  CHECK(doca_ctx_set_state_changed_cb(echo.ctx, state_changed));
  CHECK(doca_pe_connect_ctx(echo.pe, echo.ctx));
  started = doca_ctx_start(echo.ctx);
  if (started != DOCA_SUCCESS && started != DOCA_ERROR_IN_PROGRESS) exit(6);
  DOCA_LOG_INFO("started with %s", doca_version());
  while (!echo.over) (void)doca_pe_progress(echo.pe);
  finish();
  CHECK(doca_dev_close(echo.dev));
  CHECK(doca_pe_destroy(echo.pe));
  CHECK(doca_argp_destroy());
  printf("%s\n", echo.text);
  return echo.answered ? 0 : 7;
}
