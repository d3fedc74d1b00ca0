// ContextCore: see context_core.h.
#include "engine/context_core.h"

#include "base/homebound.h"
#include "base/say.h"
#include "engine/engine.h"

namespace comch::engine {

ContextCore::~ContextCore() {
  if (engine_ != nullptr) engine_->disconnect(*this);
}

Status ContextCore::require_home() const {
  if (home_.is_forked()) return refuse_away();
  return {};
}

Result<ContextState> ContextCore::start() {
  if (Status s = require_home(); !s) return std::unexpected(s.error());
  if (state_ != ContextState::kIdle) {
    return fail(Errc::bad_state, "the context is not idle; stop it first");
  }
  if (engine_ == nullptr) {
    return fail(Errc::not_connected, "connect the context to a progress engine first");
  }
  if (Status checked = check_configuration(); !checked) return std::unexpected(checked.error());
  failure_ = {};
  const Result<bool> at_once = on_start();
  if (!at_once) {
    record_failure(at_once.error(), at_once.error().what);
    return std::unexpected(at_once.error());
  }
  enter(*advance(state_, *at_once ? ContextEvent::kReady : ContextEvent::kStart));
  return state_;
}

Result<ContextState> ContextCore::stop(bool deliver) {
  if (Status s = require_home(); !s) return std::unexpected(s.error());
  const std::optional<ContextState> next = advance(state_, ContextEvent::kStop);
  if (!next) return fail(Errc::bad_state, "the context is idle already");
  const bool first = state_ != ContextState::kStopping;
  if (!first && deliver) return state_;
  if (Status may = deliver ? check_stop() : Status(); !may) return std::unexpected(may.error());
  // Said before the connections are ended, so that what runs meanwhile sees the truth.
  const ContextState before = state_;
  on_stop(deliver);
  if (before == ContextState::kRunning && drained()) {
    enter(*advance(before, ContextEvent::kDrained));
    return state_;
  }
  request_work();
  if (first) enter(*next);
  return state_;
}

Status ContextCore::require_idle() const {
  if (!idle()) return fail(Errc::bad_state, "configuration is possible only while idle");
  return {};
}

void ContextCore::ready() {
  if (const auto next = advance(state_, ContextEvent::kReady)) enter(*next);
}

void ContextCore::fatal(const Error& error, std::string text) {
  record_failure(error, std::move(text));
  const auto next = advance(state_, ContextEvent::kFatal);
  if (!next) return;
  const bool first = state_ != ContextState::kStopping;
  on_stop(false);
  request_work();
  if (first) enter(*next);
}

void ContextCore::record_failure(const Error& error, std::string text) {
  failure_ = {error, std::move(text)};
  say(About(failure_.text), LogLevel::kInfo, "{}", failure_.text);
}

bool ContextCore::work() {
  const bool did = on_work();
  return (state_ == ContextState::kStopping && end_if_drained()) || did;
}

bool ContextCore::end_if_drained() {
  if (!drained()) return false;
  enter(*advance(state_, ContextEvent::kDrained));
  return true;
}

void ContextCore::cut_off() {
  on_cut_off();
  unlink();
  engine_ = nullptr;
  state_ = ContextState::kIdle;
}

void ContextCore::request_work() {
  if (!is_linked() && engine_ != nullptr) engine_->enqueue(*this);
}

void ContextCore::enter(ContextState next) {
  const ContextState before = state_;
  state_ = next;
  if (next == ContextState::kIdle) on_idle();
  if (on_state_changed) on_state_changed(face_, before, next);
}

}  // namespace comch::engine
