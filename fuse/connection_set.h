// ConnectionSet: the connections of one server or client, and their way into the tree and
// out of it.
//
//   begin()  --announcer: mkdir-->  appear()  in the tree
//   end of the connection, files closed, messages read
//            --announcer: rmdir-->  vanish()  out of the tree
//
// A user's rmdir(2) takes the directory out at once; the connection ends behind it.
//
// Threads: the loop's. Lifetime: part of the object's directory, which the announcer's
// callbacks hold weakly.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "connection_directory.h"
#include "services.h"

namespace comch::fuse {

class ConnectionSet final : private ConnectionDirectory::Owner {
 public:
  // Ends a connection of the library; the rest follows by end().
  using Disconnect = std::function<Outcome(Connection&, bool at_once)>;

  ConnectionSet(Services& services, Directory& parent, std::shared_ptr<EventStream> events,
                Disconnect disconnect)
      : services_(services),
        parent_(parent),
        events_(std::move(events)),
        disconnect_(std::move(disconnect)) {}

  // A connection was made; its directory will appear under `name`.
  ConnectionDirectory& begin(Connection& connection, std::uint64_t number, const std::string& name,
                             std::shared_ptr<ObjectRecord> record,
                             std::shared_ptr<ServerInbox> server_inbox);
  // It is over; `loss` is ECONNRESET or 0.
  void end(Connection& connection, int loss);

  // The announcer's mkdir and rmdir.
  std::shared_ptr<Node> appear(std::string_view name);
  bool vanish(std::string_view name);

  // A user's rmdir: an errno, or 0.
  int remove(std::string_view name);
  // The whole object goes: its connections' files answer `error`.
  void remove_all(int error);

  bool all_visible() const;
  ConnectionDirectory* find(std::string_view name) const;
  const std::vector<std::shared_ptr<ConnectionDirectory>>& all() const { return all_; }
  Outcome disconnect(ConnectionDirectory& connection, bool at_once) override;

  // After progress().
  void check();

  // Sums of those that are and those that were.
  Counters counters() const;
  void reset_counters();

  // The callbacks of a context come to the directory of their connection.
  static ConnectionDirectory* directory_of(const Connection& connection);

 private:
  void is_used_up(ConnectionDirectory& connection) override;
  void announce_appearance(const std::string& name);
  void announce_departure(const std::string& name);
  void end_removed(ConnectionDirectory& connection);
  void forget(const ConnectionDirectory& connection);
  bool is_shown(const ConnectionDirectory& connection) const;

  Services& services_;
  Directory& parent_;
  const std::shared_ptr<EventStream> events_;
  const Disconnect disconnect_;
  std::vector<std::shared_ptr<ConnectionDirectory>> all_;
  Counters of_the_gone_ = connection_counters({}, {});
};

}  // namespace comch::fuse
