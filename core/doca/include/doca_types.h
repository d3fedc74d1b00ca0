/* doca_types.h: the words that several headers share. */
#ifndef DOCA_TYPES_H_
#define DOCA_TYPES_H_

#include <linux/types.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word of the program's own, handed back unchanged. */
union doca_data {
  void *ptr;
  uint64_t u64;
};

/* Something to wait for with poll or epoll: a file descriptor. */
typedef int doca_event_handle_t;
typedef doca_event_handle_t doca_notification_handle_t;
#define doca_event_invalid_handle (-1)

/* What others may do with memory. A device of this machine counts as a PCI device. */
enum doca_access_flag {
  DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,
  DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1,
  DOCA_ACCESS_FLAG_RDMA_READ = 2,
  DOCA_ACCESS_FLAG_RDMA_WRITE = 4,
  DOCA_ACCESS_FLAG_RDMA_ATOMIC = 8,
  DOCA_ACCESS_FLAG_PCI_READ_ONLY = 16,
  DOCA_ACCESS_FLAG_PCI_READ_WRITE = 32,
  DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 64
};

enum doca_pci_func_type {
  DOCA_PCI_FUNC_TYPE_PF = 0,
  DOCA_PCI_FUNC_TYPE_VF = 1,
  DOCA_PCI_FUNC_TYPE_SF = 2
};

struct doca_gather_list {
  void *addr;
  uint64_t len;
  struct doca_gather_list *next;
};

#define DOCA_GID_BYTE_LENGTH 16

#ifdef __cplusplus
}
#endif

#endif
