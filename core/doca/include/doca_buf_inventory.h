/* doca_buf_inventory.h: where buffers come from that point wherever the program says.
 *
 *   doca_buf_inventory_create(64, &inventory);
 *   doca_buf_inventory_start(inventory);
 *   doca_buf_inventory_buf_get_by_data(inventory, mmap, bytes, length, &buf);   to send
 *   doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytes, length, &buf);   to receive
 *   ... doca_buf_dec_refcount(buf, NULL): back to the inventory ...
 *   doca_buf_inventory_destroy(inventory);
 *
 * In every call, INVALID_VALUE: a pointer is NULL.
 *
 * Threads: an inventory and its buffers belong to one thread at a time.
 * Lifetime: the map outlives the buffers, and so does the inventory. Getting and returning a
 * buffer does not allocate.
 * Follows DOCA Core 3.0. */
#ifndef DOCA_BUF_INVENTORY_H_
#define DOCA_BUF_INVENTORY_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_mmap;
struct doca_buf_inventory;

/* INVALID_VALUE: 0 buffers, or above 2^24. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_buf_inventory_create(size_t num_elements, struct doca_buf_inventory **inventory);
/* IN_USE: buffers are out. */
DOCA_STABLE
doca_error_t doca_buf_inventory_destroy(struct doca_buf_inventory *inventory);

/* While it is stopped it gives none; those that are out stay so. */
DOCA_STABLE
doca_error_t doca_buf_inventory_start(struct doca_buf_inventory *inventory);
DOCA_STABLE
doca_error_t doca_buf_inventory_stop(struct doca_buf_inventory *inventory);

/* A buffer with one reference over [addr, addr + len), with the data named.
 * BAD_STATE: not started. NO_MEMORY: every buffer is out. INVALID_VALUE: the map is not
 * started, the range is empty or not inside it, or the data is not inside the range. */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_get_by_args(struct doca_buf_inventory *inventory,
                                                struct doca_mmap *mmap, void *addr, size_t len,
                                                void *data, size_t data_len, struct doca_buf **buf);

/* The same without data: to receive into. */
static inline doca_error_t doca_buf_inventory_buf_get_by_addr(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *addr,
                                                              size_t len, struct doca_buf **buf) {
  return doca_buf_inventory_buf_get_by_args(inventory, mmap, addr, len, addr, 0, buf);
}

/* The same full of data: to send. */
static inline doca_error_t doca_buf_inventory_buf_get_by_data(struct doca_buf_inventory *inventory,
                                                              struct doca_mmap *mmap, void *data,
                                                              size_t data_len,
                                                              struct doca_buf **buf) {
  return doca_buf_inventory_buf_get_by_args(inventory, mmap, data, data_len, data, data_len, buf);
}

/* Another buffer over the same memory with the same data; bytes are not copied.
 * BAD_STATE: this inventory or the source's map is stopped. NO_MEMORY: every buffer is out. */
DOCA_STABLE
doca_error_t doca_buf_inventory_buf_dup(struct doca_buf_inventory *inventory,
                                        const struct doca_buf *src_buf, struct doca_buf **dst_buf);

/* BAD_STATE: started. */
DOCA_STABLE
doca_error_t doca_buf_inventory_set_user_data(struct doca_buf_inventory *inventory,
                                              union doca_data user_data);
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_elements(const struct doca_buf_inventory *inventory,
                                                 uint32_t *num_of_elements);
DOCA_STABLE
doca_error_t doca_buf_inventory_get_num_free_elements(const struct doca_buf_inventory *inventory,
                                                      uint32_t *num_of_free_elements);
DOCA_STABLE
doca_error_t doca_buf_inventory_get_user_data(const struct doca_buf_inventory *inventory,
                                              union doca_data *user_data);

/* Adds buffers, in any state. INVALID_VALUE: 0, or above 2^24 in all. NO_MEMORY. */
DOCA_EXPERIMENTAL
doca_error_t doca_buf_inventory_expand(struct doca_buf_inventory *inventory, uint32_t num_elements);

#ifdef __cplusplus
}
#endif

#endif
