/* doca_comch_data_path_high_speed_server: one message each way through the fast path. When both
 * have come through, the server says so by the control path, and ends when the client has left.
 *
 *   doca_comch_data_path_high_speed_server -p 03:00.0 -r b1:00.0 -t "Message from the server" */
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_log.h>

#include "example.h"
#include "fast_ends.h"

DOCA_LOG_REGISTER(COMCH_DATA_PATH_SERVER::MAIN);

#define SERVER_NAME "data_path_server" /* The client's, too. */
#define DONE "done"                    /* The client's, too. */
#define SEND_TASKS 64
#define RECV_QUEUE 10

struct program {
  struct example_config config;
  struct example_loop loop;
  struct doca_dev *dev;
  struct doca_dev_rep *rep;
  struct doca_comch_server *server;
  struct doca_comch_connection *connection; /* NULL: no client. */
  struct fast_ends ends;
  bool is_over; /* The client has left. */
  doca_error_t result;
};

/* From a connection to its context to the user data. */
static struct program *program_of(const struct doca_comch_connection *connection) {
  struct doca_comch_server *const server = doca_comch_server_get_server_ctx(connection);
  union doca_data data = {.ptr = NULL};
  doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &data);
  return data.ptr;
}

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

static doca_error_t say(struct program *program, const char *text) {
  struct doca_comch_task_send *task = NULL;
  TRY(doca_comch_server_task_send_alloc_init(program->server, program->connection, text,
                                             (uint32_t)strlen(text), &task));
  const doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(task));
  if (result != DOCA_SUCCESS) doca_task_free(doca_comch_task_send_as_task(task));
  return result;
}

static void on_message(struct doca_comch_event_msg_recv *event, uint8_t *recv_buffer,
                       uint32_t msg_len, struct doca_comch_connection *connection) {
  (void)event;
  (void)connection;
  DOCA_LOG_INFO("Received: %.*s", (int)msg_len, (const char *)recv_buffer);
}

static void on_connected(struct doca_comch_event_connection_status_changed *event,
                         struct doca_comch_connection *connection, uint8_t change_successful) {
  struct program *const program = program_of(connection);
  (void)event;
  if (change_successful && program->connection == NULL) program->connection = connection;
}

static void on_disconnected(struct doca_comch_event_connection_status_changed *event,
                            struct doca_comch_connection *connection, uint8_t change_successful) {
  struct program *const program = program_of(connection);
  (void)event;
  (void)change_successful;
  if (program->connection == connection) program->is_over = true;
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
  TRY(example_open_representor(program->dev, program->config.rep_pci_addr, &program->rep));
  TRY(doca_comch_server_create(program->dev, program->rep, SERVER_NAME, &program->server));

  struct doca_ctx *const ctx = doca_comch_server_as_ctx(program->server);
  TRY(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = program}));
  TRY(doca_comch_server_set_max_msg_size(program->server, EXAMPLE_TEXT_SIZE));
  TRY(doca_comch_server_set_recv_queue_size(program->server, RECV_QUEUE));
  TRY(doca_comch_server_task_send_set_conf(program->server, on_sent, on_send_failed, SEND_TASKS));
  TRY(doca_comch_server_event_msg_recv_register(program->server, on_message));
  TRY(doca_comch_server_event_connection_status_changed_register(program->server, on_connected,
                                                                 on_disconnected));
  TRY(doca_comch_server_event_consumer_register(program->server, on_consumer, on_consumer_gone));
  TRY(doca_pe_connect_ctx(program->loop.pe, ctx));
  TRY(doca_ctx_start(ctx));
  DOCA_LOG_INFO("Waiting for a client");
  return DOCA_SUCCESS;
}

static doca_error_t serve(struct program *program) {
  while (program->connection == NULL) example_loop_run(&program->loop);
  TRY(fast_ends_begin(&program->ends, program->connection, program->dev, &program->loop,
                      program->config.text));
  while (!fast_ends_are_done(&program->ends)) TRY(fast_ends_run(&program->ends));
  TRY(say(program, DONE));
  while (!program->is_over && program->result == DOCA_SUCCESS) example_loop_run(&program->loop);
  return program->result;
}

static void stop(struct program *program) {
  struct doca_ctx *const ctx = doca_comch_server_as_ctx(program->server);
  enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
  doca_ctx_get_state(ctx, &state);
  if (state != DOCA_CTX_STATE_IDLE) doca_ctx_stop(ctx);
  while (doca_ctx_get_state(ctx, &state), state != DOCA_CTX_STATE_IDLE) {
    example_loop_run(&program->loop);
  }
  doca_comch_server_destroy(program->server);
}

/* Everything that was made, the other way round. */
static void end(struct program *program) {
  fast_ends_end(&program->ends);
  if (program->server != NULL) stop(program);
  if (program->rep != NULL) doca_dev_rep_close(program->rep);
  if (program->dev != NULL) doca_dev_close(program->dev);
  example_loop_destroy(&program->loop);
}

int main(int argc, char **argv) {
  struct program program = {.config = EXAMPLE_DPU("Message from the server"),
                            .loop = {.epoll_fd = -1}};
  doca_error_t result = example_options(argc, argv, &program.config);
  if (result == DOCA_SUCCESS) {
    result = begin(&program);
    if (result == DOCA_SUCCESS) result = serve(&program);
    end(&program);
  }
  example_end();
  return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
