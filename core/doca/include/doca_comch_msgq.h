/* doca_comch_msgq.h: a local queue between the CPU and an accelerator (doca_dpa.h).
 *
 * There is no server and no connection: both ends are in this process. A MsgQ has one direction:
 * either its consumers or its producers run on the accelerator, and the others on the CPU. A
 * message is immediate data alone, at most 32 bytes.
 *
 *   doca_comch_msgq_create(dev, &msgq);
 *   doca_comch_msgq_set_max_num_consumers(msgq, 1);
 *   doca_comch_msgq_set_max_num_producers(msgq, 1);
 *   doca_comch_msgq_set_dpa_consumer(msgq, dpa);                           CPU -> accelerator
 *   doca_comch_msgq_start(msgq);
 *   doca_comch_msgq_consumer_create(msgq, &consumer);
 *   doca_ctx_set_datapath_on_dpa(doca_comch_consumer_as_ctx(consumer), dpa);
 *   ...                                          configured and started: it runs at once, as do
 *   doca_comch_msgq_producer_create(msgq, &producer);                      the ends of the CPU
 *
 * The first consumer of a MsgQ has the id 1.
 *
 * Threads: configured, started and stopped by one thread at a time; while it is started any thread
 * may make and destroy ends. Ends on the CPU live on the thread of their progress engine; those on
 * the accelerator have none.
 * Order: messages of one producer to one consumer arrive as they were sent.
 * Lifetime: a MsgQ outlives its ends, and the accelerator outlives the MsgQ.
 * Follows DOCA Comch 3.0. */
#ifndef DOCA_COMCH_MSGQ_H_
#define DOCA_COMCH_MSGQ_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_comch_msgq;
struct doca_comch_producer;
struct doca_comch_consumer;
struct doca_dev;
struct doca_dpa;

DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq);

/* IN_USE: it is started, and unchanged. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_destroy(struct doca_comch_msgq *msgq);

/* Settings. BAD_STATE: started. INVALID_VALUE: 0, or above the limit.
 * set_dpa_consumer, set_dpa_producer  which end is on the accelerator; the last call counts
 * set_max_num_*                       ends at a time; default 1 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_consumers);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq,
                                                   uint32_t max_num_producers);

/* BAD_STATE: started already, or no end is on an accelerator. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_start(struct doca_comch_msgq *msgq);

/* IN_USE: it has consumers or producers. BAD_STATE: not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_stop(struct doca_comch_msgq *msgq);

/* Ends, to be destroyed by doca_comch_consumer_destroy() and doca_comch_producer_destroy().
 * BAD_STATE: the MsgQ is not started. FULL: it has as many as it may have. */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_consumer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_consumer **consumer);
DOCA_EXPERIMENTAL
doca_error_t doca_comch_msgq_producer_create(struct doca_comch_msgq *msgq,
                                             struct doca_comch_producer **producer);

#ifdef __cplusplus
}
#endif

#endif
