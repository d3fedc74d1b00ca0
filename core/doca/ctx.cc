// doca_ctx: see ctx.h and doca_ctx.h.
#include "doca/ctx.h"

#include "doca/refuse.h"

using comch::Context;
using comch::ContextState;
using comch::Errc;
using comch::doca::answer;
using comch::doca::CallInto;
using comch::doca::guarded;
using comch::doca::null_argument;
using comch::doca::refuse;
using comch::doca::state_of;
using Where = std::source_location;

doca_ctx::~doca_ctx() {
  if (pe != nullptr) --pe->contexts;
}

// The engine answers the state that was reached in the end; a program of the C API is told what its
// call has done, whatever its callback did then: a client's start is always in progress.
doca_error_t doca_ctx::start(Where where) {
  if (context == nullptr)
    return refuse(Errc::bad_state, "the context is not part of a MsgQ yet", where);
  if (const auto started = context->start(); !started) return answer(started.error(), where);
  return entered == DOCA_CTX_STATE_STARTING ? DOCA_ERROR_IN_PROGRESS : DOCA_SUCCESS;
}

doca_error_t doca_ctx::stop(Where where) {
  if (context == nullptr) return refuse(Errc::bad_state, "the context is idle", where);
  entered.reset();  // One that is stopping already enters nothing.
  if (const auto stopped = context->stop(); !stopped) return answer(stopped.error(), where);
  return entered == DOCA_CTX_STATE_IDLE ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS;
}

doca_ctx_states doca_ctx::state() const {
  return context == nullptr ? DOCA_CTX_STATE_IDLE : state_of(context->state());
}

doca_error_t doca_ctx::set_datapath_on_dpa(doca_dpa*, Where where) {
  return refuse(Errc::not_supported, "contexts of this kind run on the CPU", where);
}

doca_error_t doca_ctx::adopt(Context& made, Where where) {
  if (pe != nullptr) {
    if (comch::Status tied = pe->engine->connect(made); !tied) return answer(tied, where);
  }
  context = &made;
  made.set_user_data({.pointer = this});
  made.on_state_changed([this](Context&, ContextState before, ContextState after) {
    moved(state_of(before), state_of(after));
    entered = state_of(after);
  });
  return DOCA_SUCCESS;
}

doca_error_t doca_ctx::connect(doca_pe& engine, Where where) {
  if (pe != nullptr) {
    return refuse(Errc::not_permitted, "the context is connected to a progress engine already",
                  where);
  }
  // An end on an accelerator runs without an engine, which could not know that it does.
  if (state() != DOCA_CTX_STATE_IDLE)
    return refuse(Errc::bad_state, "the context is not idle", where);
  if (context != nullptr) {
    if (comch::Status tied = engine.engine->connect(*context); !tied) return answer(tied, where);
  }
  pe = &engine;
  ++pe->contexts;
  return DOCA_SUCCESS;
}

void doca_ctx::moved(doca_ctx_states before, doca_ctx_states after) {
  if (state_changed != nullptr) state_changed(user_data, this, before, after);
}

namespace comch::doca {

void dispose(doca_ctx* ctx) {
  doca_pe* const pe = ctx->pe;
  if (pe == nullptr) {
    delete ctx;
    return;
  }
  ctx->next_ended = pe->ended;
  pe->ended = ctx;
  if (pe->calls == 0) bury_ended(*pe);
}

void bury_ended(doca_pe& pe) {
  const auto bury = [&pe] {
    while (doca_ctx* const ctx = pe.ended) {
      pe.ended = ctx->next_ended;
      delete ctx;
    }
  };
  if (!pe.engine->after_progress(bury)) bury();
}

}  // namespace comch::doca

// --- The interface -----------------------------------------------------------------------

doca_error_t doca_ctx_start(doca_ctx* ctx) {
  if (ctx == nullptr) return null_argument();
  const CallInto call(ctx->pe);
  return guarded([&] { return ctx->start(Where::current()); });
}

doca_error_t doca_ctx_stop(doca_ctx* ctx) {
  if (ctx == nullptr) return null_argument();
  const CallInto call(ctx->pe);
  return guarded([&] { return ctx->stop(Where::current()); });
}

doca_error_t doca_ctx_get_num_inflight_tasks(const doca_ctx* ctx, size_t* num_inflight_tasks) {
  if (ctx == nullptr || num_inflight_tasks == nullptr) return null_argument();
  *num_inflight_tasks = ctx->context == nullptr ? 0 : ctx->context->tasks_in_flight();
  return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_datapath_on_gpu(doca_ctx* ctx, doca_gpu* gpu_dev) {
  if (ctx == nullptr || gpu_dev == nullptr) return null_argument();
  if (ctx->state() != DOCA_CTX_STATE_IDLE) {
    return refuse(Errc::bad_state, "the context is not idle");
  }
  return refuse(Errc::not_supported, "there is no GPU that contexts could run on");
}

doca_error_t doca_ctx_set_user_data(doca_ctx* ctx, doca_data user_data) {
  if (ctx == nullptr) return null_argument();
  ctx->user_data = user_data;
  return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_user_data(const doca_ctx* ctx, doca_data* user_data) {
  if (ctx == nullptr || user_data == nullptr) return null_argument();
  *user_data = ctx->user_data;
  return DOCA_SUCCESS;
}

doca_error_t doca_ctx_set_state_changed_cb(doca_ctx* ctx, doca_ctx_state_changed_callback_t cb) {
  if (ctx == nullptr || cb == nullptr) return null_argument();
  ctx->state_changed = cb;
  return DOCA_SUCCESS;
}

doca_error_t doca_ctx_get_state(const doca_ctx* ctx, doca_ctx_states* state) {
  if (ctx == nullptr || state == nullptr) return null_argument();
  *state = ctx->state();
  return DOCA_SUCCESS;
}

void doca_ctx_flush_tasks(doca_ctx* ctx) {
  if (ctx != nullptr && ctx->context != nullptr) ctx->context->flush();
}

doca_error_t doca_ctx_set_datapath_on_dpa(doca_ctx* ctx, doca_dpa* dpa_dev) {
  if (ctx == nullptr || dpa_dev == nullptr) return null_argument();
  if (ctx->state() != DOCA_CTX_STATE_IDLE) {
    return refuse(Errc::bad_state, "the context is not idle");
  }
  return guarded([&] { return ctx->set_datapath_on_dpa(dpa_dev, Where::current()); });
}

doca_error_t doca_ctx_set_completion_vector(doca_ctx* ctx, uint32_t comp_vector) {
  if (ctx == nullptr) return null_argument();
  if (ctx->state() != DOCA_CTX_STATE_IDLE) {
    return refuse(Errc::bad_state, "the context is not idle");
  }
  if (comp_vector != 0) return refuse(Errc::invalid_value, "the only completion vector is 0");
  return DOCA_SUCCESS;
}

doca_error_t doca_ctx_cap_get_num_completion_vectors(const doca_devinfo* devinfo,
                                                     uint32_t* num_comp_vectors) {
  if (devinfo == nullptr || num_comp_vectors == nullptr) return null_argument();
  *num_comp_vectors = 1;
  return DOCA_SUCCESS;
}
