/* doca_pe.h: the progress engine, which runs the callbacks of its contexts, and their tasks.
 *
 * Polling:    while (running) if (!doca_pe_progress(pe)) nanosleep(...);
 * Sleeping:   doca_pe_get_notification_handle(pe, &fd), put it into an epoll set, and then
 *
 *   while (doca_pe_progress(pe)) {}
 *   doca_pe_request_notification(pe);
 *   epoll_wait(...);
 *   doca_pe_clear_notification(pe, fd);
 *
 * which loses no event of any kind, also while a client or a consumer is starting.
 *
 * A task is the program's until it is submitted, the library's until one of its callbacks is
 * called, and then the program's again, to be submitted again or freed.
 *
 * Threads: an engine, its contexts and their tasks belong to one thread at a time; make one
 * engine per thread. Lifetime: an engine outlives the contexts that were connected to it.
 * Follows DOCA Core 3.0. */
#ifndef DOCA_PE_H_
#define DOCA_PE_H_

#include <stdint.h>
#include <stdlib.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_pe;
struct doca_task;
struct doca_task_batch;
struct doca_devinfo;

enum doca_task_batch_max_tasks_number {
  DOCA_TASK_BATCH_MAX_TASKS_NUMBER_16,
  DOCA_TASK_BATCH_MAX_TASKS_NUMBER_32,
  DOCA_TASK_BATCH_MAX_TASKS_NUMBER_64,
  DOCA_TASK_BATCH_MAX_TASKS_NUMBER_128
};

enum doca_event_batch_events_number {
  DOCA_EVENT_BATCH_EVENTS_NUMBER_1,
  DOCA_EVENT_BATCH_EVENTS_NUMBER_2,
  DOCA_EVENT_BATCH_EVENTS_NUMBER_4,
  DOCA_EVENT_BATCH_EVENTS_NUMBER_8,
  DOCA_EVENT_BATCH_EVENTS_NUMBER_16,
  DOCA_EVENT_BATCH_EVENTS_NUMBER_32,
  DOCA_EVENT_BATCH_EVENTS_NUMBER_64,
  DOCA_EVENT_BATCH_EVENTS_NUMBER_128
};

/* How a task is submitted; flags are or-ed.
 *   FLUSH             begin at once, and with what waits. Without it the work may wait for that,
 *                     for doca_ctx_flush_tasks() or for doca_pe_progress(), so that several
 *                     tasks are handed over together; here a producer's small messages do.
 *   OPTIMIZE_REPORTS  the completion may be told together with later ones of its context. */
enum doca_task_submit_flag {
  DOCA_TASK_SUBMIT_FLAG_NONE = 0U,
  DOCA_TASK_SUBMIT_FLAG_FLUSH = (1U << 0),
  DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS = (1U << 1)
};

/* What a wake-up of the notification handle asks of the program.
 *   SELECTIVE  doca_pe_clear_notification(), and then doca_pe_progress() until it answers 0
 *   ALL        doca_pe_progress() until it answers 0; that clears the notification itself */
enum doca_pe_event_mode { DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE, DOCA_PE_EVENT_MODE_PROGRESS_ALL };

/* The shape of a task's callbacks; each kind of task names its own type for `task`. */
typedef void (*doca_task_completion_cb_t)(struct doca_task *task, union doca_data task_user_data,
                                          union doca_data ctx_user_data);

/* Makes an engine; the caller owns it. NO_MEMORY: it could not be made.
 * OPERATING_SYSTEM: no file descriptor was to be had. */
DOCA_STABLE
doca_error_t doca_pe_create(struct doca_pe **pe);

/* IN_USE: contexts are connected to it, and nothing has changed; destroy them first. */
DOCA_STABLE
doca_error_t doca_pe_destroy(struct doca_pe *pe);

/* Moves what can be moved and runs the callbacks that are due; never blocks, and does a bounded
 * amount of work. 1: something happened. 0: nothing, or it was called from a callback. */
DOCA_STABLE
uint8_t doca_pe_progress(struct doca_pe *pe);

/* A file descriptor that becomes readable after doca_pe_request_notification(), when there is
 * something to do. It is the engine's: wait for it, do not read or close it. */
