/* doca_comch_msgq: sends a text to a device function of an (emulated) accelerator, which sends it
 * back: a MsgQ in each direction.
 *
 *   doca_comch_msgq -p b1:00.0 -t "at most 32 bytes" */
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_log.h>

#include "example.h"
#include "msgq_echo_device.h"

DOCA_LOG_REGISTER(COMCH_MSGQ::MAIN);

/* The device's sources are compiled with the program's. */
extern struct doca_dpa_app *msgq_echo_app;
DOCA_DPA_APP_DEFINE(msgq_echo_app)

#define DEPTH 16
#define FIRST_CONSUMER 1 /* Of every MsgQ. */

struct program {
  struct example_config config;
  struct example_loop loop;
  struct doca_dev *dev;
  struct doca_dpa *dpa;
  struct doca_comch_msgq *down; /* To the accelerator. */
  struct doca_comch_msgq *up;
  /* On the accelerator. */
  struct doca_dpa_thread *thread;
  struct doca_comch_consumer_completion *arrivals;
  struct doca_dpa_completion *completions;
  struct doca_comch_consumer *dpa_consumer;
  struct doca_comch_producer *dpa_producer;
  doca_dpa_dev_uintptr_t arguments;
  /* On the CPU. */
  struct doca_comch_consumer *consumer;
  struct doca_comch_producer *producer;
  bool is_answered;
  doca_error_t result;
};

/* --- The queues -------------------------------------------------------------------------- */

static doca_error_t open_queues(struct program *program) {
  TRY(doca_comch_msgq_create(program->dev, &program->down));
  TRY(doca_comch_msgq_set_dpa_consumer(program->down, program->dpa));
  TRY(doca_comch_msgq_set_max_num_consumers(program->down, 1));
  TRY(doca_comch_msgq_set_max_num_producers(program->down, 1));
  TRY(doca_comch_msgq_start(program->down));
  TRY(doca_comch_msgq_create(program->dev, &program->up));
  TRY(doca_comch_msgq_set_dpa_producer(program->up, program->dpa));
  TRY(doca_comch_msgq_set_max_num_consumers(program->up, 1));
  TRY(doca_comch_msgq_set_max_num_producers(program->up, 1));
  TRY(doca_comch_msgq_start(program->up));
  return DOCA_SUCCESS;
}

/* --- On the accelerator ------------------------------------------------------------------ */

static doca_error_t begin_accelerator(struct program *program) {
  TRY(doca_dpa_create(program->dev, &program->dpa));
  TRY(doca_dpa_set_app(program->dpa, msgq_echo_app));
  TRY(doca_dpa_start(program->dpa));
  TRY(doca_dpa_mem_alloc(program->dpa, sizeof(struct echo_arguments), &program->arguments));
  TRY(doca_dpa_thread_create(program->dpa, &program->thread));
  TRY(doca_dpa_thread_set_func_arg(program->thread, (doca_dpa_func_t *)msgq_echo,
                                   program->arguments));
  TRY(doca_dpa_thread_start(program->thread));
  return DOCA_SUCCESS;
}

static doca_error_t begin_dpa_consumer(struct program *program) {
  TRY(doca_comch_consumer_completion_create(&program->arrivals));
  TRY(doca_comch_consumer_completion_set_max_num_recv(program->arrivals, DEPTH));
  TRY(doca_comch_consumer_completion_set_dpa_thread(program->arrivals, program->thread));
  TRY(doca_comch_consumer_completion_start(program->arrivals));
  TRY(doca_comch_msgq_consumer_create(program->down, &program->dpa_consumer));
  struct doca_ctx *const ctx = doca_comch_consumer_as_ctx(program->dpa_consumer);
  TRY(doca_ctx_set_datapath_on_dpa(ctx, program->dpa));
  TRY(doca_comch_consumer_set_dev_max_num_recv(program->dpa_consumer, DEPTH));
  TRY(doca_comch_consumer_set_completion(program->dpa_consumer, program->arrivals, 0));
  TRY(doca_ctx_start(ctx));
  return DOCA_SUCCESS;
}

