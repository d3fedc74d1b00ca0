/* doca_dpa.h: a data-path accelerator (DPA), emulated: what the program does with it.
 *
 * Device functions are functions of this program, compiled by its own compiler, and run on
 * threads that the accelerator has for them. What they may call is in doca_dpa_dev.h. Where the
 * documented interface has a device compiler, a program here compiles its device sources with
 * the others, and says in one of its sources, for the application that it declares as
 * `extern struct doca_dpa_app *name`:
 *
 *   DOCA_DPA_APP_DEFINE(name)
 *
 * (A program that must stay as it is takes one more file, of this header and that line.)
 *
 *   doca_dpa_create(dev, &dpa);
 *   doca_dpa_set_app(dpa, name);
 *   doca_dpa_start(dpa);
 *   doca_dpa_thread_create(dpa, &thread);
 *   doca_dpa_thread_set_func_arg(thread, function, argument);
 *   doca_dpa_thread_start(thread);
 *   ... attach a completion context to the thread, and start that ...
 *   doca_dpa_thread_run(thread);           from here on each arrival runs the function once
 *
 * Threads: objects are configured, started and stopped by one thread at a time, also while device
 * functions run.
 * Lifetime: a doca_dpa outlives everything made on it, a thread what notifies it. Destroying an
 * object that is started stops it first, unless something depends on it: IN_USE. Handles that
 * device functions still have are dead then and do no harm; only a completion context without a
 * thread, from which one is reading just then, must wait for that.
 * Errors: a device function that throws, or breaks a rule of doca_dpa_dev.h, ruins its
 * accelerator: nothing runs on it any more, peek_at_last_error() says so, and it can only be
 * destroyed. BAD_STATE of what is made on an accelerator: it is not started, or ruined.
 * Follows DOCA DPA 3.0. */
#ifndef DOCA_DPA_H_
#define DOCA_DPA_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_types.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of the user data that a completion brings. */
#define DOCA_DPA_COMPLETION_LOG_MAX_USER_DATA (24)

struct doca_devinfo;
struct doca_dev;
struct doca_sync_event;
struct doca_buf;
struct doca_dpa;
struct doca_dpa_hash_table;
struct doca_dpa_eu_affinity;
struct doca_dpa_thread;
struct doca_dpa_tg;
struct doca_dpa_completion;
struct doca_dpa_async_ops;
struct doca_dpa_notification_completion;

/* An application: the device functions that belong together. Only its name is of use here. */
struct doca_dpa_app {
  const char *name;
};
#define DOCA_DPA_APP_DEFINE(app)                       \
  static struct doca_dpa_app app##_described = {#app}; \
  struct doca_dpa_app *app = &app##_described; /* NOLINT(bugprone-macro-parentheses): a name. */

/* A device function, by its address, whatever its arguments are. */
typedef void(doca_dpa_func_t)(void);

/* --- The accelerator -------------------------------------------------------------------- */

/* Every device has one. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo);

DOCA_EXPERIMENTAL
doca_error_t doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa);

/* IN_USE: something made on it is left. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_destroy(struct doca_dpa *dpa);

/* BAD_STATE: it is started, or ruined. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_start(struct doca_dpa *dpa);

/* Frees its memory. IN_USE: something made on it is left. BAD_STATE: it is not started.
 * NOT_PERMITTED: it is an extended one, which ends by doca_dpa_destroy(). */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_stop(struct doca_dpa *dpa);

/* The application; it can be left out. BAD_STATE: started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app);

/* NULL if none is set. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_app(struct doca_dpa *dpa, struct doca_dpa_app **app);

/* Writes the name, with its closing NUL. `app_name_len` is the room, and then what was needed.
 * INVALID_VALUE: there is too little room; only the length was written. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_app_get_name(struct doca_dpa_app *app, char *app_name,
                                   uint32_t *app_name_len);

/* Which lines of device functions are written; default INFO. BAD_STATE: started.
 * INVALID_VALUE: no level. NOT_PERMITTED: it is an extended one. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_set_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t log_level);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_log_level(struct doca_dpa *dpa, doca_dpa_dev_log_level_t *log_level);

/* Where they are written, and what doca_dpa_dev_trace() writes: a file that is made anew, or
 * "stdout" or "stderr". Default: stdout. BAD_STATE: started. NOT_PERMITTED: it is an extended one.
 * OPERATING_SYSTEM: the file cannot be made.
 * get: as doca_dpa_app_get_name(), with NO_MEMORY for too little room. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_log_file_set_path(struct doca_dpa *dpa, const char *file_path);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_log_file_get_path(struct doca_dpa *dpa, char *file_path,
                                        uint32_t *file_path_len);

/* The same accelerator for objects of another device. It is started as long as `dpa` is, which
 * cannot be stopped before it is destroyed. BAD_STATE: `dpa` is not started.
 * INVALID_VALUE: `dpa` is an extended one. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_device_extend(struct doca_dpa *dpa, struct doca_dev *other_dev,
                                    struct doca_dpa **extended_dpa);

/* For doca_dpa_dev_device_set(). BAD_STATE: it is not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_get_dpa_handle(struct doca_dpa *dpa, doca_dpa_dev_t *handle);

/* Calls uint64_t func(...) on a thread of the accelerator, with up to 12 arguments, each an integer
 * of at most 64 bits or a pointer, and waits for its answer. BAD_STATE: not started, or ruined, be
 * it by this call. OPERATING_SYSTEM: there is no thread to be had. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...);

/* BAD_STATE: the accelerator is ruined; the log says why. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_peek_at_last_error(const struct doca_dpa *dpa);

/* --- Its memory ------------------------------------------------------------------------- */

