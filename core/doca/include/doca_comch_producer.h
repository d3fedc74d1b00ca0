/* doca_comch_producer.h: the sending end of the fast path.
 *
 * A producer of a connection sends into the buffers that consumers of the other side have posted,
 * each consumer by its id, of which the consumer event tells (doca_comch.h); a producer of a MsgQ
 * (doca_comch_msgq.h) sends immediate data alone.
 *
 *   doca_comch_producer_create(connection, &producer);
 *   doca_comch_producer_task_send_set_conf(producer, sent, failed, 64);
 *   doca_pe_connect_ctx(pe, doca_comch_producer_as_ctx(producer));
 *   doca_ctx_start(doca_comch_producer_as_ctx(producer));                  runs at once
 *   doca_comch_producer_task_send_alloc_init(producer, buf, NULL, 0, consumer_id, &task);
 *   doca_task_submit(doca_comch_producer_task_send_as_task(task));        AGAIN: nothing posted
 *
 * A submission answers AGAIN while the consumer has nothing posted, which clears without a call of
 * doca_pe_progress(), and INVALID_VALUE when there is no such consumer, or the data is longer than
 * the room of the posted buffer, or the immediate data than the consumer takes. The task stays the
 * program's then. When it completes the data is where the consumer will find it, and it will be
 * told of it even if this process dies.
 *
 * Threads: a producer lives on the thread of its progress engine, which need not be the
 * connection's; create and destroy are called where the connection lives.
 * Order: messages to one consumer arrive and complete as they were submitted.
 * Lifetime: a producer outlives its tasks. Its connection may end before it is destroyed: what is
 * submitted then comes back with CONNECTION_RESET, which is also what doca_ctx_start() answers from
 * then on.
 * Follows DOCA Comch 3.0. */
#ifndef DOCA_COMCH_PRODUCER_H_
#define DOCA_COMCH_PRODUCER_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_dev;
struct doca_devinfo;
struct doca_dpa_thread;
struct doca_comch_connection;
struct doca_comch_producer;
struct doca_dpa_completion;

/* What device functions know a producer by. */
typedef uint64_t doca_dpa_dev_comch_producer_t;

/* A message: the library's from its submission until one of the callbacks has it. */
struct doca_comch_producer_task_send;

/* Called from doca_pe_progress(). The task is the program's again: to submit, keep or free. */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
    struct doca_comch_producer_task_send *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* BAD_STATE: the connection is not established. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_comch_producer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_comch_producer **producer);

/* IN_USE: it is not idle, and unchanged. */
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/* NOT_SUPPORTED: the device can be neither a server's nor a client's. */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/* Unique on its side of the connection. It is given at each start; 0 while idle. */
DOCA_STABLE
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/* Limits. Of `max_buf_size` and `max_buf_list_len`: NOT_SUPPORTED as for cap_is_supported(). */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_producers);

/* The producer as a context; NULL of NULL. */
DOCA_STABLE
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/* Of a producer on the accelerator, both mandatory there. NOT_SUPPORTED: it is on the CPU.
 * BAD_STATE: not idle. INVALID_VALUE: 0 sends, or above the limit.
 * dev_num_send  sends that device functions may have under way at a time */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
                                                      uint32_t dev_num_send);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
                                                       struct doca_dpa_completion *dpa_comp);

/* BAD_STATE: it is not started, or not on the accelerator. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
                                                doca_dpa_dev_comch_producer_t *dpa_producer);

/* Mandatory on the CPU, before the start. INVALID_VALUE: no callback, no tasks, or too many.
 * BAD_STATE: not idle. NOT_SUPPORTED: it is on the accelerator. */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_set_conf(
    struct doca_comch_producer *producer,
    doca_comch_producer_task_send_completion_cb_t task_completion_cb,
    doca_comch_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);

/* Sends the data of `buf`, which may be in any number of sends at once and may be NULL, and
 * `imm_data`, to `consumer_id`. Neither is copied before the submission; the buffer does not change
 * until the task is complete.
 * NO_MEMORY: every task is out. INVALID_VALUE: too much immediate data, or none at NULL.
 * BAD_STATE: the producer is idle. */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
                                                      const struct doca_buf *buf, uint8_t *imm_data,
                                                      uint32_t imm_data_len, uint32_t consumer_id,
                                                      struct doca_comch_producer_task_send **task);

/* What the next submission sends, and where. The setters are without effect, but for a line in
 * the log, while the task is submitted. */
DOCA_STABLE
const struct doca_buf *doca_comch_producer_task_send_get_buf(
    const struct doca_comch_producer_task_send *task);
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
                                           const struct doca_buf *buf);
DOCA_STABLE
uint32_t doca_comch_producer_task_send_get_consumer_id(
    const struct doca_comch_producer_task_send *task);
DOCA_STABLE
void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
                                                   const uint32_t consumer_id);
DOCA_STABLE
uint8_t *doca_comch_producer_task_send_get_imm_data(
    const struct doca_comch_producer_task_send *task);
DOCA_STABLE
uint32_t doca_comch_producer_task_send_get_imm_data_len(
    const struct doca_comch_producer_task_send *task);
DOCA_STABLE
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
                                                uint8_t *imm_data, uint32_t imm_data_len);

DOCA_STABLE
struct doca_task *doca_comch_producer_task_send_as_task(struct doca_comch_producer_task_send *task);

#ifdef __cplusplus
}
#endif

#endif
