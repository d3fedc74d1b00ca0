// One end of a MsgQ as files; see msgq_end_directory.h.
#include "msgq_end_directory.h"

namespace comch::fuse {

Status MsgqEndDirectory::rebuild() {
  if (!link_->end) return fail(Errc::not_connected, "the MsgQ does not run");
  if (Status fits = check_direction(*link_->end); !fits) return fits;
  if (Status destroyed = destroy_context(); !destroyed) return destroyed;
  end_ = link_->end;
  Status made = make_context();
  if (!made) end_ = nullptr;
  return made;
}

Status MsgqEndDirectory::destroy_context() {
  if (context() == nullptr) return {};
  if (Status destroyed = drop_context(); !destroyed) return destroyed;
  end_ = nullptr;
  services().engine.touch();  // The MsgQ may be waiting for this.
  return {};
}

// One that is idle would take the place of another at the MsgQ.
void MsgqEndDirectory::check_own() {
  if (context() != nullptr && is_idle()) std::ignore = destroy_context();
}

void MsgqEndDirectory::on_changed(ContextState before, ContextState after) {
  started_in_ = end_;
  if (after == ContextState::kRunning) {
    last_counters_ = {};
    at_reset_ = {};
  }
  on_entered(after);
  if (after == ContextState::kIdle) last_counters_ = engine_counters();
  ContextDirectory::on_changed(before, after);
}

int MsgqEndDirectory::start_by_opening() {
  const bool starts = services().options.autostart && link_->end && is_idle() && !is_stopping() &&
                      started_in_.lock() != link_->end;
  if (!starts) return 0;
  const Outcome started = start();
  note_failure(record(), started);
  return started.error;
}

Counters MsgqEndDirectory::engine_or_last() const {
  const bool is_over = context() == nullptr;
  return is_over && !last_counters_.empty() ? last_counters_ : engine_counters();
}

Counters MsgqEndDirectory::counted() const {
  Counters all = engine_or_last();
  subtract(all, at_reset_);
  return all;
}

}  // namespace comch::fuse
