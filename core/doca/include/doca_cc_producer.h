/* doca_cc_producer.h: producers under the names that doca_comch_producer.h had before.
 *
 * doca_cc_producer_X does what doca_comch_producer_X does, without immediate data, which came
 * later. At the end are the names of 2.5, of which two count tasks by their logarithm: 10 means
 * 1024.
 *
 * Threads, order, lifetime: as in doca_comch_producer.h.
 * Follows DOCA Comm Channel 2.6, and 2.5. */
#ifndef DOCA_CC_PRODUCER_H_
#define DOCA_CC_PRODUCER_H_

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
struct doca_task;
struct doca_cc_connection;
struct doca_cc_producer;

DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_create(struct doca_cc_connection *cc_connection,
                                     struct doca_cc_producer **producer);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_destroy(struct doca_cc_producer *producer);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_is_supported(const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_get_id(const struct doca_cc_producer *producer, uint32_t *id);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_num_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
                                                   uint32_t *max_buf_size);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
                                                    uint32_t *max_producers);
DOCA_EXPERIMENTAL
struct doca_ctx *doca_cc_producer_as_ctx(struct doca_cc_producer *producer);

/* Messages. */

struct doca_cc_producer_task_send;
typedef void (*doca_cc_producer_task_send_completion_cb_t)(struct doca_cc_producer_task_send *task,
                                                           union doca_data task_user_data,
                                                           union doca_data ctx_user_data);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_task_send_set_conf(
    struct doca_cc_producer *producer,
    doca_cc_producer_task_send_completion_cb_t task_completion_cb,
    doca_cc_producer_task_send_completion_cb_t task_error_cb, uint32_t num_send_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_task_send_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, uint32_t consumer_id,
                                                   struct doca_cc_producer_task_send **task);
DOCA_EXPERIMENTAL
struct doca_buf *doca_cc_producer_task_send_get_buf(struct doca_cc_producer_task_send *task);
DOCA_EXPERIMENTAL
void doca_cc_producer_task_send_set_buf(struct doca_cc_producer_task_send *task,
                                        struct doca_buf *buf);
DOCA_EXPERIMENTAL
uint32_t doca_cc_producer_task_send_get_consumer_id(struct doca_cc_producer_task_send *task);
DOCA_EXPERIMENTAL
void doca_cc_producer_task_send_set_consumer_id(struct doca_cc_producer_task_send *task,
                                                const uint32_t consumer_id);
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_producer_task_send_as_task(struct doca_cc_producer_task_send *task);

/* The names of 2.5. */

struct doca_cc_producer_send_task;
typedef void (*doca_cc_producer_send_task_completion_cb_t)(struct doca_cc_producer_send_task *task,
                                                           union doca_data task_user_data,
                                                           union doca_data ctx_user_data);

DOCA_EXPERIMENTAL
doca_error_t doca_cc_cap_is_producer_supported(const struct doca_devinfo *devinfo);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo,
                                                        uint32_t *max_log_num_tasks);
/* INVALID_VALUE: also when there is no such power of two. */
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_send_task_set_conf(
    struct doca_cc_producer *producer,
    doca_cc_producer_send_task_completion_cb_t task_completion_cb,
    doca_cc_producer_send_task_completion_cb_t task_error_cb, uint32_t log_num_send_tasks);
DOCA_EXPERIMENTAL
doca_error_t doca_cc_producer_send_task_alloc_init(struct doca_cc_producer *producer,
                                                   struct doca_buf *buf, uint32_t consumer_id,
                                                   struct doca_cc_producer_send_task **task);
DOCA_EXPERIMENTAL
struct doca_buf *doca_cc_producer_send_task_get_buf(struct doca_cc_producer_send_task *task);
DOCA_EXPERIMENTAL
void doca_cc_producer_send_task_set_buf(struct doca_cc_producer_send_task *task,
                                        struct doca_buf *buf);
DOCA_EXPERIMENTAL
uint32_t doca_cc_producer_send_task_get_consumer_id(struct doca_cc_producer_send_task *task);
DOCA_EXPERIMENTAL
void doca_cc_producer_send_task_set_consumer_id(struct doca_cc_producer_send_task *task,
                                                const uint32_t consumer_id);
DOCA_EXPERIMENTAL
struct doca_task *doca_cc_producer_send_task_as_task(struct doca_cc_producer_send_task *task);

#ifdef __cplusplus
}
#endif

#endif