static doca_error_t begin_dpa_producer(struct program *program) {
  TRY(doca_dpa_completion_create(program->dpa, DEPTH, &program->completions));
  TRY(doca_dpa_completion_start(program->completions));
  TRY(doca_comch_msgq_producer_create(program->up, &program->dpa_producer));
  struct doca_ctx *const ctx = doca_comch_producer_as_ctx(program->dpa_producer);
  TRY(doca_ctx_set_datapath_on_dpa(ctx, program->dpa));
  TRY(doca_comch_producer_set_dev_max_num_send(program->dpa_producer, DEPTH));
  TRY(doca_comch_producer_dpa_completion_attach(program->dpa_producer, program->completions));
  TRY(doca_ctx_start(ctx));
  return DOCA_SUCCESS;
}

static doca_error_t run_echo(struct program *program) {
  struct echo_arguments arguments = {.answers_to = FIRST_CONSUMER};
  uint64_t posted = 0;
  TRY(doca_comch_consumer_completion_get_dpa_handle(program->arrivals, &arguments.arrivals));
  TRY(doca_comch_consumer_get_dpa_handle(program->dpa_consumer, &arguments.consumer));
  TRY(doca_comch_producer_get_dpa_handle(program->dpa_producer, &arguments.producer));
  TRY(doca_dpa_h2d_memcpy(program->dpa, program->arguments, &arguments, sizeof(arguments)));
  TRY(doca_dpa_rpc(program->dpa, (doca_dpa_func_t *)msgq_echo_post, &posted, arguments.consumer,
                   DEPTH));
  TRY(doca_dpa_thread_run(program->thread));
  return DOCA_SUCCESS;
}

/* --- On the CPU -------------------------------------------------------------------------- */

