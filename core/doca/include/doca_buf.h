/* doca_buf.h: a part of a memory map, and the data in it.
 *
 *   head                data          data + data_len           head + len
 *    |                    |                   |                       |
 *    +--------------------+-------------------+-----------------------+
 *    |                    |       data        |       tail room       |
 *    +--------------------+-------------------+-----------------------+
 *
 * What is received is put behind the data; a sent buffer's data is only read, so that one
 * buffer may be in many sends at once. Buffers come from an inventory or a pool.
 *
 * In every call, INVALID_VALUE: a pointer is NULL.
 *
 * Threads: a buffer belongs to the thread of its inventory or pool.
 * Lifetime: the program's while it has references; with the last one it goes back.
 * Follows DOCA Core 3.0. */
#ifndef DOCA_BUF_H_
#define DOCA_BUF_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;

/* References. `refcount` gets how many there were before; it may be NULL.
 * TOO_BIG: 65535 are the most. */
DOCA_STABLE
doca_error_t doca_buf_inc_refcount(struct doca_buf *buf, uint16_t *refcount);
/* BAD_STATE: it has none. */
DOCA_STABLE
doca_error_t doca_buf_dec_refcount(struct doca_buf *buf, uint16_t *refcount);
DOCA_STABLE
doca_error_t doca_buf_get_refcount(const struct doca_buf *buf, uint16_t *refcount);

DOCA_STABLE
doca_error_t doca_buf_get_len(const struct doca_buf *buf, size_t *len);
DOCA_STABLE
doca_error_t doca_buf_get_head(const struct doca_buf *buf, void **head);
DOCA_STABLE
doca_error_t doca_buf_get_data_len(const struct doca_buf *buf, size_t *data_len);
DOCA_STABLE
doca_error_t doca_buf_get_data(const struct doca_buf *buf, void **data);

/* Names the data. INVALID_VALUE: it is not inside. BAD_STATE: the buffer is posted, and the
 * consumer's. It is unchanged then. */
DOCA_STABLE
doca_error_t doca_buf_set_data(struct doca_buf *buf, void *data, size_t data_len);
DOCA_STABLE
doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t data_len);
/* No data; what comes begins where the data began. BAD_STATE: as above. */
DOCA_STABLE
doca_error_t doca_buf_reset_data_len(struct doca_buf *buf);

/* Lists: every buffer is a list of itself alone; the next is NULL. */
DOCA_STABLE
doca_error_t doca_buf_get_next_in_list(struct doca_buf *buf, struct doca_buf **next_buf);
DOCA_STABLE
doca_error_t doca_buf_get_last_in_list(struct doca_buf *buf, struct doca_buf **last_buf);
DOCA_STABLE
doca_error_t doca_buf_is_last_in_list(const struct doca_buf *buf, uint8_t *is_last);
DOCA_STABLE
doca_error_t doca_buf_is_first_in_list(const struct doca_buf *buf, uint8_t *is_first);
DOCA_STABLE
doca_error_t doca_buf_is_in_list(const struct doca_buf *buf, uint8_t *is_in_list);
DOCA_STABLE
doca_error_t doca_buf_get_list_len(const struct doca_buf *buf, uint32_t *num_elements);
/* NOT_SUPPORTED: a message is one piece of memory. */
DOCA_STABLE
doca_error_t doca_buf_chain_list(struct doca_buf *list1, struct doca_buf *list2);
DOCA_EXPERIMENTAL
doca_error_t doca_buf_chain_list_tail(struct doca_buf *list1_head, struct doca_buf *list1_tail,
                                      struct doca_buf *list2);
/* INVALID_VALUE: `list2` is no part of `list1`. */
DOCA_STABLE
doca_error_t doca_buf_unchain_list(struct doca_buf *list1, struct doca_buf *list2);

#ifdef __cplusplus
}
#endif

#endif
