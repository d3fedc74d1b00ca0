// The files that all contexts have in common, and the orders their ctl takes; see
// context_directory.h.
#include <fmt/ranges.h>

#include <ranges>

#include "context_directory.h"

namespace comch::fuse {

std::string ContextDirectory::state_word() const {
  return std::string(name(stop_wanted_ && !is_idle() ? ContextState::kStopping : state()));
}

void ContextDirectory::add_control_files() {
  services_.add_attribute(*this, "state", {.show = [this] { return state_word(); }});
  services_.add_attribute(*this, "error", {.show = [this] { return record().last_failure; }});
  services_.add_attribute(*this, "enable",
                          {.show =
                               [this] {
                                 const bool on = !is_idle() && !is_stopping();
                                 return std::string(on ? "1" : "0");
                               },
                           .store = [this](std::string_view text) { return store_enable(text); },
                           .may_be_held = true});
  add_counter_files(services_, *this, [this] { return counters(); });
  services_.add_ctl(*this, std::shared_ptr<CtlTarget>(shared_from_this(), this));
}

void ContextDirectory::add_setting(const char* file, std::function<std::string()> show,
                                   Change change, bool may_be_held) {
  add_changeable(
      file, std::move(show),
      [this, change = std::move(change)](std::string_view text) {
        if (!is_idle()) return Outcome::failed(EBUSY, kOnlyWhileIdle);
        return change(text);
      },
      may_be_held);
}

void ContextDirectory::add_changeable(const char* file, std::function<std::string()> show,
                                      Change change, bool may_be_held) {
  Change named = [file, change = std::move(change)](std::string_view text) {
    return about(file, change(text));
  };
  settings_[file] = named;
  services_.add_attribute(
      *this, file,
      {.show = std::move(show), .store = std::move(named), .may_be_held = may_be_held});
}

Outcome ContextDirectory::store_enable(std::string_view text) {
  if (text == "1") return start();
  if (text == "0") return stop(false);
  return Outcome::failed(EINVAL, "enable: write 0 or 1");
}

Outcome ContextDirectory::set(const Order& order) {
  if (order.arguments.size() != 2) return misunderstood(order);
  const auto setting = settings_.find(order.arguments[0]);
  if (setting == settings_.end()) {
    return Outcome::failed(EINVAL, fmt::format("no such setting; there are {}",
                                               fmt::join(settings_ | std::views::keys, ", ")));
  }
  return setting->second(order.arguments[1]);
}

Outcome ContextDirectory::obey(const Order& order) {
  const bool is_plain = order.arguments.empty();
  const bool is_forced = order.arguments.size() == 1 && order.arguments[0] == "force";
  if (order.verb == "start" && is_plain) return start();
  if (order.verb == "stop" && (is_plain || is_forced)) return stop(is_forced);
  if (order.verb == "set") return set(order);
  if (order.verb == "reset-stats" && is_plain) {
    reset_counters();
    return Outcome::done();
  }
  return obey_own(order);
}

Outcome ContextDirectory::obey_own(const Order& order) { return misunderstood(order); }

std::string ContextDirectory::ctl_usage() const {
  return "start\nstop [force]\n" + own_usage() + "reset-stats\nset NAME VALUE\n";
}

}  // namespace comch::fuse
