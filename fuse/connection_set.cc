// The connections of one server or client; see connection_set.h.
#include "connection_set.h"

#include <fmt/format.h>

#include <algorithm>

namespace comch::fuse {

ConnectionDirectory* ConnectionSet::directory_of(const Connection& connection) {
  return static_cast<ConnectionDirectory*>(connection.user_data().pointer);
}

ConnectionDirectory& ConnectionSet::begin(Connection& connection, std::uint64_t number,
                                          const std::string& name,
                                          std::shared_ptr<ObjectRecord> record,
                                          std::shared_ptr<ServerInbox> server_inbox) {
  // A client's conn may still be there from the last time, with somebody reading from it.
  if (ConnectionDirectory* old = find(name)) {
    old->on_removed();
    announce_departure(name);
    forget(*old);
  }
  connection.pause();
  auto made = ConnectionDirectory::create(services_, *this, connection, number, name,
                                          std::move(record), std::move(server_inbox), events_);
  connection.set_user_data(UserData{.pointer = made.get()});
  all_.push_back(made);
  announce_appearance(name);
  return *made;
}

void ConnectionSet::announce_appearance(const std::string& name) {
  services_.announcer.appear(fmt::format("{}/{}", parent_.record().path, name),
                             [this, name, parent = parent_.weak_from_this()] {
                               if (const auto alive = parent.lock()) appear(name);
                             });
}

void ConnectionSet::announce_departure(const std::string& name) {
  services_.announcer.vanish(fmt::format("{}/{}", parent_.record().path, name),
                             services_.nodes.id_of(parent_),
                             [this, name, parent = parent_.weak_from_this()] {
                               if (const auto alive = parent.lock()) vanish(name);
                             });
}

bool ConnectionSet::is_shown(const ConnectionDirectory& connection) const {
  return parent_.find(connection.name()).get() == &connection;
}

bool ConnectionSet::all_visible() const {
  return std::ranges::all_of(all_, [this](const auto& one) { return is_shown(*one); });
}

std::shared_ptr<Node> ConnectionSet::appear(std::string_view name) {
  const auto one = std::ranges::find_if(all_, [&](const auto& connection) {
    return connection->name() == name && !connection->record().removed;
  });
  if (one == all_.end() || is_shown(**one)) return nullptr;
  parent_.add((*one)->name(), *one);
  const PeerIdentity* peer =
      (*one)->connection() == nullptr ? nullptr : &(*one)->connection()->peer();
  services_.publish(events_.get(), peer == nullptr
                                       ? fmt::format("connected {}", (*one)->record().path)
                                       : fmt::format("connected {} peer_uid={} peer_pid={}",
                                                     (*one)->record().path, peer->uid, peer->pid));
  return *one;
}

bool ConnectionSet::vanish(std::string_view name) {
  const auto shown = std::dynamic_pointer_cast<ConnectionDirectory>(parent_.find(name));
  if (!shown || shown->connection() != nullptr) return false;
  if (!shown->record().removed) {
    // Somebody may have opened a file of it in the meantime, or have given a message back
    // whose reader was gone; the last close, or the next to take it, comes back here.
    if (shown->is_needed()) return false;
    shown->on_removed();
  }
  parent_.drop(name);
  forget(*shown);
  return true;
}

void ConnectionSet::end(Connection& connection, int loss) {
  ConnectionDirectory* directory = directory_of(connection);
  if (directory == nullptr) return;
  const std::string& path = directory->record().path;
  if (!parent_.record().removed)
    services_.publish(events_.get(),
                      fmt::format("{} {}", loss == 0 ? "disconnected" : "lost", path));
  connection.set_user_data(UserData{.pointer = nullptr});
  if (parent_.record().removed) directory->on_removed();
  const bool was_removed = directory->record().removed;
  directory->on_end(loss);
  if (was_removed) forget(*directory);
}

void ConnectionSet::is_used_up(ConnectionDirectory& connection) {
  announce_departure(connection.name());
}

int ConnectionSet::remove(std::string_view name) {
  ConnectionDirectory* connection = find(name);
  if (connection == nullptr || !is_shown(*connection)) return ENOENT;
  if (connection->connection() != nullptr) {
    const Outcome outcome = disconnect_(*connection->connection(), false);
    // What stands in its way but is ending already does not for long.
    const bool is_left = outcome.error == EBUSY && connection->fast_path().is_idle();
    if (outcome.error != 0 && !is_left) return outcome.error;
  }
  connection->on_removed();
  parent_.drop(name);
  if (connection->connection() == nullptr) forget(*connection);
  return 0;
}

void ConnectionSet::remove_all(int error) {
  for (const auto& connection : all_) connection->on_removed(error);
}

void ConnectionSet::forget(const ConnectionDirectory& connection) {
  if (connection.connection() != nullptr) return;  // end() comes.
  add(of_the_gone_, connection.counters());
  std::erase_if(all_, [&](const auto& one) { return one.get() == &connection; });
}

ConnectionDirectory* ConnectionSet::find(std::string_view name) const {
  for (const auto& one : all_) {
    if (one->name() == name && !one->record().removed) return one.get();
  }
  return nullptr;
}

Outcome ConnectionSet::disconnect(ConnectionDirectory& connection, bool at_once) {
  return disconnect_(*connection.connection(), at_once);
}

void ConnectionSet::check() {
  for (const auto& connection : all_) {
    connection->check();
    if (connection->record().removed && !parent_.record().removed) end_removed(*connection);
  }
}

// One whose rmdir came while its consumers and producers were still ending.
void ConnectionSet::end_removed(ConnectionDirectory& connection) {
  Connection* engines = connection.connection();
  const bool is_wanted = engines != nullptr && engines->state() == ConnectionState::kEstablished;
  if (is_wanted && engines->local_ends() == 0) std::ignore = disconnect_(*engines, false);
}

Counters ConnectionSet::counters() const {
  Counters sum = of_the_gone_;
  for (const auto& one : all_) add(sum, one->counters());
  return sum;
}

void ConnectionSet::reset_counters() {
  of_the_gone_ = connection_counters({}, {});
  for (const auto& one : all_) one->reset_counters();
}

}  // namespace comch::fuse
