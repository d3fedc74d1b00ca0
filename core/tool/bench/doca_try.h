// The C API's words in those of the tool: what its calls answer, and who owns what they make.
//
//   DocaOwned<doca_pe, doca_pe_destroy> pe;
//   Status status = make(pe, doca_pe_create);
//   if (status) status = status_of(doca_pe_connect_ctx(pe.get(), ctx));
//
// Threads: free functions without state.
#pragma once

#include <doca_ctx.h>
#include <doca_error.h>

#include <memory>
#include <tuple>

#include "comch/result.h"

namespace comch::tool {

// The codes of both APIs are the same numbers.
inline Error error_of(doca_error_t answer) {
  return {.code = static_cast<Errc>(answer), .what = doca_error_get_descr(answer)};
}
inline Status status_of(doca_error_t answer) {
  if (answer == DOCA_SUCCESS) return {};
  return std::unexpected(error_of(answer));
}

template <auto kDestroy>
struct DocaEnd {
  template <class Object>
  void operator()(Object* object) const {
    std::ignore = kDestroy(object);
  }
};
template <class Object, auto kDestroy>
using DocaOwned = std::unique_ptr<Object, DocaEnd<kDestroy>>;

// Calls `create` with `arguments` and a place for what it makes, which is the owner's then.
template <class Owner, class Create, class... Arguments>
Status make(Owner& owner, Create create, Arguments... arguments) {
  typename Owner::pointer made = nullptr;
  Status status = status_of(create(arguments..., &made));
  owner.reset(made);
  return status;
}

inline doca_ctx_states state_of(const doca_ctx* ctx) {
  doca_ctx_states state = DOCA_CTX_STATE_IDLE;
  std::ignore = doca_ctx_get_state(ctx, &state);
  return state;
}

// What a start or a stop answers when it is done or progress will finish it.
inline Status begun(doca_error_t answer) {
  return answer == DOCA_ERROR_IN_PROGRESS ? Status() : status_of(answer);
}

}  // namespace comch::tool
