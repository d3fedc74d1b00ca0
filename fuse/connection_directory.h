// ConnectionDirectory: one connection as a directory, connN of a server or conn of a client.
//
// It appears when the connection is there and stays, idle, when the connection ends,
// until its messages are read and its files closed. rmdir ends the connection at once.
//
// Threads: the loop's. Lifetime: kept by its owner while the connection lives, and by
// the tree and open files after that.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "comch/connection.h"
#include "connection_outbox.h"
#include "counters.h"
#include "ctl_file.h"
#include "directory.h"
#include "fast_path.h"
#include "inbox.h"
#include "services.h"

namespace comch::fuse {

class ConnectionDirectory final : public Directory, public CtlTarget {
 public:
  // The server or client whose connection it is.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual Outcome disconnect(ConnectionDirectory& connection, bool at_once) = 0;
    // Nothing keeps the directory any more.
    virtual void is_used_up(ConnectionDirectory& connection) = 0;
  };

  static std::shared_ptr<ConnectionDirectory> create(Services& services, Owner& owner,
                                                     Connection& connection, std::uint64_t number,
                                                     std::string name,
                                                     std::shared_ptr<ObjectRecord> record,
                                                     std::shared_ptr<ServerInbox> server_inbox,
                                                     const std::shared_ptr<EventStream>& events);
  // Only for create().
  ConnectionDirectory(Services& services, Owner& owner, Connection& connection,
                      std::uint64_t number, std::string name, std::shared_ptr<ObjectRecord> record,
                      std::shared_ptr<ServerInbox> server_inbox);

  const std::string& name() const { return name_; }
  Connection* connection() const { return connection_; }
  const std::shared_ptr<Inbox>& inbox() const { return inbox_; }

  FastPath& fast_path() { return *fast_path_; }

  Receipt on_message(std::span<const std::byte> bytes) { return inbox_->on_message(bytes); }
  void on_space() { outbox_->on_space(); }
  bool has_waiting_sends() const { return outbox_->waiting() > 0; }
  void cancel_sends() { outbox_->cancel(); }
  void check();  // After progress().

  // It stays: it is connected, or messages or open files of it are left.
  bool is_needed() const;

  // The engine's connection is over; `loss` is ECONNRESET or 0.
  void on_end(int loss);
  // The directory is taken out of the tree: its files answer ENODEV.
  void on_removed(int error = ENODEV);

  Counters counters() const;
  void reset_counters();
  nlohmann::ordered_json json() const;

  Outcome obey(const Order& order) override;
  std::string ctl_usage() const override;

 private:
  void add_fast_path(const std::shared_ptr<EventStream>& events);
  void add_attributes();
  void add_streams();
  const char* state_word() const;
  void tell_if_used_up();
  Outcome drain();
  Outcome store_user_data(std::string_view text);

  Services& services_;
  Owner* owner_;  // Null once removed.
  Connection* connection_;
  const std::uint64_t number_;
  const std::string name_;
  const PeerIdentity peer_;
  const std::shared_ptr<Inbox> inbox_;
  const std::shared_ptr<ConnectionOutbox> outbox_;
  std::unique_ptr<FastPath> fast_path_;
  ConnectionCounters last_counters_;  // Of a connection that is over.
  std::uint64_t user_data_ = 0;
};

}  // namespace comch::fuse
