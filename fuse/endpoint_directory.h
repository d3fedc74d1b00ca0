// EndpointDirectory: what the directories of servers and clients have in common: their
// connections, which appear and vanish (connection_set.h), and whose those are.
//
// Threads, lifetime, errors: as ContextDirectory.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "connection_set.h"
#include "context_directory.h"

namespace comch::fuse {

class EndpointDirectory : public ContextDirectory {
 public:
  EndpointDirectory(Services& services, std::shared_ptr<ObjectRecord> record,
                    std::shared_ptr<EventStream> events);

  int change(const AttributeChange& change) override;
  int remove_directory(std::string_view name) override { return connections_.remove(name); }
  std::shared_ptr<Node> appear(std::string_view name) override { return connections_.appear(name); }
  bool vanish(std::string_view name) override { return connections_.vanish(name); }

  Counters counters() const override;
  nlohmann::ordered_json json() const override;
  const ConnectionSet& connections() const { return connections_; }

 protected:
  virtual Outcome end_connection(Connection& connection, bool at_once) = 0;

  void add_own_files() override;
  bool is_being_left() const override;
  void leave(int error) override;
  void check_own() override { connections_.check(); }
  void reset_counters() override { connections_.reset_counters(); }
  Outcome obey_own(const Order& order) override;
  std::string own_usage() const override;

  ConnectionSet& connection_set() { return connections_; }
  // The record of a connection that is called `name`.
  std::shared_ptr<ObjectRecord> make_connection_record(const std::string& name) const;

  // The callbacks that servers and clients of the library share.
  template <class Endpoint>
  Status set_connection_callbacks(Endpoint& endpoint, std::uint32_t send_tasks);

 private:
  void add_ownership_file(const char* file, const char* wanted, std::function<std::string()> show,
                          std::function<bool(std::string_view)> assign);
  void apply_ownership();
  Outcome drain();
  Outcome disconnect(const Order& order);

  ConnectionSet connections_;

  // Of the connections' directories.
  struct Ownership {
    uid_t owner;
    gid_t group;
    mode_t mode;
  } ownership_;
};

template <class Endpoint>
Status EndpointDirectory::set_connection_callbacks(Endpoint& endpoint, std::uint32_t send_tasks) {
  const auto give_back = [](SendTask& task) { std::ignore = task.free(); };
  if (Status set = endpoint.configure_send(send_tasks, give_back, give_back); !set) return set;
  auto set = endpoint.on_message([](Connection& connection, std::span<const std::byte> bytes) {
    ConnectionDirectory* directory = ConnectionSet::directory_of(connection);
    return directory == nullptr ? Receipt::kTaken : directory->on_message(bytes);
  });
  if (!set) return set;
  set = endpoint.on_space([](Connection& connection) {
    if (auto* directory = ConnectionSet::directory_of(connection)) directory->on_space();
  });
  if (!set) return set;
  watch(endpoint);
  return endpoint.on_consumer(
      [](Connection& connection, ConsumerId id) {
        if (auto* directory = ConnectionSet::directory_of(connection))
          directory->fast_path().on_appeared(id);
      },
      [](Connection& connection, ConsumerId id) {
        if (auto* directory = ConnectionSet::directory_of(connection))
          directory->fast_path().on_expired(id);
      });
}

}  // namespace comch::fuse
