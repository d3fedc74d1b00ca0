/* doca_dpa_types.h: the words that programs and device functions share.
 *
 * doca_dpa.h is for the program, doca_dpa_dev.h for the functions that its accelerator runs. The
 * accelerator here is emulated, device functions are functions of the program, and one file may
 * include both. */
#ifndef DOCA_DPA_TYPES_H_
#define DOCA_DPA_TYPES_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Marks what a device compiler would look for; the program's own compiler needs no mark. */
/* NOLINTBEGIN(bugprone-reserved-identifier): the interface's names. */
#ifndef __dpa_global__
#define __dpa_global__ /* Run by a thread of the accelerator: void function(uint64_t). */
#endif
#ifndef __dpa_rpc__
#define __dpa_rpc__ /* Called by doca_dpa_rpc(): uint64_t function(...). */
#endif
/* NOLINTEND(bugprone-reserved-identifier) */

typedef enum doca_dpa_dev_log_level {
  DOCA_DPA_DEV_LOG_LEVEL_DISABLE = 10,
  DOCA_DPA_DEV_LOG_LEVEL_ERROR = 30,
  DOCA_DPA_DEV_LOG_LEVEL_WARNING = 40,
  DOCA_DPA_DEV_LOG_LEVEL_INFO = 50,
  DOCA_DPA_DEV_LOG_LEVEL_DEBUG = 60
} doca_dpa_dev_log_level_t;

/* What device functions know the program's objects by: numbers of this process. */
typedef uint64_t doca_dpa_dev_t;
typedef uint64_t doca_dpa_dev_hash_table_t;
typedef uint64_t doca_dpa_dev_completion_t;
typedef uint64_t doca_dpa_dev_async_ops_t;
typedef uint64_t doca_dpa_dev_notification_completion_t;

/* An address in the accelerator's memory, which device functions may use as a pointer. */
typedef uint64_t doca_dpa_dev_uintptr_t;

#ifdef __cplusplus
}
#endif

#endif
