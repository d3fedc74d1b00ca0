// FastPath: the part of a connection's directory where consumers and producers are made, and
// where the other side's consumers are seen.
//
//   consumers/NAME   producers/NAME   remote/ID
//
// Threads: the loop's. Lifetime: part of the connection's directory; outlives the connection
// while messages of its consumers are unread.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "collection_directory.h"
#include "fast_link.h"
#include "remote_directory.h"

namespace comch::fuse {

class FastPath {
 public:
  // `on_emptied` runs when the last message was read after the connection's end.
  FastPath(Services& services, Connection& connection, const std::shared_ptr<ObjectRecord>& record,
           const std::shared_ptr<EventStream>& events, std::function<void()> on_emptied);

  // Shows the three directories in the connection's.
  void add_to(Directory& connection);

  void on_appeared(ConsumerId consumer) { remote_->on_appeared(consumer); }
  void on_expired(ConsumerId consumer);
  // After progress().
  void check();
  // The connection is over; `loss` is ECONNRESET or 0.
  void on_end(int loss);
  void reset_counters();
  // Everything goes, and who waits is told `error`.
  void remove_all(int error);

  // None of those that are shown stands in the way of the connection's end.
  bool is_idle() const;
  bool has_unread_messages() const;
  bool has_open_files() const;

  nlohmann::ordered_json consumers_json() const;
  nlohmann::ordered_json producers_json() const;

 private:
  const std::shared_ptr<FastLink> link_;
  const std::shared_ptr<CollectionDirectory> consumers_;
  const std::shared_ptr<CollectionDirectory> producers_;
  const std::shared_ptr<RemoteDirectory> remote_;
};

}  // namespace comch::fuse
