/* doca_dpa_dev.h: what device functions may call, whatever they do.
 *
 * A device function is a function of the program that an emulated accelerator runs (doca_dpa.h).
 * A thread's begins anew with each arrival:
 *
 *   __dpa_global__ void on_arrival(uint64_t argument) {
 *     doca_dpa_dev_completion_element_t element;
 *     uint64_t count = 0;
 *     while (doca_dpa_dev_get_completion(completion, &element)) ++count;
 *     doca_dpa_dev_completion_ack(completion, count);
 *     doca_dpa_dev_completion_request_notification(completion);
 *     doca_dpa_dev_thread_reschedule();
 *   }
 *
 * What is handed to these functions is believed, as by a device. Where it can be seen to break a
 * rule, the accelerator is ruined and the function goes on. An object that the program has stopped
 * or destroyed meanwhile is left alone, and answers nothing, and so is a handle that never was one;
 * programs stop their threads last. Completions' elements and a doca_dpa_dev_buf are known by their
 * addresses: 0 breaks the rule, and any other is believed. Bits of `flags` that have no name mean
 * nothing.
 *
 * thread_reschedule() and thread_finish() do not return: they unwind the function's frames, as
 * an exception does that nobody may catch. C is compiled with unwind tables unless it is told
 * otherwise; in C++ the destructors on the way run, and no frame may be noexcept or catch (...).
 *
 * Threads: each object is used by one device thread at a time. Calls about the own thread are
 * without effect, and answer 0, outside of device functions.
 * Follows DOCA DPA 3.0. */
#ifndef DOCA_DPA_DEV_H_
#define DOCA_DPA_DEV_H_

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DOCA_DPA_DEVICE
#ifndef __forceinline
/* NOLINTNEXTLINE(bugprone-reserved-identifier): the interface's name. */
#define __forceinline static inline __attribute__((always_inline))
#endif

/* The end of one operation, until it is acknowledged. */
__dpa_global__ typedef uint64_t doca_dpa_dev_completion_element_t;

__dpa_global__ typedef enum {
  DOCA_DPA_DEV_COMP_SEND = 0x0,
  DOCA_DPA_DEV_COMP_RECV_RDMA_WRITE_IMM = 0x1,
  DOCA_DPA_DEV_COMP_RECV_SEND = 0x2,
  DOCA_DPA_DEV_COMP_RECV_SEND_IMM = 0x3,
  DOCA_DPA_DEV_COMP_SEND_ERR = 0xD,
  DOCA_DPA_DEV_COMP_RECV_ERR = 0xE
} doca_dpa_dev_completion_type_t;

/* How an operation is submitted. Each is handed over at once, so that FLUSH changes nothing;
 * one with OPTIMIZE_REPORTS leaves no completion to be read. */
__dpa_global__ enum doca_dpa_dev_submit_flag {
  DOCA_DPA_DEV_SUBMIT_FLAG_NONE = 0U,
  DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH = (1U << 0),
  DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS = (1U << 1)
};

/* Which accelerator the function uses from here on: one of its own, or an extended one. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_device_set(doca_dpa_dev_t dpa_handle);

/* Which of how many threads run the function together: 0 of 1 for a doca_dpa_thread. */
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_thread_rank(void);
DOCA_EXPERIMENTAL
unsigned int doca_dpa_dev_num_threads(void);

DOCA_EXPERIMENTAL
doca_dpa_dev_uintptr_t doca_dpa_dev_thread_get_local_storage(void);

/* Lets others run first. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_yield(void);

/* Ends the run; the next arrival begins another. Does not return. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_reschedule(void);

/* Ends the run, which was the last until the thread is started again. Does not return. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_finish(void);

/* Runs the thread of the notification completion once more. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_thread_notify(doca_dpa_dev_notification_completion_t comp_handle);

/* 1: *comp_element is the next; 0: there is none, or as many as the queue holds are not
 * acknowledged. */
DOCA_EXPERIMENTAL
int doca_dpa_dev_get_completion(doca_dpa_dev_completion_t dpa_comp_handle,
                                doca_dpa_dev_completion_element_t *comp_element);

/* DOCA_DPA_DEV_COMP_SEND, or _SEND_ERR: the consumer has ended, the message was not delivered. */
DOCA_EXPERIMENTAL
doca_dpa_dev_completion_type_t doca_dpa_dev_get_completion_type(
    doca_dpa_dev_completion_element_t comp_element);

/* Of asynchronous operations what the program gave them; of a producer its id. */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_user_data(doca_dpa_dev_completion_element_t comp_element);

/* 0: no completion here brings immediate data. */
DOCA_EXPERIMENTAL
uint32_t doca_dpa_dev_get_completion_immediate(doca_dpa_dev_completion_element_t comp_element);

/* Gives the oldest `num_comp` elements back. Not more than were got. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_ack(doca_dpa_dev_completion_t dpa_comp_handle, uint64_t num_comp);

/* One more notification of the thread, by the next arrival or at once by one that was not got. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_completion_request_notification(doca_dpa_dev_completion_t dpa_comp_handle);

/* Writes a line to where doca_dpa_log_file_set_path() says. */
DOCA_EXPERIMENTAL
__attribute__((format(printf, 2, 3))) void doca_dpa_dev_log(doca_dpa_dev_log_level_t log_level,
                                                            const char *format, ...);
#define DOCA_DPA_DEV_LOG_ERR(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_ERROR, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_WARN(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_WARNING, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_INFO(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_INFO, __VA_ARGS__)
#define DOCA_DPA_DEV_LOG_DBG(...) doca_dpa_dev_log(DOCA_DPA_DEV_LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Writes the five numbers there, in a line of their own, whatever the level. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace(uint64_t arg1, uint64_t arg2, uint64_t arg3, uint64_t arg4, uint64_t arg5);

/* The lines so far are in the file when this returns. */
DOCA_EXPERIMENTAL
void doca_dpa_dev_trace_flush(void);

#ifdef __cplusplus
}
#endif

#endif
