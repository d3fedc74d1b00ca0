// ContextDirectory: what the directories of servers and clients have in common.
//
//   start and stop   by `enable`, `ctl`, or by themselves (autostart)
//   configuration    files that can be written while idle
//   connections      directories that appear and vanish (connection_set.h)
//
// The context of the library is made anew for every change of configuration, so that
// there is one place where a setting is checked, and that is the library.
//
// Threads: the loop's. Lifetime: kept by the tree; after retire() by the graveyard,
// until the context is idle. Errors: EBUSY for a setting of a context that is not idle.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "comch/context.h"
#include "connection_set.h"
#include "graveyard.h"

namespace comch::fuse {

class ContextDirectory : public Directory, public CtlTarget, public Ending {
 public:
  ContextDirectory(Services& services, std::shared_ptr<ObjectRecord> record,
                   std::shared_ptr<EventStream> events);

  // To be called once the object is owned by a shared_ptr: makes the context and the
  // files. On failure nothing is left behind.
  Status set_up();

  // Starts what can be started as soon as it is made.
  virtual Outcome autostart() = 0;

  // rmdir(2): an errno, or 0 and the object is on its way out; bury it then.
  int retire();
  // The daemon ends: whoever waits is told ESHUTDOWN, peers see an orderly end.
  void shut_down();
  bool try_to_end() override;
  // After progress(): what has no callback of its own.
  void check();

  int change(const AttributeChange& change) override;
  int remove_directory(std::string_view name) override { return connections_.remove(name); }
  std::shared_ptr<Node> appear(std::string_view name) override { return connections_.appear(name); }
  bool vanish(std::string_view name) override { return connections_.vanish(name); }

  Outcome obey(const Order& order) override;
  std::string ctl_usage() const override;

  virtual Counters counters() const;
  virtual nlohmann::ordered_json json() const;
  const ConnectionSet& connections() const { return connections_; }

 protected:
  // What differs between a server and a client.
  virtual Context* context() const = 0;
  virtual Status rebuild() = 0;          // A new context from the configuration, tied to the
                                         // engine; the old one stays when that fails.
  virtual Status destroy_context() = 0;  // in_use: it is not idle.
  virtual void add_own_files() = 0;
  // The name of a setting without which it cannot start, or nothing.
  virtual const char* missing_setting() const { return nullptr; }
  // Running, and everybody who looks sees all there is.
  virtual bool is_ready() const { return true; }
  virtual Outcome end_connection(Connection& connection, bool at_once) = 0;
  virtual void fail_own_reads(int) {}

  Outcome start();
  Outcome stop(bool at_once);
  bool is_idle() const { return context()->state() == ContextState::kIdle; }

  // A file of the configuration; `change` runs only while idle.
  using Change = std::function<Outcome(std::string_view)>;
  void add_setting(const char* file, std::function<std::string()> show, Change change,
                   bool may_be_held = false);
  // The usual one: a number in the configuration.
  void add_number_setting(const char* file, std::uint32_t& setting);
  // Assigns `value` to `setting` if the library accepts it.
  template <class T>
  Outcome configure(T& setting, T value) {
    std::swap(setting, value);
    const Status rebuilt = rebuild();
    if (!rebuilt) std::swap(setting, value);
    return Outcome::of(rebuilt);
  }

  Services& services() const { return services_; }
  EventStream* events() const { return events_.get(); }
  ConnectionSet& connection_set() { return connections_; }
  // The record of a connection that is called `name`.
  std::shared_ptr<ObjectRecord> make_connection_record(const std::string& name) const;
  void on_state(ContextState before, ContextState after);

 private:
  void add_control_files();
  void add_ownership_files();
  void add_ownership_file(const char* file, std::function<std::string()> show,
                          std::function<bool(std::string_view)> assign);
  void apply_ownership();
  Outcome wait_until_running(bool stop_when_given_up);
  Outcome wait_until_idle();
  Outcome store_enable(std::string_view text);
  Outcome drain() const;
  Outcome set(const Order& order);
  Outcome obey_disconnect(const Order& order);

  Services& services_;
  const std::shared_ptr<EventStream> events_;
  ConnectionSet connections_;
  std::map<std::string, Change, std::less<>> settings_;  // What `set` knows.

  // Of the connections' directories.
  struct Ownership {
    uid_t owner;
    gid_t group;
    mode_t mode;
  } ownership_;
};

}  // namespace comch::fuse
