/* doca_mmap.h: a range of memory that buffers point into and devices may reach.
 *
 *   doca_mmap_create(&mmap);
 *   doca_mmap_set_memrange(mmap, memory, size);
 *   doca_mmap_set_permissions(mmap, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
 *   doca_mmap_add_dev(mmap, dev);
 *   doca_mmap_start(mmap);
 *   ... buffers ...
 *   doca_mmap_destroy(mmap);
 *
 * In every call, INVALID_VALUE: a pointer is NULL. In every setter, BAD_STATE: the map is
 * started; NOT_PERMITTED: it is made from an export.
 *
 * Threads: one at a time configures, starts, stops and destroys a map; while it is started any
 * thread may use it.
 * Lifetime: the map outlives the buffers that point into it. The memory is the program's and is
 * never touched by doca_mmap_destroy(): it may be freed before.
 * Follows DOCA Core 3.0. */
#ifndef DOCA_MMAP_H_
#define DOCA_MMAP_H_

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;
struct doca_mmap;
struct doca_dpa;

/* A map as a kernel on the accelerator names it. */
typedef uint32_t doca_dpa_dev_mmap_t;

/* Called when the map is done with the memory. */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/* NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);
/* Stops the map and frees it, then calls the callback for its memory.
 * NOT_PERMITTED: buffers point into it. */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/* NOT_PERMITTED: no memory is set, or it is started already. NO_MEMORY. */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);
/* Export descriptors end. NOT_PERMITTED: not started, made from an export, or buffers point
 * into it. */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/* Devices are told apart by their PCI address, not by their handle.
 * NOT_PERMITTED: started, or made from an export. ALREADY_EXIST: it has the device.
 * NO_MEMORY: it has as many as it may have. */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);
/* NOT_FOUND: it has no such device. NOT_PERMITTED: as above. */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/* Bytes by which another process maps the same memory, while the map is started. They belong
 * to the map. For `rdma` too these are for processes of this machine.
 * NOT_PERMITTED: not started, made from an export, or no permission for others (PCI_* for
 * `pci`, RDMA_* for `rdma`). NOT_FOUND: the device was not added. NOT_SUPPORTED: the memory is
 * not in a sealed memfd. */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
                                  const void **export_desc, size_t *export_desc_len);
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
                                   const void **export_desc, size_t *export_desc_len);

/* The name by which kernels on the accelerator reach the map, until it is stopped.
 * NOT_FOUND: the device was not added. NOT_PERMITTED: not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
                                          doca_dpa_dev_mmap_t *dpa_mmap_handle);

/* A map, started already, of the memory that was exported. `user_data` may be NULL.
 * INVALID_VALUE: no descriptor, or its map is gone. NOT_PERMITTED: this process may not look
 * into the exporter. NO_MEMORY. NOT_SUPPORTED: of an unknown version. */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data, const void *export_desc,
                                          size_t export_desc_len, struct doca_dev *dev,
                                          struct doca_mmap **mmap);

/* The memory, set once. INVALID_VALUE: a size of 0, or a range that wraps.
 * NOT_PERMITTED: it is set already. */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);
/* Part of a dma-buf; `addr` is where the program has mapped it, or NULL. Or, with `addr` NULL, part
 * of a memfd, which can be exported if it is sealed against resizing. The descriptor stays the
 * program's; doca_mmap_get_memrange() tells where it is mapped. NOT_SUPPORTED: nobody may map it. */
DOCA_STABLE
doca_error_t doca_mmap_set_dmabuf_memrange(struct doca_mmap *mmap, int dmabuf_fd, void *addr,
                                           size_t dmabuf_offset, size_t len);
/* Memory of the accelerator, by its address there. */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_set_dpa_memrange(struct doca_mmap *mmap, struct doca_dpa *dpa,
                                        uint64_t dpa_addr, size_t len);
/* BAD_STATE: none is set. */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/* `opaque` may be NULL. Called by doca_mmap_destroy() if the map was started. */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap, doca_mmap_memrange_free_cb_t *free_cb,
                                   void *opaque);

DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap, union doca_data *user_data);
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap, uint32_t *max_num_devices);
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);
/* 1 if it was exported since it was last started. */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/* INVALID_VALUE: 0, or fewer than it has. NOT_PERMITTED: it was started before. */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);
/* Bits of enum doca_access_flag. INVALID_VALUE: other bits. */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/* 1: every device here. */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
                                                   uint8_t *mmap_export);
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(const struct doca_devinfo *devinfo,
                                                               uint8_t *from_export);

/* What a started map gives to many threads it gives always; this changes nothing more.
 * NOT_PERMITTED: started. */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

#ifdef __cplusplus
}
#endif

#endif
