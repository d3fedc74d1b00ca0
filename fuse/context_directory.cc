// The life of a server or client in the tree; see context_directory.h. Its files are in
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
      events_(std::move(events)),
      connections_(services, *this, events_,
                   [this](Connection& connection, bool at_once) {
                     services_.engine.touch();
                     return end_connection(connection, at_once);
                   }),
      ownership_{this->record().owner, this->record().group, this->record().permissions} {}

Status ContextDirectory::set_up() {
  if (Status built = rebuild(); !built) return built;
  add_control_files();
  add_ownership_files();
  add_own_files();
  services_.publish(events(), fmt::format("created {}", record().path));
  return {};
}

Outcome ContextDirectory::start() {
  switch (context()->state()) {
    case ContextState::kRunning:
      return Outcome::done();
    case ContextState::kStarting:
      return wait_until_running(false);
    case ContextState::kStopping:
      return Outcome::failed(EBUSY, "it is still stopping");
    case ContextState::kIdle:
      break;
  }
  if (const char* missing = missing_setting()) {
    return Outcome::failed(EINVAL, fmt::format("`{}` is not set", missing));
  }
  // The owner may have changed since the context was made.
  if (const Status rebuilt = rebuild(); !rebuilt) return Outcome::failed(rebuilt.error());
  services_.engine.touch();
  const auto started = context()->start();
  if (!started) return Outcome::failed(started.error());
  return wait_until_running(true);
}

Outcome ContextDirectory::wait_until_running(bool stop_when_given_up) {
  const std::weak_ptr<Node> weak = weak_from_this();
  auto check = [this, weak]() -> std::optional<Outcome> {
    const auto self = weak.lock();
    if (!self || record().removed) return Outcome::failed(ENODEV, "it was removed");
    if (context()->state() == ContextState::kRunning && is_ready()) return Outcome::done();
    if (!is_idle()) return std::nullopt;
    const Failure& failure = context()->failure();
    Outcome failed = Outcome::failed(
        errno_of(failure.error), failure.text.empty() ? reason_of(failure.error) : failure.text);
    failed.is_noted = !failure.text.empty();  // By on_state().
    return failed;
  };
  if (auto now = check()) return *now;
  return Outcome::later(std::move(check), [this, weak, stop_when_given_up] {
    const auto self = weak.lock();
    if (!self || !stop_when_given_up || context()->state() != ContextState::kStarting) return;
    // Whoever asked for it does not want it any more; what is half done is undone.
    std::ignore = context()->abort();
    services_.engine.touch();
  });
}

Outcome ContextDirectory::stop(bool at_once) {
  if (is_idle()) return Outcome::done();
  services_.engine.touch();
  const auto stopped = at_once ? context()->abort() : context()->stop();
  if (!stopped && context()->state() != ContextState::kStopping) {
    return Outcome::failed(stopped.error());
  }
  return wait_until_idle();
}

Outcome ContextDirectory::wait_until_idle() {
  if (is_idle()) return Outcome::done();
  return Outcome::later([this, weak = weak_from_this()]() -> std::optional<Outcome> {
    const auto self = weak.lock();
    if (!self || record().removed) return Outcome::failed(ENODEV, "it was removed");
    if (is_idle()) return Outcome::done();
    return std::nullopt;
  });
}

int ContextDirectory::retire() {
  record().removed = true;  // First: what stop() calls back finds the object gone.
  if (!is_idle()) {
    services_.engine.touch();
    const auto stopped = context()->stop();
    if (!stopped && stopped.error().code == Errc::in_use) {
      record().removed = false;
      return EBUSY;
    }
  }
  connections_.remove_all(ENODEV);
  fail_own_reads(ENODEV);
  events_->fail_readers(ENODEV);
  services_.publish(nullptr, fmt::format("removed {}", record().path));
  return 0;
}

void ContextDirectory::shut_down() {
  record().removed = true;
  connections_.remove_all(ESHUTDOWN);
  fail_own_reads(ESHUTDOWN);
  events_->fail_readers(ESHUTDOWN);
  if (!is_idle()) std::ignore = context()->stop();
}

bool ContextDirectory::try_to_end() {
  if (!is_idle()) return false;
  if (const Status destroyed = destroy_context(); !destroyed) {
    log(LogLevel::kError, fmt::format("{}: {}", record().path, describe(destroyed.error())));
    return false;
  }
  return true;
}

void ContextDirectory::check() {
  for (const auto& connection : connections_.all()) connection->check();
}

void ContextDirectory::on_state(ContextState before, ContextState after) {
  if (record().removed) return;
  services_.publish(events(),
                    fmt::format("state {} {} {}", record().path, name(before), name(after)));
  // A context that ends by itself says why; one that was stopped has not failed.
  const Failure& failure = context()->failure();
  if (after == ContextState::kIdle && !failure.text.empty()) {
    record().note_failure(errno_of(failure.error), failure.text);
  }
}

std::shared_ptr<ObjectRecord> ContextDirectory::make_connection_record(
    const std::string& name) const {
  auto made = std::make_shared<ObjectRecord>(fmt::format("{}/{}", record().path, name),
                                             ownership_.owner, ownership_.group, ownership_.mode,
                                             services_.failure_handler(events_));
  made->container = shared_record();
  return made;
}

int ContextDirectory::change(const AttributeChange& change) {
  const int error = Directory::change(change);
  if (error != 0) return error;
  if (change.owner) ownership_.owner = *change.owner;
  if (change.group) ownership_.group = *change.group;
  if (change.mode) ownership_.mode = *change.mode & 0777;
  apply_ownership();
  return 0;
}

void ContextDirectory::apply_ownership() {
  for (const auto& connection : connections_.all()) {
    connection->record().owner = ownership_.owner;
    connection->record().group = ownership_.group;
    connection->record().permissions = ownership_.mode;
  }
  services_.refresh_below(*this);
}

Counters ContextDirectory::counters() const {
  Counters all{{"connections", connections_.all().size()}};
  const Counters sums = connections_.counters();
  all.insert(all.end(), sums.begin(), sums.end());
  return all;
}

nlohmann::ordered_json ContextDirectory::json() const {
  nlohmann::ordered_json json{{"state", name(context()->state())},
                              {"error", record().last_failure}};
  for (const Counter& counter : counters()) json["stats"][counter.name] = counter.value;
  json["connections"] = nlohmann::ordered_json::object();
  for (const auto& connection : connections_.all()) {
    json["connections"][connection->name()] = connection->json();
  }
  return json;
}

}  // namespace comch::fuse
