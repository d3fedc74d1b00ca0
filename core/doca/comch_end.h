// End: what consumers and producers of the C API have in common, wherever they run.
//
// An end of a connection runs on the CPU. Of a MsgQ, which knows that from its start on, one kind
// of its ends runs on the CPU and the other on the accelerator; doca_ctx_set_datapath_on_dpa()
// must say the same. `OnCpu` is comch::Consumer or Producer, a context of the engine; `OnDpa` is
// the one of comch::dpa, which is none: its life is told here.
//
// Threads, lifetime: as doca_ctx. Errors: see doca_ctx.h.
#pragma once

#include <memory>
#include <source_location>
#include <utility>

#include "comch/dpa_queue.h"
#include "doca/ctx.h"
#include "doca/dpa.h"
#include "doca/refuse.h"

namespace comch::doca {

template <class OnCpu, class OnDpa>
struct End : doca_ctx {
  explicit End(std::unique_ptr<OnCpu> end) : on_cpu(std::move(end)) {}
  explicit End(std::unique_ptr<OnDpa> end) : on_dpa(std::move(end)) {}

  doca_error_t start(Where where) final {
    if (!on_dpa) return doca_ctx::start(where);
    if (!is_placed) {
      return refuse(Errc::bad_state, "this end of the MsgQ is on the accelerator; say so first",
                    where);
    }
    if (Status s = on_dpa->start(); !s) return answer(s, where);
    moved(DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_RUNNING);
    return DOCA_SUCCESS;
  }

  doca_error_t stop(Where where) final {
    if (!on_dpa) return doca_ctx::stop(where);
    if (Status s = on_dpa->stop(); !s) return answer(s, where);
    moved(DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_IDLE);
    return DOCA_SUCCESS;
  }

  doca_ctx_states state() const final {
    if (!on_dpa) return doca_ctx::state();
    return on_dpa->started() ? DOCA_CTX_STATE_RUNNING : DOCA_CTX_STATE_IDLE;
  }

  doca_error_t set_datapath_on_dpa(doca_dpa* dpa, Where where) final {
    if (!on_dpa) return refuse(Errc::not_supported, "this end runs on the CPU", where);
    const MsgQ& queue = on_dpa->queue();
    const comch::dpa::Accelerator* const place = queue.accelerator_consumer() != nullptr
                                                     ? queue.accelerator_consumer()
                                                     : queue.accelerator_producer();
    if (&dpa->accelerator() != place) {
      return refuse(Errc::invalid_value, "the MsgQ is on another accelerator", where);
    }
    is_placed = true;
    return DOCA_SUCCESS;
  }

  // What both kinds of end can be asked.
  template <class Use>
  auto either(const Use& use) {
    return on_cpu ? use(*on_cpu) : use(*on_dpa);
  }
  template <class Use>
  auto either(const Use& use) const {
    return on_cpu ? use(std::as_const(*on_cpu)) : use(std::as_const(*on_dpa));
  }

  const std::unique_ptr<OnCpu> on_cpu;  // One of the two.
  const std::unique_ptr<OnDpa> on_dpa;
  bool is_placed = false;  // The program has said that it is on the accelerator.
  DeviceHandle handle;
};

// A new face for `made`, or why there is none.
template <class Face, class Made>
doca_error_t hand_out_end(Result<std::unique_ptr<Made>> made, Face** out,
                          std::source_location where) {
  if (!made) return answer(made.error(), where);
  auto face = std::make_unique<Face>(std::move(*made));
  if (face->on_cpu) {
    if (const doca_error_t e = face->adopt(*face->on_cpu, where); e != DOCA_SUCCESS) return e;
  }
  *out = face.release();
  return DOCA_SUCCESS;
}

template <class Face>
doca_error_t destroy_end(Face* face, std::source_location where = std::source_location::current()) {
  if (face == nullptr) return null_argument(where);
  if (face->state() != DOCA_CTX_STATE_IDLE) {
    return refuse(Errc::in_use, "the context is not idle; stop it first", where);
  }
  dispose(face);
  return DOCA_SUCCESS;
}

inline doca_error_t only_on_dpa(std::source_location where = std::source_location::current()) {
  return refuse(Errc::not_supported, "this end runs on the CPU", where);
}
inline doca_error_t only_on_cpu(std::source_location where = std::source_location::current()) {
  return refuse(Errc::not_supported, "this end runs on the accelerator", where);
}

// What device functions know an end by.
template <class Face>
doca_error_t dpa_handle_of(Face* face, std::uint64_t* handle,
                           std::source_location where = std::source_location::current()) {
  if (face == nullptr || handle == nullptr) return null_argument(where);
  if (!face->on_dpa || !face->on_dpa->started()) {
    return refuse(Errc::bad_state, "no end that is started on the accelerator", where);
  }
  const Result<std::uint64_t> given = face->handle.of(*face->on_dpa);
  if (!given) return answer(given.error(), where);
  *handle = *given;
  return DOCA_SUCCESS;
}

}  // namespace comch::doca
