/* doca_dpa_dev_sync_event.h: the name of an event that device functions and the program share.
 *
 * doca_dpa_dev_comch_msgq.h brings this header; events themselves are no part of comch. */
#ifndef DOCA_DPA_DEV_SYNC_EVENT_H_
#define DOCA_DPA_DEV_SYNC_EVENT_H_

#include <doca_dpa_dev.h>

#ifdef __cplusplus
extern "C" {
#endif

__dpa_global__ typedef uint64_t doca_dpa_dev_sync_event_t;
__dpa_global__ typedef uint64_t doca_dpa_dev_sync_event_remote_t;

#ifdef __cplusplus
}
#endif

#endif