static void on_received(struct doca_comch_consumer_task_post_recv *task,
                        union doca_data task_user_data, union doca_data ctx_user_data) {
  (void)task_user_data;
  DOCA_LOG_INFO("Received: %.*s", (int)doca_comch_consumer_task_post_recv_get_imm_data_len(task),
                (const char *)doca_comch_consumer_task_post_recv_get_imm_data(task));
  ((struct program *)ctx_user_data.ptr)->is_answered = true;
  doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_receive_failed(struct doca_comch_consumer_task_post_recv *task,
                              union doca_data task_user_data, union doca_data ctx_user_data) {
  struct doca_task *const failed = doca_comch_consumer_task_post_recv_as_task(task);
  (void)task_user_data;
  ((struct program *)ctx_user_data.ptr)->result = doca_task_get_status(failed);
  doca_task_free(failed);
}

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
                    union doca_data ctx_user_data) {
  (void)task_user_data;
  (void)ctx_user_data;
  doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void on_send_failed(struct doca_comch_producer_task_send *task,
                           union doca_data task_user_data, union doca_data ctx_user_data) {
  struct program *const program = ctx_user_data.ptr;
  program->result = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
  on_sent(task, task_user_data, ctx_user_data);
}

static doca_error_t begin_cpu(struct program *program) {
  const union doca_data data = {.ptr = program};
  TRY(doca_comch_msgq_consumer_create(program->up, &program->consumer));
  TRY(doca_comch_consumer_task_post_recv_set_conf(program->consumer, on_received, on_receive_failed,
                                                  1));
  TRY(doca_comch_msgq_producer_create(program->down, &program->producer));
  TRY(doca_comch_producer_task_send_set_conf(program->producer, on_sent, on_send_failed, 1));
  struct doca_ctx *const ends[] = {doca_comch_consumer_as_ctx(program->consumer),
                                   doca_comch_producer_as_ctx(program->producer)};
  for (size_t i = 0; i < 2; ++i) {
    TRY(doca_ctx_set_user_data(ends[i], data));
    TRY(doca_pe_connect_ctx(program->loop.pe, ends[i]));
    TRY(doca_ctx_start(ends[i]));
  }
  return DOCA_SUCCESS;
}

static doca_error_t submit(struct doca_task *task) {
  const doca_error_t result = doca_task_submit(task);
  if (result != DOCA_SUCCESS) doca_task_free(task);
  return result;
}

static doca_error_t talk(struct program *program) {
  struct doca_comch_consumer_task_post_recv *receive = NULL;
  struct doca_comch_producer_task_send *send = NULL;
  const char *const text = program->config.text;
  TRY(doca_comch_consumer_task_post_recv_alloc_init(program->consumer, NULL, &receive));
  TRY(submit(doca_comch_consumer_task_post_recv_as_task(receive)));
  TRY(doca_comch_producer_task_send_alloc_init(program->producer, NULL, (uint8_t *)(uintptr_t)text,
                                               (uint32_t)strlen(text), FIRST_CONSUMER, &send));
  TRY(submit(doca_comch_producer_task_send_as_task(send)));
  while (!program->is_answered && program->result == DOCA_SUCCESS) {
    example_loop_run(&program->loop);
  }
  return program->result;
}

/* --- Life -------------------------------------------------------------------------------- */

static doca_error_t begin(struct program *program) {
  TRY(example_loop_create(program->config.epoll, &program->loop));
  TRY(example_open_device(program->config.pci_addr, &program->dev));
  TRY(begin_accelerator(program));
  TRY(open_queues(program));
  TRY(begin_dpa_consumer(program));
  TRY(begin_dpa_producer(program));
  TRY(run_echo(program));
  TRY(begin_cpu(program));
  return DOCA_SUCCESS;
}

static void stop(struct program *program, struct doca_ctx *ctx) {
  enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
  doca_ctx_get_state(ctx, &state);
  if (state != DOCA_CTX_STATE_IDLE) doca_ctx_stop(ctx);
  while (doca_ctx_get_state(ctx, &state), state != DOCA_CTX_STATE_IDLE) {
    example_loop_run(&program->loop);
  }
}

static void end_producer(struct program *program, struct doca_comch_producer *producer) {
  if (producer == NULL) return;
  stop(program, doca_comch_producer_as_ctx(producer));
  doca_comch_producer_destroy(producer);
}

static void end_consumer(struct program *program, struct doca_comch_consumer *consumer) {
  if (consumer == NULL) return;
  stop(program, doca_comch_consumer_as_ctx(consumer));
  doca_comch_consumer_destroy(consumer);
}

static void close_queue(struct doca_comch_msgq *queue) {
  if (queue == NULL) return;
  doca_comch_msgq_stop(queue);
  doca_comch_msgq_destroy(queue);
}

/* Everything that was made, the other way round; first of all nothing runs any more. */
static void end(struct program *program) {
  if (program->thread != NULL) doca_dpa_thread_stop(program->thread);
  end_producer(program, program->producer);
  end_consumer(program, program->consumer);
  end_producer(program, program->dpa_producer);
  end_consumer(program, program->dpa_consumer);
  if (program->completions != NULL) doca_dpa_completion_destroy(program->completions);
  if (program->arrivals != NULL) doca_comch_consumer_completion_destroy(program->arrivals);
  close_queue(program->up);
  close_queue(program->down);
  if (program->thread != NULL) doca_dpa_thread_destroy(program->thread);
  if (program->arguments != 0) doca_dpa_mem_free(program->dpa, program->arguments);
  if (program->dpa != NULL) doca_dpa_destroy(program->dpa);
  if (program->dev != NULL) doca_dev_close(program->dev);
  example_loop_destroy(&program->loop);
}

int main(int argc, char **argv) {
  struct program program = {.config = EXAMPLE_HOST("Message to the accelerator"),
                            .loop = {.epoll_fd = -1}};
  doca_error_t result = example_options(argc, argv, &program.config);
  if (result == DOCA_SUCCESS) {
    result = begin(&program);
    if (result == DOCA_SUCCESS) result = talk(&program);
    end(&program);
  }
  example_end();
  return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
