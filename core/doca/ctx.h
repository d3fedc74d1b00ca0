// doca_ctx: what stands behind every context of the C API, and doca_pe behind the engine.
//
// A context of the C API has one of the engine's, which does the work, and the words that the
// program gave: its user data and its callbacks. The engine's context carries a pointer to the
// doca_ctx as its user data, so that each finds the other.
//
// Threads: the context's. Lifetime: the program's, from *_create() to *_destroy(). A program may
// destroy a context in a callback, also in the one that tells that it is idle; the object goes
// when the call that led to the callback returns.
#pragma once

#include <doca_ctx.h>
#include <doca_pe.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <vector>

#include "comch/context.h"
#include "comch/progress_engine.h"

struct doca_pe {
  std::unique_ptr<comch::ProgressEngine> engine;
  // Contexts that are tied to it, also those the engine does not know yet: ends of a MsgQ.
  std::size_t contexts = 0;
  int calls = 0;              // Starts and stops under way, from which callbacks may come.
  doca_ctx* ended = nullptr;  // Destroyed by callbacks, linked by next_ended.
};

// Shared by the libraries of the C API.
struct [[gnu::visibility("default")]] doca_ctx {
  doca_ctx() = default;
  doca_ctx(const doca_ctx&) = delete;
  doca_ctx& operator=(const doca_ctx&) = delete;
  virtual ~doca_ctx();

  // The C function that refuses, for the log.
  using Where = std::source_location;

  // Start and stop as this kind does them; doca_ctx_start() and doca_ctx_stop() call these.
  virtual doca_error_t start(Where where);
  virtual doca_error_t stop(Where where);
  virtual doca_ctx_states state() const;
  // Of MsgQ ends alone; others answer NOT_SUPPORTED.
  virtual doca_error_t set_datapath_on_dpa(doca_dpa* dpa, Where where);

  // The engine's context is there from now on: ties it to `this`, and to `pe` if there is one.
  doca_error_t adopt(comch::Context& made, Where where);
  // Ties it to `engine`, now or as soon as it has a context. Errors as doca_pe_connect_ctx().
  doca_error_t connect(doca_pe& engine, Where where);

  comch::Context* context = nullptr;  // Null while an end of a MsgQ has not joined it.
  doca_pe* pe = nullptr;              // Null until doca_pe_connect_ctx().
  doca_data user_data{};
  doca_ctx_state_changed_callback_t state_changed = nullptr;
  std::vector<doca_task*> leaving;  // Freed by the program while under way; see free_leaving().
  doca_ctx* next_ended = nullptr;   // See doca_pe::ended.
  // By the last change of the engine's context: written behind its callback, in which the program
  // may start and stop, so that of changes in one another the outermost has the last word.
  std::optional<doca_ctx_states> entered;

 protected:
  // The engine's context has moved; tells the program.
  virtual void moved(doca_ctx_states before, doca_ctx_states after);
};

namespace comch::doca {

#pragma GCC visibility push(default)  // Shared by the libraries of the C API.
// Deletes a context that is idle, now or as soon as no callback can be under way.
void dispose(doca_ctx* ctx);
// Deletes those that were disposed of, at the end of progress() if that is under way.
void bury_ended(doca_pe& pe);
#pragma GCC visibility pop

// A call from which callbacks may come, other than progress().
class CallInto {
 public:
  explicit CallInto(doca_pe* pe) : pe_(pe) {
    if (pe_ != nullptr) ++pe_->calls;
  }
  ~CallInto() {
    if (pe_ != nullptr && --pe_->calls == 0 && pe_->ended != nullptr) bury_ended(*pe_);
  }
  CallInto(const CallInto&) = delete;
  CallInto& operator=(const CallInto&) = delete;

 private:
  doca_pe* const pe_;
};

inline doca_ctx& ctx_of(const Context& context) {
  return *static_cast<doca_ctx*>(context.user_data().pointer);
}
constexpr doca_ctx_states state_of(ContextState state) {
  return static_cast<doca_ctx_states>(state);  // The same order; see the test.
}

}  // namespace comch::doca