DOCA_STABLE
doca_error_t doca_pe_get_notification_handle(const struct doca_pe *pe,
                                             doca_notification_handle_t *handle);

/* For systems whose handle the program makes. NOT_SUPPORTED: on Linux the engine makes it. */
DOCA_STABLE
doca_error_t doca_pe_set_notification_handle(struct doca_pe *pe, doca_notification_handle_t handle,
                                             union doca_data completion_key);

/* Takes the request back, after a wake-up. INVALID_VALUE: `handle` is not this engine's. */
DOCA_STABLE
doca_error_t doca_pe_clear_notification(struct doca_pe *pe, doca_notification_handle_t handle);

/* Asks for one notification. If there is something to do already, the handle is readable when
 * this returns. */
DOCA_STABLE
doca_error_t doca_pe_request_notification(struct doca_pe *pe);

/* Tasks of all contexts of the engine that are submitted and not completed. */
DOCA_STABLE
doca_error_t doca_pe_get_num_inflight_tasks(const struct doca_pe *pe, size_t *num_inflight_tasks);

/* Hands the task to its context. SUCCESS: one of its callbacks will bring it back. Any error:
 * it is still the caller's, and no callback comes.
 * AGAIN: not now; a producer's when the consumer has nothing posted, without progress.
 * BAD_STATE: it is submitted already, or its context does not run.
 * NOT_CONNECTED, CONNECTION_RESET: the other side is gone. SHUTDOWN: the context is stopping.
 * INVALID_VALUE: the task is not right (see its kind). */
DOCA_STABLE
doca_error_t doca_task_submit(struct doca_task *task);
/* INVALID_VALUE also: `flags` holds a bit that is no doca_task_submit_flag. */
DOCA_EXPERIMENTAL
doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags);
/* The same as doca_task_submit(), which checks everything, too. */
DOCA_STABLE
doca_error_t doca_task_try_submit(struct doca_task *task);

/* Gives the task back to its context; the pointer is dead. A submitted task goes behind its
 * callback, which is called all the same. */
DOCA_STABLE
void doca_task_free(struct doca_task *task);

/* How the last submission ended. IN_PROGRESS: it has not. */
DOCA_STABLE
doca_error_t doca_task_get_status(const struct doca_task *task);

/* The word that the task's callbacks get. */
DOCA_STABLE
void doca_task_set_user_data(struct doca_task *task, union doca_data user_data);
DOCA_STABLE
union doca_data doca_task_get_user_data(const struct doca_task *task);
DOCA_STABLE
struct doca_ctx *doca_task_get_ctx(const struct doca_task *task);

/* Batches: several tasks of one context, submitted and completed as one. They are made by the
 * contexts that have them; no context of this library has, so that there is nothing valid to
 * pass. Submitting: INVALID_VALUE of NULL, else NOT_SUPPORTED. Getters answer 0. */
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_submit(struct doca_task_batch *task_batch);
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_try_submit(struct doca_task_batch *task_batch);
DOCA_EXPERIMENTAL
void doca_task_batch_free(struct doca_task_batch *task_batch);
DOCA_EXPERIMENTAL
doca_error_t doca_task_batch_get_status(const struct doca_task_batch *task_batch);
DOCA_EXPERIMENTAL
void doca_task_batch_set_user_data(struct doca_task_batch *task_batch, union doca_data user_data);
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_user_data(const struct doca_task_batch *task_batch);
DOCA_EXPERIMENTAL
struct doca_ctx *doca_task_batch_get_ctx(const struct doca_task_batch *task_batch);
DOCA_EXPERIMENTAL
union doca_data doca_task_batch_get_ctx_user_data(const struct doca_task_batch *task_batch);
DOCA_EXPERIMENTAL
uint16_t doca_task_batch_get_tasks_num(struct doca_task_batch *task_batch);

/* Ties an idle context to the engine, until the context is destroyed.
 * NOT_PERMITTED: it is tied already, to this engine or another. BAD_STATE: it is not idle. */
DOCA_STABLE
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);

/* INVALID_VALUE: no such mode. PROGRESS_SELECTIVE unless set. */
DOCA_EXPERIMENTAL
doca_error_t doca_pe_set_event_mode(struct doca_pe *pe, enum doca_pe_event_mode event_mode);

#ifdef __cplusplus
}
#endif

#endif