/* Memory of any alignment that a type needs, not zeroed. On an error *dev_ptr is 0.
 * INVALID_VALUE: 0 bytes. NO_MEMORY. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr);

/* INVALID_VALUE: it was not allocated, or is freed already. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr);

/* Copies, which are done when these return. INVALID_VALUE: 0 bytes, or the range does not lie in
 * one allocation, or not in the buffer.
 * h2d_buf  the first `size` bytes of the buffer's data
 * d2h_buf  to behind the buffer's data, which grows by them */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                 void *src_ptr, size_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_h2d_buf_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dst_ptr,
                                     struct doca_buf *buf, size_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr,
                                 doca_dpa_dev_uintptr_t src_ptr, size_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_d2h_buf_memcpy(struct doca_dpa *dpa, struct doca_buf *buf,
                                     doca_dpa_dev_uintptr_t src_ptr, size_t size);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_memset(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, int value,
                             size_t size);

/* --- Threads ---------------------------------------------------------------------------- */

DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread);

/* IN_USE: something is attached that notifies it; it was stopped. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread);

/* Settings: a function void func(uint64_t) and its argument, mandatory; the address that
 * doca_dpa_dev_thread_get_local_storage() answers; where it should run, which the emulation leaves
 * to the operating system. BAD_STATE: started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t *func,
                                          uint64_t arg);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_func_arg(struct doca_dpa_thread *dpa_thread,
                                          doca_dpa_func_t **func, uint64_t *arg);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t dev_ptr);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_local_storage(struct doca_dpa_thread *dpa_thread,
                                               doca_dpa_dev_uintptr_t *dev_ptr);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity *affinity);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_affinity(struct doca_dpa_thread *dpa_thread,
                                          const struct doca_dpa_eu_affinity **affinity);

/* BAD_STATE: started already, or no function is set. OPERATING_SYSTEM: there is no thread to be
 * had. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread);

/* Waits for the run that is going on. BAD_STATE: not started, or called by the thread itself. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread);

/* Lets the thread be run. BAD_STATE: not started, or nothing is attached. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread);

/* Unique on its accelerator. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_thread_get_id(struct doca_dpa_thread *dpa_thread, uint32_t *dpa_thread_id);

/* --- Completion contexts: what tells device functions of the end of sends and copies ------ */

/* `queue_size`, completions not acknowledged at a time, is rounded up to a power of two.
 * INVALID_VALUE: 0, or above 65,536. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
                                        struct doca_dpa_completion **dpa_comp);

/* IN_USE: producers or asynchronous operations are attached. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_queue_size(struct doca_dpa_completion *dpa_comp,
                                                unsigned int *queue_size);

/* Which thread is run on an arrival; without one it is polled. BAD_STATE: started.
 * get: NULL if there is none. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread *dpa_thread);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_thread(struct doca_dpa_completion *dpa_comp,
                                            struct doca_dpa_thread **dpa_thread);

/* BAD_STATE: started already, or the thread is not started. IN_USE: a device function has not
 * acknowledged what it got before the stop. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp);

/* IN_USE: producers or asynchronous operations are attached. BAD_STATE: not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp);

/* BAD_STATE: not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
                                                doca_dpa_dev_completion_t *handle);

/* What runs a thread without anything to read: doca_dpa_dev_thread_notify(). The errors are those
 * of completion contexts; BAD_STATE of start(), too: the thread is not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_create(
    struct doca_dpa *dpa, struct doca_dpa_thread *dpa_thread,
    struct doca_dpa_notification_completion **notify_comp);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_destroy(
    struct doca_dpa_notification_completion *notify_comp);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_get_thread(
    struct doca_dpa_notification_completion *notify_comp, struct doca_dpa_thread **dpa_thread);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_start(
    struct doca_dpa_notification_completion *notify_comp);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_stop(
    struct doca_dpa_notification_completion *notify_comp);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_notification_completion_get_dpa_handle(
    struct doca_dpa_notification_completion *notify_comp,
    doca_dpa_dev_notification_completion_t *handle);

/* --- Copies that device functions start (doca_dpa_dev_buf.h) ------------------------------ */

/* `queue_size`, operations not completed at a time, is rounded up to a power of two. `user_data`
 * comes with each completion. INVALID_VALUE: 0, or above 8,192; more than 24 bits of user data. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_create(struct doca_dpa *dpa, unsigned int queue_size,
                                       uint64_t user_data, struct doca_dpa_async_ops **async_ops);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_destroy(struct doca_dpa_async_ops *async_ops);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_queue_size(struct doca_dpa_async_ops *async_ops,
                                               unsigned int *queue_size);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_user_data(struct doca_dpa_async_ops *async_ops,
                                              uint64_t *user_data);

/* Mandatory. BAD_STATE: started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_attach(struct doca_dpa_async_ops *async_ops,
                                       struct doca_dpa_completion *dpa_comp);

/* BAD_STATE: started already, or the completion context is missing or not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_start(struct doca_dpa_async_ops *async_ops);

/* BAD_STATE: not started. */
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_stop(struct doca_dpa_async_ops *async_ops);
DOCA_EXPERIMENTAL
doca_error_t doca_dpa_async_ops_get_dpa_handle(struct doca_dpa_async_ops *async_ops,
                                               doca_dpa_dev_async_ops_t *handle);

#ifdef __cplusplus
}
#endif

#endif
