/* doca_ctx.h: the life that servers, clients, consumers and producers have in common.
 *
 *   idle --start--> starting --> running --stop--> stopping --> idle
 *
 * Configuration is possible only while idle; after idle is reached again a context can be
 * configured and started again.
 *
 * Threads: a context lives on the thread of its progress engine.
 * Lifetime: a context is made and destroyed by its own kind (doca_comch_server_create() ...);
 * a progress engine outlives its contexts.
 * Follows DOCA Core 3.0. */
#ifndef DOCA_CTX_H_
#define DOCA_CTX_H_

#include <doca_error.h>
#include <doca_types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_ctx;
struct doca_devinfo;
struct doca_gpu;
struct doca_dpa;

enum doca_ctx_states {
  DOCA_CTX_STATE_IDLE = 0,
  DOCA_CTX_STATE_STARTING = 1,
  DOCA_CTX_STATE_RUNNING = 2,
  DOCA_CTX_STATE_STOPPING = 3
};

/* Called after the context is in `next_state`, from doca_pe_progress(), doca_ctx_start() or
 * doca_ctx_stop(). */
typedef void (*doca_ctx_state_changed_callback_t)(const union doca_data user_data,
                                                  struct doca_ctx *ctx,
                                                  enum doca_ctx_states prev_state,
                                                  enum doca_ctx_states next_state);

/* Begins the context's life. SUCCESS: it runs. IN_PROGRESS: it is starting, and
 * doca_pe_progress() will finish that (clients, and consumers of a connection). Whatever the state
 * callback does, the answer is what the call itself has done; so is doca_ctx_stop()'s.
 * NOT_CONNECTED: no progress engine. INITIALIZATION: it could not be set up.
 * BAD_STATE: it is not idle, or a mandatory setting is missing. Others: see the kind. */
DOCA_STABLE
doca_error_t doca_ctx_start(struct doca_ctx *ctx);

/* Ends it: what was submitted is delivered, and every task comes back once; messages that a server
 * or client has not received yet are dropped. SUCCESS: it is idle. IN_PROGRESS: it is stopping,
 * until progress has ended what is under way and the program has freed its tasks. May be called
 * from any callback.
 * IN_USE: consumers or producers of its connections are not idle. BAD_STATE: it is idle. */
DOCA_STABLE
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);

/* Tasks submitted and not completed. */
DOCA_STABLE
doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx,
                                             size_t *num_inflight_tasks);

/* NOT_SUPPORTED: there is no such device here. */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu_dev);

/* The word that callbacks of the context and of its tasks get. */
DOCA_STABLE
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, union doca_data user_data);
DOCA_STABLE
doca_error_t doca_ctx_get_user_data(const struct doca_ctx *ctx, union doca_data *user_data);

/* INVALID_VALUE: no callback. */
DOCA_STABLE
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx,
                                           doca_ctx_state_changed_callback_t cb);
DOCA_STABLE
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);

/* Hands over what was submitted without DOCA_TASK_SUBMIT_FLAG_FLUSH. */
DOCA_EXPERIMENTAL
void doca_ctx_flush_tasks(struct doca_ctx *ctx);

/* The context is an end of a MsgQ that runs on the accelerator. BAD_STATE: not idle.
 * NOT_SUPPORTED: contexts of this kind run on the CPU. */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_datapath_on_dpa(struct doca_ctx *ctx, struct doca_dpa *dpa_dev);

/* Contexts have one completion vector, number 0. INVALID_VALUE: another number.
 * BAD_STATE: not idle. */
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_set_completion_vector(struct doca_ctx *ctx, uint32_t comp_vector);
DOCA_EXPERIMENTAL
doca_error_t doca_ctx_cap_get_num_completion_vectors(const struct doca_devinfo *devinfo,
                                                     uint32_t *num_comp_vectors);

#ifdef __cplusplus
}
#endif

#endif
