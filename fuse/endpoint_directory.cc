// What the directories of servers and clients have in common; see endpoint_directory.h.
#include "endpoint_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "json_object.h"
#include "value.h"

namespace comch::fuse {
namespace {

constexpr const char* kIdWanted = "write one numeric id";

}  // namespace

EndpointDirectory::EndpointDirectory(Services& services, std::shared_ptr<ObjectRecord> record,
                                     std::shared_ptr<EventStream> events)
    : ContextDirectory(services, std::move(record), std::move(events)),
      connections_(services, *this, this->events(),
                   [this](Connection& connection, bool at_once) {
                     this->services().engine.touch();
                     return end_connection(connection, at_once);
                   }),
      ownership_{this->record().owner, this->record().group, this->record().permissions} {}

bool EndpointDirectory::is_being_left() const {
  return std::ranges::all_of(connections_.all(),
                             [](const auto& one) { return one->fast_path().is_idle(); });
}

void EndpointDirectory::leave(int error) {
  connections_.remove_all(error);
  events()->fail_readers(error);
}

std::shared_ptr<ObjectRecord> EndpointDirectory::make_connection_record(
    const std::string& name) const {
  auto made = std::make_shared<ObjectRecord>(fmt::format("{}/{}", record().path, name),
                                             ownership_.owner, ownership_.group, ownership_.mode,
                                             services().failure_handler(events()));
  made->container = shared_record();
  return made;
}

int EndpointDirectory::change(const AttributeChange& change) {
  const int error = Directory::change(change);
  if (error != 0) return error;
  if (change.owner) ownership_.owner = *change.owner;
  if (change.group) ownership_.group = *change.group;
  if (change.mode) ownership_.mode = *change.mode & 0777;
  apply_ownership();
  return 0;
}

void EndpointDirectory::apply_ownership() {
  for (const auto& connection : connections_.all()) {
    connection->record().give_to(ownership_.owner, ownership_.group);
    connection->record().permissions = ownership_.mode;
  }
  services().refresh_below(*this);
}

void EndpointDirectory::add_ownership_file(const char* file, const char* wanted,
                                           std::function<std::string()> show,
                                           std::function<bool(std::string_view)> assign) {
  add_changeable(file, std::move(show),
                 [this, wanted, assign = std::move(assign)](std::string_view text) {
                   if (!assign(text)) return Outcome::failed(EINVAL, wanted);
                   apply_ownership();
                   return Outcome::done();
                 });
}

void EndpointDirectory::add_own_files() {
  services().add_events(*this, events());
  const auto assign_id = [](std::uint32_t& id, std::string_view text) {
    const auto ids = parse_ids(text);
    if (!ids || ids->size() != 1) return false;
    id = ids->front();
    return true;
  };
  add_ownership_file(
      "conn_uid", kIdWanted, [this] { return fmt::format("{}", ownership_.owner); },
      [this, assign_id](std::string_view text) { return assign_id(ownership_.owner, text); });
  add_ownership_file(
      "conn_gid", kIdWanted, [this] { return fmt::format("{}", ownership_.group); },
      [this, assign_id](std::string_view text) { return assign_id(ownership_.group, text); });
  add_ownership_file(
      "conn_mode", "write a mode in octal, 0777 at most",
      [this] { return fmt::format("{:04o}", ownership_.mode); },
      [this](std::string_view text) {
        const auto mode = parse_mode(text);
        ownership_.mode = mode.value_or(ownership_.mode);
        return mode.has_value();
      });
}

Outcome EndpointDirectory::drain() {
  return when([this] {
    return std::ranges::none_of(
        connections_.all(), [](const auto& connection) { return connection->has_waiting_sends(); });
  });
}

Outcome EndpointDirectory::disconnect(const Order& order) {
  if (order.arguments.empty()) return misunderstood(order);
  ConnectionDirectory* connection = connections_.find(order.arguments[0]);
  if (connection == nullptr) return Outcome::failed(ENOENT, "no such connection");
  if (connection->connection() == nullptr) return Outcome::failed(ENXIO, "it is over");
  return connections_.disconnect(*connection, order.arguments.size() > 1);
}

Outcome EndpointDirectory::obey_own(const Order& order) {
  if (order.verb == "disconnect") return disconnect(order);
  if (order.verb == "drain" && order.arguments.empty()) return drain();
  if (order.verb == "cancel" && order.arguments.empty()) {
    for (const auto& connection : connections_.all()) connection->cancel_sends();
    return state() == ContextState::kStarting ? stop(true) : Outcome::done();
  }
  return ContextDirectory::obey_own(order);
}

std::string EndpointDirectory::own_usage() const {
  return "disconnect CONNECTION [force]\ndrain\ncancel\n";
}

Counters EndpointDirectory::counters() const {
  Counters all{{"connections", connections_.all().size()}};
  const Counters sums = connections_.counters();
  all.insert(all.end(), sums.begin(), sums.end());
  return all;
}

nlohmann::ordered_json EndpointDirectory::json() const {
  nlohmann::ordered_json connections = make_object(connections_.all().size());
  for (const auto& connection : connections_.all()) {
    add_member(connections, connection->name(), connection->json());
  }
  nlohmann::ordered_json json = ContextDirectory::json();
  add_member(json, "connections", std::move(connections));
  return json;
}

}  // namespace comch::fuse
