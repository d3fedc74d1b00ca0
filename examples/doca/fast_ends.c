/* fast_ends: see fast_ends.h. */
#include "fast_ends.h"

#include <doca_ctx.h>
#include <doca_log.h>

DOCA_LOG_REGISTER(COMCH_DATA_PATH::ENDS);

#define ROOM_SIZE ((size_t)1024 * 1024)
#define TASKS 2
#define BUFFERS 2

/* --- Memory ------------------------------------------------------------------------------ */

static doca_error_t share(struct fast_memory *memory, struct doca_dev *dev, void *bytes,
                          size_t size) {
  TRY(doca_mmap_create(&memory->mmap));
  TRY(doca_mmap_add_dev(memory->mmap, dev));
  TRY(doca_mmap_set_permissions(memory->mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
  TRY(doca_mmap_set_memrange(memory->mmap, bytes, size));
  TRY(doca_mmap_start(memory->mmap));
  return DOCA_SUCCESS;
}

static doca_error_t prepare_memory(struct fast_ends *ends, struct doca_dev *dev, const char *text) {
  const size_t length = strlen(text);
  ends->room = malloc(ROOM_SIZE);
  if (ends->room == NULL) return DOCA_ERROR_NO_MEMORY;
  TRY(doca_buf_inventory_create(BUFFERS, &ends->inventory));
  TRY(doca_buf_inventory_start(ends->inventory));
  TRY(share(&ends->incoming, dev, ends->room, ROOM_SIZE));
  TRY(doca_buf_inventory_buf_get_by_addr(ends->inventory, ends->incoming.mmap, ends->room,
                                         ROOM_SIZE, &ends->incoming.buf));
  /* The text is only read, where it is. */
  TRY(share(&ends->outgoing, dev, (void *)(uintptr_t)text, length));
  TRY(doca_buf_inventory_buf_get_by_data(ends->inventory, ends->outgoing.mmap,
                                         (void *)(uintptr_t)text, length, &ends->outgoing.buf));
  return DOCA_SUCCESS;
}

static void release(struct fast_memory *memory) {
  if (memory->buf != NULL) doca_buf_dec_refcount(memory->buf, NULL);
  if (memory->mmap != NULL) doca_mmap_destroy(memory->mmap);
}

/* --- Receiving --------------------------------------------------------------------------- */

static void on_received(struct doca_comch_consumer_task_post_recv *task,
                        union doca_data task_user_data, union doca_data ctx_user_data) {
  struct fast_ends *const ends = ctx_user_data.ptr;
  const struct doca_buf *const buf = doca_comch_consumer_task_post_recv_get_buf(task);
  void *data = NULL;
  size_t length = 0;
  (void)task_user_data;
  doca_buf_get_data(buf, &data);
  doca_buf_get_data_len(buf, &length);
  DOCA_LOG_INFO("Received by the fast path: %.*s", (int)length, (const char *)data);
  ends->is_received = true;
  doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void on_receive_failed(struct doca_comch_consumer_task_post_recv *task,
                              union doca_data task_user_data, union doca_data ctx_user_data) {
  struct doca_task *const failed = doca_comch_consumer_task_post_recv_as_task(task);
  struct fast_ends *const ends = ctx_user_data.ptr;
  (void)task_user_data;
  if (!ends->is_received) ends->result = doca_task_get_status(failed);
  doca_task_free(failed);
}

static doca_error_t begin_consumer(struct fast_ends *ends,
                                   struct doca_comch_connection *connection) {
  TRY(doca_comch_consumer_create(connection, ends->incoming.mmap, &ends->consumer));
  struct doca_ctx *const ctx = doca_comch_consumer_as_ctx(ends->consumer);
  TRY(doca_comch_consumer_task_post_recv_set_conf(ends->consumer, on_received, on_receive_failed,
                                                  TASKS));
  TRY(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = ends}));
  TRY(doca_pe_connect_ctx(ends->loop->pe, ctx));
  const doca_error_t started = doca_ctx_start(ctx);
  return started == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : started;
}

static doca_error_t post(struct fast_ends *ends) {
  struct doca_comch_consumer_task_post_recv *task = NULL;
  TRY(doca_comch_consumer_task_post_recv_alloc_init(ends->consumer, ends->incoming.buf, &task));
  struct doca_task *const posted = doca_comch_consumer_task_post_recv_as_task(task);
  const doca_error_t result = doca_task_submit(posted);
  if (result != DOCA_SUCCESS) doca_task_free(posted);
  ends->is_posted = result == DOCA_SUCCESS;
  return result;
}

/* --- Sending ----------------------------------------------------------------------------- */

static void on_sent(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
                    union doca_data ctx_user_data) {
  (void)task_user_data;
  ((struct fast_ends *)ctx_user_data.ptr)->is_sent = true;
  doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static void on_send_failed(struct doca_comch_producer_task_send *task,
                           union doca_data task_user_data, union doca_data ctx_user_data) {
  struct doca_task *const failed = doca_comch_producer_task_send_as_task(task);
  (void)task_user_data;
  ((struct fast_ends *)ctx_user_data.ptr)->result = doca_task_get_status(failed);
  doca_task_free(failed);
}

static doca_error_t begin_producer(struct fast_ends *ends,
                                   struct doca_comch_connection *connection) {
  TRY(doca_comch_producer_create(connection, &ends->producer));
  struct doca_ctx *const ctx = doca_comch_producer_as_ctx(ends->producer);
  TRY(doca_comch_producer_task_send_set_conf(ends->producer, on_sent, on_send_failed, TASKS));
  TRY(doca_ctx_set_user_data(ctx, (union doca_data){.ptr = ends}));
  TRY(doca_pe_connect_ctx(ends->loop->pe, ctx));
  TRY(doca_ctx_start(ctx));
  return DOCA_SUCCESS;
}

/* AGAIN: the other side has posted nothing yet. */
static doca_error_t send_message(struct fast_ends *ends) {
  if (ends->message == NULL) {
    TRY(doca_comch_producer_task_send_alloc_init(ends->producer, ends->outgoing.buf, NULL, 0,
                                                 ends->remote_consumer, &ends->message));
  }
  const doca_error_t result =
      doca_task_submit(doca_comch_producer_task_send_as_task(ends->message));
  ends->is_submitted = result == DOCA_SUCCESS;
  return result;
}

/* --- Life -------------------------------------------------------------------------------- */

static enum doca_ctx_states state_of(struct doca_ctx *ctx) {
  enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;
  doca_ctx_get_state(ctx, &state);
  return state;
}

doca_error_t fast_ends_begin(struct fast_ends *ends, struct doca_comch_connection *connection,
                             struct doca_dev *dev, struct example_loop *loop, const char *text) {
  ends->loop = loop;
  TRY(prepare_memory(ends, dev, text));
  TRY(begin_consumer(ends, connection));
  TRY(begin_producer(ends, connection));
  return DOCA_SUCCESS;
}

doca_error_t fast_ends_run(struct fast_ends *ends) {
  struct doca_ctx *const consumer = doca_comch_consumer_as_ctx(ends->consumer);
  if (!ends->is_posted && state_of(consumer) == DOCA_CTX_STATE_RUNNING) TRY(post(ends));
  if (!ends->is_submitted && ends->remote_consumer != 0) {
    const doca_error_t result = send_message(ends);
    if (result == DOCA_ERROR_AGAIN) {
      /* That changes without a call of progress, and nothing announces it. */
      doca_pe_progress(ends->loop->pe);
      example_pause();
      return ends->result;
    }
    TRY(result);
  }
  example_loop_run(ends->loop);
  return ends->result;
}

bool fast_ends_are_done(const struct fast_ends *ends) { return ends->is_sent && ends->is_received; }

static void stop(struct fast_ends *ends, struct doca_ctx *ctx) {
  if (state_of(ctx) != DOCA_CTX_STATE_IDLE) doca_ctx_stop(ctx);
  while (state_of(ctx) != DOCA_CTX_STATE_IDLE) example_loop_run(ends->loop);
}

void fast_ends_end(struct fast_ends *ends) {
  if (ends->message != NULL && !ends->is_submitted) {
    doca_task_free(doca_comch_producer_task_send_as_task(ends->message));
  }
  if (ends->producer != NULL) {
    stop(ends, doca_comch_producer_as_ctx(ends->producer));
    doca_comch_producer_destroy(ends->producer);
  }
  if (ends->consumer != NULL) {
    stop(ends, doca_comch_consumer_as_ctx(ends->consumer));
    doca_comch_consumer_destroy(ends->consumer);
  }
  release(&ends->outgoing);
  release(&ends->incoming);
  if (ends->inventory != NULL) doca_buf_inventory_destroy(ends->inventory);
  free(ends->room);
  *ends = (struct fast_ends){.result = ends->result};
}
