/* doca_comch_consumer.h: the receiving end of the fast path.
 *
 * A consumer of a connection posts buffers of one doca_mmap, and producers of the other side send
 * into them; a consumer of a MsgQ (doca_comch_msgq.h) takes immediate data alone.
 *
 *   doca_comch_consumer_create(connection, mmap, &consumer);
 *   doca_comch_consumer_task_post_recv_set_conf(consumer, received, failed, 64);
 *   doca_pe_connect_ctx(pe, doca_comch_consumer_as_ctx(consumer));
 *   doca_ctx_start(doca_comch_consumer_as_ctx(consumer));        IN_PROGRESS; then it runs:
 *   doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &task);
 *   doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task));
 *
 * Threads: a consumer lives on the thread of its progress engine, which need not be the
 * connection's; create and destroy are called where the connection lives. It reaches RUNNING when
 * both engines are progressed, by one thread or by two.
 * Order: buffers are filled as they were posted; messages of one producer arrive as they were sent.
 * Lifetime: a consumer outlives its tasks. Its connection may end before it is destroyed: what is
 * posted then comes back with CONNECTION_RESET, which is also what doca_ctx_start() answers from
 * then on.
 * Follows DOCA Comch 3.0. */
#ifndef DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_CONSUMER_H_

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
struct doca_mmap;
struct doca_dpa_thread;
struct doca_comch_connection;
struct doca_comch_consumer;
struct doca_comch_consumer_completion;

/* What device functions know a consumer, and a completion context of consumers, by. */
typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
typedef uint64_t doca_dpa_dev_comch_consumer_t;

/* A posted buffer: the library's from its submission until one of the callbacks has it. */
struct doca_comch_consumer_task_post_recv;

/* Called from doca_pe_progress(). The task is the program's again: to submit, keep or free. */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
    struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

/* The map is started and outlives the consumer; its buffers are what may be posted.
 * BAD_STATE: the connection is not established, or the map not started. NOT_PERMITTED: the map
 * lacks DOCA_ACCESS_FLAG_PCI_READ_WRITE. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *comch_connection,
                                        struct doca_mmap *buf_mmap,
                                        struct doca_comch_consumer **consumer);

/* IN_USE: it is not idle, and unchanged. */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/* NOT_SUPPORTED: the device can be neither a server's nor a client's. */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/* Unique on its side of the connection, never 0 nor 0xffff; the first of a MsgQ is 1. It is given
 * at each start; 0 while idle. */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/* Limits. Of `max_buf_size` and `max_buf_list_len`: NOT_SUPPORTED as for cap_is_supported(). */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_num_tasks);
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                      uint32_t *max_buf_size);
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_buf_list_len);
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                       uint32_t *max_consumers);
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
                                                          uint32_t *max_imm_data_len);

/* The longest immediate data a message may bring; 0: none. Default: 32.
 * BAD_STATE: not idle. INVALID_VALUE: above the limit, which is 32 for a MsgQ. */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
                                                  uint32_t *imm_data_len);
DOCA_STABLE
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
                                                  uint32_t imm_data_len);

/* The consumer as a context; NULL of NULL. */
DOCA_STABLE
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/* A completion context: what tells device functions of messages that consumers on the accelerator
 * have got. It outlives the consumers that are attached to it by
 * doca_comch_consumer_set_completion(). */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_create(
    struct doca_comch_consumer_completion **consumer_comp);

/* Which thread is run on an arrival; without one it is polled. BAD_STATE: started. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_dpa_thread(
    struct doca_comch_consumer_completion *consumer_comp, struct doca_dpa_thread *dpa_thread);

/* Stops it first if need be. IN_USE: consumers are attached. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_destroy(
    struct doca_comch_consumer_completion *consumer_comp);

/* BAD_STATE: started already, max_num_recv is not set, or the thread is not started. IN_USE: a
 * device function has not acknowledged what it got before the stop. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_start(
    struct doca_comch_consumer_completion *consumer_comp);

/* IN_USE: consumers are attached. BAD_STATE: not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_stop(
    struct doca_comch_consumer_completion *consumer_comp);

/* BAD_STATE: not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
    struct doca_comch_consumer_completion *consumer_comp,
    doca_dpa_dev_comch_consumer_completion_t *consumer_comp_handle);

/* Settings. BAD_STATE: started. INVALID_VALUE: 0 (but for imm_data_len), or above the limit.
 * max_num_consumers  attached at a time; default 64
 * max_num_recv       messages got and not acknowledged; mandatory
 * imm_data_len       at least that of every consumer attached; default 32 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_recv(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(
    struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_imm_data_len(
    const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/* Of a consumer on the accelerator, both mandatory there. NOT_SUPPORTED: it is on the CPU.
 * BAD_STATE: not idle. INVALID_VALUE: 0 receives, or above the limit.
 * dev_num_recv  receives that device functions may have posted at a time */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
                                                      uint32_t dev_num_recv);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_completion(
    struct doca_comch_consumer *consumer, struct doca_comch_consumer_completion *consumer_comp,
    uint32_t user_data);

/* BAD_STATE: it is not started, or not on the accelerator. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
                                                doca_dpa_dev_comch_consumer_t *dpa_consumer);

/* Mandatory on the CPU, before the start. INVALID_VALUE: no callback, no tasks, or too many.
 * BAD_STATE: not idle. NOT_SUPPORTED: it is on the accelerator. */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(
    struct doca_comch_consumer *consumer,
    doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);

/* `buf` is of the consumer's map and has room behind its data, where what is received is put; NULL
 * for immediate data alone, as always of a MsgQ. The program keeps its reference.
 * NO_MEMORY: every task is out. INVALID_VALUE: the buffer is none of the map's.
 * BAD_STATE: the consumer is idle or starting. */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_alloc_init(
    struct doca_comch_consumer *consumer, struct doca_buf *buf,
    struct doca_comch_consumer_task_post_recv **task);

DOCA_STABLE
struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
    const struct doca_comch_consumer_task_post_recv *task);

/* Without effect but a line in the log while the task is posted, or with a foreign buffer. */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
                                                struct doca_buf *buf);

/* Of the message that came, from the completion callback until the task is submitted again. */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
    const struct doca_comch_consumer_task_post_recv *task);
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
    const struct doca_comch_consumer_task_post_recv *task);
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
    const struct doca_comch_consumer_task_post_recv *task);

DOCA_STABLE
struct doca_task *doca_comch_consumer_task_post_recv_as_task(
    struct doca_comch_consumer_task_post_recv *task);

#ifdef __cplusplus
}
#endif

#endif
