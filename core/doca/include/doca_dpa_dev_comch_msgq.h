/* doca_dpa_dev_comch_msgq.h: the accelerator's ends of a MsgQ, as device functions use them.
 *
 *   __dpa_global__ void echo(uint64_t argument) {
 *     doca_dpa_dev_comch_consumer_completion_element_t element;
 *     uint32_t count = 0, length;
 *     while (doca_dpa_dev_comch_consumer_get_completion(completion, &element)) {
 *       const uint8_t *imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &length);
 *       doca_dpa_dev_comch_producer_post_send_imm_only(producer, 1, imm, length, flags);
 *       ++count;
 *     }
 *     doca_dpa_dev_comch_consumer_completion_ack(completion, count);
 *     doca_dpa_dev_comch_consumer_completion_request_notification(completion);
 *     doca_dpa_dev_comch_consumer_ack(consumer, count);
 *     doca_dpa_dev_thread_reschedule();
 *   }
 *
 * Threads: each object is used by one device thread at a time. Errors: see doca_dpa_dev.h.
 * Order: messages of one producer to one consumer arrive as they were sent.
 * Follows DOCA Comch 3.0. */
#ifndef DOCA_DPA_DEV_COMCH_MSGQ_H_
#define DOCA_DPA_DEV_COMCH_MSGQ_H_

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_sync_event.h>

#ifdef __cplusplus
extern "C" {
#endif

__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_completion_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_consumer_completion_element_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_comch_producer_t;

/* Posts `num_msg` receives. Not more than dev_max_num_recv may be posted at a time. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_ack(doca_dpa_dev_comch_consumer_t consumer, uint32_t num_msg);

/* 1: *comp_element is the next message; 0: there is none, or max_num_recv are not acknowledged. */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_consumer_get_completion(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle,
    doca_dpa_dev_comch_consumer_completion_element_t *comp_element);

/* The message, and who sent it, until the element is acknowledged. */
DOCA_EXPERIMENTAL
const uint8_t *doca_dpa_dev_comch_consumer_get_completion_imm(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element, uint32_t *imm_length);
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_comch_consumer_get_completion_producer_id(
    doca_dpa_dev_comch_consumer_completion_element_t comp_element);

/* Gives the oldest `num_comp` elements back. Not more than were got. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_ack(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle, uint64_t num_comp);

/* One more notification of the thread, by the next message or at once by one that was not got. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_consumer_completion_request_notification(
    doca_dpa_dev_comch_consumer_completion_t consumer_comp_handle);

/* 1: the consumer has no receive that is not spoken for, or there is no such consumer; else 0. */
DOCA_EXPERIMENTAL
int doca_dpa_dev_comch_producer_is_consumer_empty(doca_dpa_dev_comch_producer_t producer,
                                                  uint32_t consumer_id);

/* Sends at most 32 bytes, which are copied. With nothing posted the message is held until there
 * is. With dev_max_num_send of them under way the call waits until one is not, and drops the
 * message only if the thread is stopped meanwhile. One with OPTIMIZE_REPORTS is under way until it
 * is received; any other until the program has read its completion as well, so that who reads none
 * waits in vain for room behind those. A message to a consumer that has ended is
 * dropped, with a line in the log. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_producer_post_send_imm_only(doca_dpa_dev_comch_producer_t producer,
                                                    uint32_t consumer_id, const uint8_t *imm,
                                                    uint32_t imm_length, uint32_t flags);

/* Copies `length` bytes between maps of the host, and then sends. The rules of doca_dpa_dev_buf.h
 * hold for the copy; nothing is sent if it may not be. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_comch_producer_dma_copy(doca_dpa_dev_comch_producer_t producer,
                                          uint32_t consumer_id, doca_dpa_dev_mmap_t dst_mmap,
                                          uint64_t dst_addr, doca_dpa_dev_mmap_t src_mmap,
                                          uint64_t src_addr, size_t length, const uint8_t *imm,
                                          uint32_t imm_length, uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif
