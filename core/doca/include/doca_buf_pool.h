/* doca_buf_pool.h: one memory map cut into buffers of one size.
 *
 *   doca_buf_pool_create(64, 4096, mmap, &pool);      the map's memory is set
 *   doca_mmap_start(mmap);
 *   doca_buf_pool_start(pool);
 *   doca_buf_pool_buf_alloc(pool, &buf);
 *   ... doca_buf_dec_refcount(buf, NULL): back to the pool ...
 *
 * In every call, INVALID_VALUE: a pointer is NULL. In every setter, BAD_STATE: started.
 *
 * Threads: a pool and its buffers belong to one thread at a time.
 * Lifetime: the map outlives the pool. Getting and returning a buffer does not allocate.
 * Follows DOCA Core 3.0. */
#ifndef DOCA_BUF_POOL_H_
#define DOCA_BUF_POOL_H_

#include <doca_error.h>
#include <doca_types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_mmap;
struct doca_buf;
struct doca_buf_pool;

/* INVALID_VALUE: a number is 0, more than 2^24 buffers, or the map has no memory. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_buf_pool_create(size_t num_elements, size_t element_size,
                                  const struct doca_mmap *mmap, struct doca_buf_pool **buf_pool);
/* Stops it first. IN_USE: buffers are out. */
DOCA_STABLE
doca_error_t doca_buf_pool_destroy(struct doca_buf_pool *buf_pool);

/* BAD_STATE: the map is not started, or the pool is. INITIALIZATION: the map is too small for
 * so many. */
DOCA_STABLE
doca_error_t doca_buf_pool_start(struct doca_buf_pool *buf_pool);
/* IN_USE: buffers are out. BAD_STATE: not started. */
DOCA_STABLE
doca_error_t doca_buf_pool_stop(struct doca_buf_pool *buf_pool);

/* A buffer with one reference and no data. BAD_STATE: not started. EMPTY: all are out. */
DOCA_STABLE
doca_error_t doca_buf_pool_buf_alloc(struct doca_buf_pool *buf_pool, struct doca_buf **buf);

DOCA_STABLE
doca_error_t doca_buf_pool_set_user_data(struct doca_buf_pool *buf_pool, union doca_data user_data);
/* Where each buffer begins: at a multiple of this, 1 by default. INVALID_VALUE: no power of
 * two. */
DOCA_STABLE
doca_error_t doca_buf_pool_set_element_alignment(struct doca_buf_pool *buf_pool,
                                                 size_t element_alignment);

DOCA_STABLE
doca_error_t doca_buf_pool_get_num_elements(const struct doca_buf_pool *buf_pool,
                                            uint32_t *num_of_elements);
DOCA_STABLE
doca_error_t doca_buf_pool_get_num_free_elements(const struct doca_buf_pool *buf_pool,
                                                 uint32_t *num_of_free_elements);
DOCA_STABLE
doca_error_t doca_buf_pool_get_user_data(const struct doca_buf_pool *buf_pool,
                                         union doca_data *user_data);
DOCA_STABLE
doca_error_t doca_buf_pool_get_element_alignment(const struct doca_buf_pool *buf_pool,
                                                 size_t *element_alignment);

#ifdef __cplusplus
}
#endif

#endif
