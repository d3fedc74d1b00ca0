/* doca_comch_data_path_high_speed_client: one message each way through the fast path. When both
 * have come through, and the server says the same by the control path, the client leaves.
 *
 *   doca_comch_data_path_high_speed_client -p b1:00.0 -t "Message from the client" */
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_log.h>

#include "example.h"
#include "fast_ends.h"

DOCA_LOG_REGISTER(COMCH_DATA_PATH_CLIENT::MAIN);

#define SERVER_NAME "data_path_server" /* The server's, too. */
#define DONE "done"                    /* The server's, too. */
#define SEND_TASKS 64
#define RECV_QUEUE 10

struct program {
  struct example_config config;
  struct example_loop loop;
  struct doca_dev *dev;
  struct doca_comch_client *client;
  struct fast_ends ends;
  bool is_done; /* The server has sent and received. */
  doca_error_t result;
};

static void on_sent(struct doca_comch_task_send *task, union doca_data task_user_data,
                    union doca_data ctx_user_data) {
  (void)task_user_data;
  (void)ctx_user_data;
  doca_task_free(doca_comch_task_send_as_task(task));
}

static void on_send_failed(struct doca_comch_task_send *task, union doca_data task_user_data,
                           union doca_data ctx_user_data) {
  struct program *const program = ctx_user_data.ptr;
  program->result = doca_task_get_status(doca_comch_task_send_as_task(task));
  on_sent(task, task_user_data, ctx_user_data);
}

static struct program *program_of(const struct doca_comch_connection *connection) {
  struct doca_comch_client *const client = doca_comch_client_get_client_ctx(connection);
  union doca_data data = {.ptr = NULL};
  doca_ctx_get_user_data(doca_comch_client_as_ctx(client), &data);
  return data.ptr;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                       uint32_t msg_len, struct doca_comch_connection *connection) {
  (void)event;
  if (msg_len == strlen(DONE) && memcmp(recv_buffer, DONE, msg_len) == 0) {
    program_of(connection)->is_done = true;
  }
}

static void on_consumer(struct doca_comch_event_consumer *event,
                        struct doca_comch_connection *connection, uint32_t id) {
  (void)event;
  program_of(connection)->ends.remote_consumer = id;
}

static void on_consumer_gone(struct doca_comch_event_consumer *event,
                             struct doca_comch_connection *connection, uint32_t id) {
  (void)event;
  (void)connection;
  (void)id;
}

static doca_error_t begin(struct program *program) {
  TRY(example_loop_create(program->config.epoll, &program->loop));
  TRY(example_open_device(program->config.pci_addr, &program->dev));
  TRY(doca_comch_client_create(program->dev, SERVER_NAME, &program->client));

  struct doca_ctx *const ctx = doca_comch_client_as_ctx(program->client);
  TRY(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = program}));
  TRY(doca_comch_client_set_max_msg_size(program->client, EXAMPLE_TEXT_SIZE));
  TRY(doca_comch_client_set_recv_queue_size(program->client, RECV_QUEUE));
  TRY(doca_comch_client_task_send_set_conf(program->client, on_sent, on_send_failed, SEND_TASKS));
  TRY(doca_comch_client_event_msg_recv_register(program->client, on_message));
  TRY(doca_comch_client_event_consumer_register(program->client, on_consumer, on_consumer_gone));
  TRY(doca_pe_connect_ctx(program->loop.pe, ctx));
  const doca_error_t started = doca_ctx_start(ctx);
  return started == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : started;
}

static enum doca_ctx_states state_of(const struct program *program) {
  enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
  doca_ctx_get_state(doca_comch_client_as_ctx(program->client), &state);
  return state;
}

static doca_error_t connect_to_server(struct program *program,
                                      struct doca_comch_connection **connection) {
  while (state_of(program) == DOCA_CTX_STATE_STARTING) example_loop_run(&program->loop);
  if (state_of(program) != DOCA_CTX_STATE_RUNNING) {
    DOCA_LOG_ERR("There is no such server, or it refused");
    return DOCA_ERROR_NOT_CONNECTED;
  }
  TRY(doca_comch_client_get_connection(program->client, connection));
  return DOCA_SUCCESS;
}

/* The client speaks first: the server has nothing to say to who does not. */
static doca_error_t greet(struct program *program, struct doca_comch_connection *connection) {
  static const char kHello[] = "hello";
  struct doca_comch_task_send *task = NULL;
  TRY(doca_comch_client_task_send_alloc_init(program->client, connection, kHello,
                                             sizeof(kHello) - 1, &task));
  const doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));
  if (result != DOCA_SUCCESS) doca_task_free(doca_comch_task_send_as_task(task));
  return result;
}

static doca_error_t exchange(struct program *program) {
  struct doca_comch_connection *connection = NULL;
  TRY(connect_to_server(program, &connection));
  TRY(greet(program, connection));
  TRY(fast_ends_begin(&program->ends, connection, program->dev, &program->loop,
                      program->config.text));
  while (!fast_ends_are_done(&program->ends)) TRY(fast_ends_run(&program->ends));
  while (!program->is_done) {
    if (state_of(program) != DOCA_CTX_STATE_RUNNING) return DOCA_ERROR_CONNECTION_RESET;
    example_loop_run(&program->loop);
  }
  return program->result;
}

/* Everything that was made, the other way round. */
static void end(struct program *program) {
  fast_ends_end(&program->ends);
  if (program->client != NULL) {
    if (state_of(program) != DOCA_CTX_STATE_IDLE) {
      doca_ctx_stop(doca_comch_client_as_ctx(program->client));
    }
    while (state_of(program) != DOCA_CTX_STATE_IDLE) example_loop_run(&program->loop);
    doca_comch_client_destroy(program->client);
  }
  if (program->dev != NULL) doca_dev_close(program->dev);
  example_loop_destroy(&program->loop);
}

int main(int argc, char **argv) {
  struct program program = {.config = EXAMPLE_HOST("Message from the client"),
                            .loop = {.epoll_fd = -1}};
  doca_error_t result = example_options(argc, argv, &program.config);
  if (result == DOCA_SUCCESS) {
    result = begin(&program);
    if (result == DOCA_SUCCESS) result = exchange(&program);
    end(&program);
  }
  example_end();
  return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
