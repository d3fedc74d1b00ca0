// The files that servers and clients have in common, and the orders their ctl takes; see
// context_directory.h.
#include <fmt/format.h>

#include <limits>

#include "context_directory.h"
#include "value.h"

namespace comch::fuse {

void ContextDirectory::add_control_files() {
  services_.add_attribute(*this, "state",
                          {.show = [this] { return std::string(name(context()->state())); }});
  services_.add_attribute(*this, "error", {.show = [this] { return record().last_failure; }});
  services_.add_attribute(*this, "enable",
                          {.show =
                               [this] {
                                 const ContextState state = context()->state();
                                 const bool on = state == ContextState::kRunning ||
                                                 state == ContextState::kStarting;
                                 return std::string(on ? "1" : "0");
                               },
                           .store = [this](std::string_view text) { return store_enable(text); },
                           .may_be_held = true});
  add_counter_files(services_, *this, [this] { return counters(); });
  services_.add_events(*this, events_);
  services_.add_ctl(*this, std::shared_ptr<CtlTarget>(shared_from_this(), this));
}

void ContextDirectory::add_ownership_file(const char* file, std::function<std::string()> show,
                                          std::function<bool(std::string_view)> assign) {
  Change store = [this, assign = std::move(assign)](std::string_view text) {
    if (!assign(text)) return Outcome::failed(EINVAL, "a numeric id, or an octal mode");
    apply_ownership();
    return Outcome::done();
  };
  settings_[file] = store;
  services_.add_attribute(*this, file, {.show = std::move(show), .store = std::move(store)});
}

void ContextDirectory::add_ownership_files() {
  const auto assign_id = [](std::uint32_t& id, std::string_view text) {
    const auto ids = parse_ids(text);
    if (!ids || ids->size() != 1) return false;
    id = ids->front();
    return true;
  };
  add_ownership_file(
      "conn_uid", [this] { return fmt::format("{}", ownership_.owner); },
      [this, assign_id](std::string_view text) { return assign_id(ownership_.owner, text); });
  add_ownership_file(
      "conn_gid", [this] { return fmt::format("{}", ownership_.group); },
      [this, assign_id](std::string_view text) { return assign_id(ownership_.group, text); });
  add_ownership_file(
      "conn_mode", [this] { return fmt::format("{:04o}", ownership_.mode); },
      [this](std::string_view text) {
        const auto mode = parse_mode(text);
        ownership_.mode = mode.value_or(ownership_.mode);
        return mode.has_value();
      });
}

void ContextDirectory::add_setting(const char* file, std::function<std::string()> show,
                                   Change change, bool may_be_held) {
  Change store = [this, change = std::move(change)](std::string_view text) {
    if (!is_idle()) return Outcome::failed(EBUSY, "it can be changed only while idle");
    return change(text);
  };
  settings_[file] = store;
  services_.add_attribute(*this, file,
                          {.show = std::move(show), .store = store, .may_be_held = may_be_held});
}

void ContextDirectory::add_number_setting(const char* file, std::uint32_t& setting) {
  add_setting(
      file, [&setting] { return fmt::format("{}", setting); },
      [this, &setting](std::string_view text) {
        const auto number = parse_number(text, std::numeric_limits<std::uint32_t>::max());
        if (!number) return Outcome::failed(EINVAL, "a number");
        return configure(setting, static_cast<std::uint32_t>(*number));
      });
}

Outcome ContextDirectory::store_enable(std::string_view text) {
  if (text == "1") return start();
  if (text == "0") return stop(false);
  return Outcome::failed(EINVAL, "0 or 1");
}

Outcome ContextDirectory::drain() const {
  return Outcome::later([this, weak = weak_from_this()]() -> std::optional<Outcome> {
    const auto self = weak.lock();
    if (!self || record().removed) return Outcome::failed(ENODEV, "it was removed");
    for (const auto& connection : connections_.all()) {
      if (connection->has_waiting_sends()) return std::nullopt;
    }
    return Outcome::done();
  });
}

Outcome ContextDirectory::set(const Order& order) {
  if (order.arguments.size() != 2) return Outcome::failed(EINVAL, "set NAME VALUE");
  const auto setting = settings_.find(order.arguments[0]);
  if (setting == settings_.end()) return Outcome::failed(EINVAL, "no such setting");
  return setting->second(order.arguments[1]);
}

Outcome ContextDirectory::obey_disconnect(const Order& order) {
  if (order.arguments.empty()) return Outcome::failed(EINVAL, "disconnect CONNECTION [force]");
  ConnectionDirectory* connection = connections_.find(order.arguments[0]);
  if (connection == nullptr) return Outcome::failed(ENOENT, "no such connection");
  if (connection->connection() == nullptr) return Outcome::failed(ENXIO, "it is over");
  return connections_.disconnect(*connection, order.arguments.size() > 1);
}

Outcome ContextDirectory::obey(const Order& order) {
  const bool force = order.arguments.size() == 1 && order.arguments[0] == "force";
  if (!order.arguments.empty() && !force && order.verb != "set" && order.verb != "disconnect") {
    return Outcome::failed(EINVAL, "too many arguments");
  }
  if (order.verb == "start" && !force) return start();
  if (order.verb == "stop") return stop(force);
  if (order.verb == "set") return set(order);
  if (order.verb == "disconnect") return obey_disconnect(order);
  if (order.verb == "drain" && !force) return drain();
  if (order.verb == "cancel" && !force) {
    for (const auto& connection : connections_.all()) connection->cancel_sends();
    return context()->state() == ContextState::kStarting ? stop(true) : Outcome::done();
  }
  if (order.verb == "reset-stats" && !force) {
    connections_.reset_counters();
    return Outcome::done();
  }
  return Outcome::failed(EINVAL, "no such order; read ctl for those there are");
}

std::string ContextDirectory::ctl_usage() const {
  return "start\nstop [force]\ndisconnect CONNECTION [force]\ndrain\ncancel\nreset-stats\n"
         "set NAME VALUE\n";
}

}  // namespace comch::fuse
