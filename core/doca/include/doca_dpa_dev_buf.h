/* doca_dpa_dev_buf.h: memory of the host as device functions name it.
 *
 * A place in the host's memory is the handle of its doca_mmap, from
 * doca_mmap_dev_get_dpa_handle(), and an address in that map. A doca_dpa_dev_buf is both and a
 * length, kept in memory of the device function's own; a handle to it is its address.
 *
 * Threads, errors: see doca_dpa_dev.h.
 * Follows DOCA DPA 3.0. */
#ifndef DOCA_DPA_DEV_BUF_H_
#define DOCA_DPA_DEV_BUF_H_

#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

__dpa_global__ typedef uint32_t doca_dpa_dev_mmap_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_buf_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_buf_arr_t;

struct doca_dpa_dev_buf {
  uintptr_t addr;
  uint64_t len;
  doca_dpa_dev_mmap_t mmap;
  unsigned char reserved[12];
} __attribute__((__packed__));

struct doca_dpa_dev_buf_arr {
  struct doca_dpa_dev_buf *bufs;
  unsigned char reserved[20];
} __attribute__((__packed__, aligned(64)));

#ifdef __cplusplus
/* `type` is one, which no parentheses can stand around. NOLINTBEGIN(bugprone-macro-parentheses) */
#define DOCA_DPA_DEV_PLACE_(type, handle) (reinterpret_cast<type *>(static_cast<uintptr_t>(handle)))
/* NOLINTEND(bugprone-macro-parentheses) */
#define DOCA_DPA_DEV_HANDLE_(place) (static_cast<uint64_t>(reinterpret_cast<uintptr_t>(place)))
#else
#define DOCA_DPA_DEV_PLACE_(type, handle) ((type *)(uintptr_t)(handle))
#define DOCA_DPA_DEV_HANDLE_(place) ((uint64_t)(uintptr_t)(place))
#endif

static inline doca_dpa_dev_buf_t doca_dpa_dev_buf_array_get_buf(doca_dpa_dev_buf_arr_t buf_arr,
                                                                const uint64_t buf_idx) {
  struct doca_dpa_dev_buf_arr *array = DOCA_DPA_DEV_PLACE_(struct doca_dpa_dev_buf_arr, buf_arr);
  return DOCA_DPA_DEV_HANDLE_(&array->bufs[buf_idx]);
}

static inline void doca_dpa_dev_buf_set_addr(doca_dpa_dev_buf_t buf, uintptr_t addr) {
  DOCA_DPA_DEV_PLACE_(struct doca_dpa_dev_buf, buf)->addr = addr;
}
static inline void doca_dpa_dev_buf_set_len(doca_dpa_dev_buf_t buf, size_t len) {
  DOCA_DPA_DEV_PLACE_(struct doca_dpa_dev_buf, buf)->len = len;
}
static inline void doca_dpa_dev_buf_set_mmap(doca_dpa_dev_buf_t buf, doca_dpa_dev_mmap_t mmap) {
  DOCA_DPA_DEV_PLACE_(struct doca_dpa_dev_buf, buf)->mmap = mmap;
}
static inline uintptr_t doca_dpa_dev_buf_get_addr(doca_dpa_dev_buf_t buf) {
  return DOCA_DPA_DEV_PLACE_(const struct doca_dpa_dev_buf, buf)->addr;
}
static inline uint64_t doca_dpa_dev_buf_get_len(doca_dpa_dev_buf_t buf) {
  return DOCA_DPA_DEV_PLACE_(const struct doca_dpa_dev_buf, buf)->len;
}
static inline doca_dpa_dev_mmap_t doca_dpa_dev_buf_get_mmap(doca_dpa_dev_buf_t buf) {
  return DOCA_DPA_DEV_PLACE_(const struct doca_dpa_dev_buf, buf)->mmap;
}

/* A pointer to the buffer's memory, or to an address of a map; 0: the map does not let an
 * accelerator read there. */
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_buf_get_external_ptr(doca_dpa_dev_buf_t buf);
DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_mmap_get_external_ptr(doca_dpa_dev_mmap_t mmap_handle,
                                                          uint64_t addr);

/* Copy, which is done when these return, and completed in the completion context unless `flags`
 * (doca_dpa_dev_submit_flag) say otherwise: all of the source buffer, to the beginning of the
 * other; or `length` bytes. With as many completions unread as the queue holds they wait for
 * room. Maps must allow the access, and the ranges not overlap. 0 bytes are copied like any. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_post_buf_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                                  doca_dpa_dev_buf_t dst_buf_handle,
                                  doca_dpa_dev_buf_t src_buf_handle, uint32_t flags);
DOCA_EXPERIMENTAL
void doca_dpa_dev_post_memcpy(doca_dpa_dev_async_ops_t async_ops_handle,
                              doca_dpa_dev_mmap_t dst_mmap_handle, uint64_t dst_addr,
                              doca_dpa_dev_mmap_t src_mmap_handle, uint64_t src_addr, size_t length,
                              uint32_t flags);

#ifdef __cplusplus
}
#endif

#endif
