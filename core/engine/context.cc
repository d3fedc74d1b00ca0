// Context: the public face of ContextCore.
#include "comch/context.h"

#include "engine/context_core.h"
#include "engine/engine.h"

namespace comch {

std::string_view name(ContextState state) {
  switch (state) {
    case ContextState::kIdle:
      return "idle";
    case ContextState::kStarting:
      return "starting";
    case ContextState::kRunning:
      return "running";
    case ContextState::kStopping:
      return "stopping";
  }
  return "unknown";
}

Result<ContextState> Context::start() { return core_->start(); }
Result<ContextState> Context::stop() { return core_->stop(true); }
Result<ContextState> Context::abort() { return core_->stop(false); }
void Context::flush() { core_->flush(); }
ContextState Context::state() const { return core_->state(); }
void Context::on_state_changed(StateHandler handler) {
  core_->on_state_changed = std::move(handler);
}
const Failure& Context::failure() const { return core_->failure(); }
void Context::set_user_data(UserData data) { core_->user_data = data; }
UserData Context::user_data() const { return core_->user_data; }
std::size_t Context::tasks_in_flight() const { return core_->in_flight(); }
ProgressEngine* Context::progress_engine() const { return core_->engine(); }

}  // namespace comch
