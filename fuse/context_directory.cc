// The life of a context in the tree; see context_directory.h. Its files are in
// context_files.cc.
#include "context_directory.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "comch/log.h"

namespace comch::fuse {

ContextDirectory::ContextDirectory(Services& services, std::shared_ptr<ObjectRecord> record,
                                   std::shared_ptr<EventStream> events)
    : Directory(std::move(record), Content::kObject),
      services_(services),
      events_(std::move(events)) {}

Status ContextDirectory::set_up() {
  if (Status accepted = accept_configuration(); !accepted) return accepted;
  add_control_files();
  add_own_files();
  services_.publish(events_.get(), fmt::format("created {}", record().path));
  return {};
}

ContextState ContextDirectory::state() const {
  return context() == nullptr ? ContextState::kIdle : context()->state();
}

Outcome ContextDirectory::start() {
  if (is_stopping()) return Outcome::failed(EBUSY, "it is still stopping");
  if (state() == ContextState::kRunning) return Outcome::done();
  if (state() == ContextState::kStarting) return wait_until_running(false);
  if (const char* missing = missing_setting()) {
    return Outcome::failed(EINVAL, fmt::format("`{}` is not set; write it first", missing));
  }
  // The owner may have changed since the context was made.
  if (const Status rebuilt = rebuild(); !rebuilt) return Outcome::failed(rebuilt.error());
  services_.engine.touch();
  const auto started = begin_life();
  if (!started) return Outcome::failed(started.error());
  return wait_until_running(true);
}

Outcome ContextDirectory::wait_until_running(bool stop_when_given_up) {
  const std::weak_ptr<Node> weak = weak_from_this();
  auto check = [this, weak]() -> std::optional<Outcome> {
    const auto self = weak.lock();
    if (!self || record().removed) return Outcome::failed(ENODEV, "it was removed");
    if (state() == ContextState::kRunning && is_ready()) return Outcome::done();
    if (!is_idle()) return std::nullopt;
    if (context() == nullptr) return Outcome::failed(ENXIO, "it ended");
    const auto& [error, text] = failure();
    Outcome failed = Outcome::failed(errno_of(error), text.empty() ? reason_of(error) : text);
    failed.is_noted = !text.empty();  // By on_changed().
    return failed;
  };
  if (auto now = check()) return *now;
  return Outcome::later(std::move(check), [this, weak, stop_when_given_up] {
    const auto self = weak.lock();
    if (!self || !stop_when_given_up || state() != ContextState::kStarting) return;
    // Whoever asked for it does not want it any more; what is half done is undone.
    std::ignore = end_life(true);
    services_.engine.touch();
  });
}

Outcome ContextDirectory::stop(bool at_once) {
  if (is_idle()) return Outcome::done();
  if (at_once) {
    stop_wanted_ = false;
    services_.engine.touch();
    const auto stopped = end_life(true);
    if (!stopped && state() != ContextState::kStopping) return Outcome::failed(stopped.error());
  } else if (const Status begun = begin_stop(ENXIO); !begun) {
    return Outcome::failed(begun.error());
  }
  return wait_until_idle();
}

Status ContextDirectory::begin_stop(int error) {
  if (is_idle()) return {};
  stop_wanted_ = true;
  close_entrance(error);
  return try_to_stop();
}

Status ContextDirectory::try_to_stop() {
  if (is_idle() || state() == ContextState::kStopping) {
    stop_wanted_ = false;
    return {};
  }
  if (!is_drained()) return {};
  services_.engine.touch();
  const auto stopped = end_life(false);
  if (!stopped && stopped.error().code == Errc::in_use && is_being_left()) return {};
  stop_wanted_ = false;
  if (!stopped && state() != ContextState::kStopping) return std::unexpected(stopped.error());
  return {};
}

Outcome ContextDirectory::when(std::function<bool()> reached) {
  return Outcome::later(
      [this, weak = weak_from_this(), reached = std::move(reached)]() -> std::optional<Outcome> {
        const auto self = weak.lock();
        if (!self || record().removed) return Outcome::failed(ENODEV, "it was removed");
        if (!reached()) return std::nullopt;
        return Outcome::done();
      });
}

Outcome ContextDirectory::wait_until_idle() {
  if (is_idle()) return Outcome::done();
  return Outcome::later([this, weak = weak_from_this()]() -> std::optional<Outcome> {
    const auto self = weak.lock();
    if (!self || record().removed) return Outcome::failed(ENODEV, "it was removed");
    if (is_idle()) return Outcome::done();
    if (!is_stopping()) return Outcome::failed(EBUSY, "something new depends on it");
    return std::nullopt;
  });
}

int ContextDirectory::retire() {
  record().removed = true;  // First: what stop() calls back finds the object gone.
  if (const Status begun = begin_stop(ENODEV); !begun && begun.error().code == Errc::in_use) {
    record().removed = false;
    record().note_failure(EBUSY, reason_of(begun.error()));
    return EBUSY;
  }
  leave(ENODEV);
  services_.publish(nullptr, fmt::format("removed {}", record().path));
  return 0;
}

void ContextDirectory::dismiss(int error) {
  record().removed = true;
  leave(error);
  std::ignore = begin_stop(error);
}

bool ContextDirectory::try_to_end() {
  check();
  if (!is_idle()) return false;
  if (context() != nullptr) {
    if (const Status destroyed = destroy_context(); !destroyed) {
      log(LogLevel::kError, fmt::format("{}: {}", record().path, describe(destroyed.error())));
      return false;
    }
  }
  clear();
  record().end();
  return true;
}

void ContextDirectory::check() {
  check_own();
  if (!stop_wanted_) return;
  if (const Status stopped = try_to_stop(); !stopped) {
    record().note_failure(errno_of(stopped.error()), reason_of(stopped.error()));
  }
}

void ContextDirectory::watch(Context& context) {
  context.on_state_changed(
      [this](Context&, ContextState before, ContextState after) { on_changed(before, after); });
}

void ContextDirectory::on_changed(ContextState before, ContextState after) {
  if (record().removed) return;
  services_.publish(events_.get(),
                    fmt::format("state {} {} {}", record().path, name(before), name(after)));
  // A context that ends by itself says why; one that was stopped has not failed.
  const auto& [error, text] = failure();
  if (after == ContextState::kIdle && !text.empty()) record().note_failure(errno_of(error), text);
}

nlohmann::ordered_json ContextDirectory::json() const {
  nlohmann::ordered_json json{{"state", state_word()}, {"error", record().last_failure}};
  for (const Counter& counter : counters()) json["stats"][counter.name] = counter.value;
  return json;
}

}  // namespace comch::fuse
