/* doca_cc_consumer.h: consumers under the names that doca_comch_consumer.h had before.
 *
 * doca_cc_consumer_X does what doca_comch_consumer_X does. At the end are the names of 2.5, of
 * which two count tasks by their logarithm: 10 means 1024.
 *
 * Threads, order, lifetime: as in doca_comch_consumer.h.
 * Follows DOCA Comm Channel 2.6, and 2.5. */
#ifndef DOCA_CC_CONSUMER_H_
#define DOCA_CC_CONSUMER_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_task;
struct doca_cc_connection;
struct doca_cc_consumer;

DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_create(struct doca_cc_connection *cc_connection,
                                     struct doca_mmap *buf_mmap,
                                     struct doca_cc_consumer **consumer);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_destroy(struct doca_cc_consumer *consumer);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_is_supported(const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_get_id(const struct doca_cc_consumer *consumer, uint32_t *id);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_num_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_buf_size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_consumers);
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_consumer_as_ctx(struct doca_cc_consumer *consumer);

/* Posted buffers. */

struct doca_cc_consumer_task_post_recv;
typedef void (*doca_cc_consumer_task_post_recv_completion_cb_t)(
    struct doca_cc_consumer_task_post_recv *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_task_post_recv_set_conf(
    struct doca_cc_consumer *consumer,
    doca_cc_consumer_task_post_recv_completion_cb_t task_completion_cb,
    doca_cc_consumer_task_post_recv_completion_cb_t task_error_cb, uint32_t num_post_recv_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_task_post_recv_alloc_init(
    struct doca_cc_consumer *consumer, struct doca_buf *buf,
    struct doca_cc_consumer_task_post_recv **task);
DOCA_EXPERIMENTAL
struct doca_buf *doca_cc_consumer_task_post_recv_get_buf(
    struct doca_cc_consumer_task_post_recv *task);
DOCA_EXPERIMENTAL
void doca_cc_consumer_task_post_recv_set_buf(struct doca_cc_consumer_task_post_recv *task,
                                             struct doca_buf *buf);
DOCA_EXPERIMENTAL
uint32_t doca_cc_consumer_task_post_recv_get_producer_id(
    struct doca_cc_consumer_task_post_recv *task);
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_consumer_task_post_recv_as_task(
    struct doca_cc_consumer_task_post_recv *task);

/* The names of 2.5. */

struct doca_cc_consumer_post_recv_task;
typedef void (*doca_cc_consumer_post_recv_task_completion_cb_t)(
    struct doca_cc_consumer_post_recv_task *task, union doca_data task_user_data,
    union doca_data ctx_user_data);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_is_consumer_supported(const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_log_num_tasks);
/* INVALID_VALUE: also when there is no such power of two. */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_post_recv_task_set_conf(
    struct doca_cc_consumer *consumer,
    doca_cc_consumer_post_recv_task_completion_cb_t task_completion_cb,
    doca_cc_consumer_post_recv_task_completion_cb_t task_error_cb,
    uint32_t log_num_post_recv_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_consumer_post_recv_task_alloc_init(
    struct doca_cc_consumer *consumer, struct doca_buf *buf,
    struct doca_cc_consumer_post_recv_task **task);
DOCA_EXPERIMENTAL
struct doca_buf *doca_cc_consumer_post_recv_task_get_buf(
    struct doca_cc_consumer_post_recv_task *task);
DOCA_EXPERIMENTAL
void doca_cc_consumer_post_recv_task_set_buf(struct doca_cc_consumer_post_recv_task *task,
                                             struct doca_buf *buf);
DOCA_EXPERIMENTAL
uint32_t doca_cc_consumer_post_recv_task_get_producer_id(
    struct doca_cc_consumer_post_recv_task *task);
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_consumer_post_recv_task_as_task(
    struct doca_cc_consumer_post_recv_task *task);

#ifdef __cplusplus
}
#endif

#endif
