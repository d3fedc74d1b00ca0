// ContextDirectory: what the directories of contexts have in common: of servers, clients,
// consumers and producers, and of MsgQs, which live as contexts do.
//
//   start and stop   by `enable`, `ctl`, or by themselves (autostart)
//   configuration    files that can be written while idle
//
// The context of the library is made anew for every start, from settings that it has been
// asked about before.
//
// Threads: the loop's. Lifetime: kept by the tree; after retire() by the graveyard,
// until the context is idle. Errors: EBUSY for a setting of a context that is not idle.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "comch/context.h"
#include "counters.h"
#include "ctl_file.h"
#include "directory.h"
#include "graveyard.h"
#include "services.h"
#include "value.h"

namespace comch::fuse {

inline constexpr const char* kOnlyWhileIdle =
    "it can be changed only while idle; write 0 to `enable` first";

class ContextDirectory : public Directory, public CtlTarget, public Ending {
 public:
  // `events` is where its events go.
  ContextDirectory(Services& services, std::shared_ptr<ObjectRecord> record,
                   std::shared_ptr<EventStream> events);

  // To be called once the object is owned by a shared_ptr: asks about the configuration and
  // makes the files. On failure nothing is left behind.
  Status set_up();

  // Starts what can be started as soon as it is made.
  virtual Outcome autostart() { return Outcome::done(); }

  // rmdir(2): an errno, or 0 and the object is on its way out; bury it then.
  int retire();
  // The same where nobody can refuse any more: whoever waits is told `error`, peers see an
  // orderly end.
  void dismiss(int error);
  bool try_to_end() override;
  // After progress(): what has no callback of its own.
  void check();

  Outcome obey(const Order& order) override;
  std::string ctl_usage() const override;
  bool is_gone() const override { return record().removed; }

  bool is_idle() const { return state() == ContextState::kIdle; }

  virtual Counters counters() const = 0;
  virtual nlohmann::ordered_json json() const;

 protected:
  // What differs between them. The context may be null when it is idle.
  virtual Context* context() const = 0;
  // The context's life, for what has such a life and is no context of the library (msgq/NAME).
  virtual ContextState state() const;
  virtual Result<ContextState> begin_life() { return context()->start(); }
  virtual Result<ContextState> end_life(bool at_once) {
    return at_once ? context()->abort() : context()->stop();
  }
  virtual const Failure& failure() const { return context()->failure(); }
  virtual Status rebuild() = 0;  // A new context from the configuration, tied to the engine;
                                 // the old one stays when that fails.
  virtual Status accept_configuration() { return rebuild(); }
  virtual Status destroy_context() = 0;  // in_use: it is not idle.
  virtual void add_own_files() = 0;
  // The name of a setting without which it cannot start, or nothing.
  virtual const char* missing_setting() const { return nullptr; }
  // Running, and everybody who looks sees all there is.
  virtual bool is_ready() const { return true; }
  // It is to stop: nothing new is begun, and who waits for that is told `error`.
  virtual void close_entrance(int) {}
  // What was promised has been done, and it may stop.
  virtual bool is_drained() const { return true; }
  // What makes the library's stop() answer in_use ends by itself.
  virtual bool is_being_left() const { return false; }
  // It is gone: everybody who waits in its files is told.
  virtual void leave(int error) = 0;
  virtual void on_changed(ContextState before, ContextState after);
  virtual void check_own() {}
  virtual void reset_counters() = 0;
  virtual Outcome obey_own(const Order& order);
  virtual std::string own_usage() const { return {}; }

  Outcome start();
  Outcome stop(bool at_once);
  // Answers when `reached` is true; ENODEV if the object goes before.
  Outcome when(std::function<bool()> reached);
  // The verbs of what has an outbox: drain and cancel.
  template <class Outbox>
  Outcome obey_sender(const Order& order, Outbox& outbox) {
    const bool is_plain = order.arguments.empty();
    if (order.verb == "drain" && is_plain) return when([this] { return is_drained(); });
    if (order.verb != "cancel" || !is_plain) return ContextDirectory::obey_own(order);
    outbox.cancel();
    return Outcome::done();
  }
  bool is_stopping() const { return stop_wanted_ || state() == ContextState::kStopping; }

  // A file of the configuration; `change` runs only while idle.
  using Change = std::function<Outcome(std::string_view)>;
  void add_setting(const char* file, std::function<std::string()> show, Change change,
                   bool may_be_held = false);
  template <class T>
  void add_number_setting(const char* file, T& setting) {
    add_setting(
        file, [&setting] { return std::to_string(setting); },
        [this, &setting](std::string_view text) {
          const auto number = parse_number(text, std::numeric_limits<T>::max());
          if (number) return configure(setting, static_cast<T>(*number));
          if (is_decimal(text)) return refuse_above(setting);
          return Outcome::failed(EINVAL, "write a decimal number");
        });
  }
  // One that can be written at any time, and by `set`. Its name stands before its failures.
  void add_changeable(const char* file, std::function<std::string()> show, Change change,
                      bool may_be_held = false);

  // Takes `value` as `setting` if the library accepts it.
  template <class T>
  Outcome configure(T& setting, T value) {
    std::swap(setting, value);
    const Status accepted = accept_configuration();
    if (!accepted) std::swap(setting, value);
    return Outcome::of(accepted);
  }

  // Of a number that `setting` cannot hold: says the limit as whoever sets it does.
  template <class T>
  Outcome refuse_above(T& setting) {
    constexpr T kMost = std::numeric_limits<T>::max();
    const T before = setting;
    Outcome refused = configure(setting, kMost);
    if (refused.error != 0) return refused;
    std::ignore = configure(setting, before);  // There is no lower limit.
    return Outcome::failed(EINVAL, "write a number up to " + std::to_string(kMost));
  }

  Services& services() const { return services_; }
  const std::shared_ptr<EventStream>& events() const { return events_; }
  // For the state handler of every context that rebuild() makes.
  void watch(Context& context);

 private:
  void add_control_files();
  std::string state_word() const;
  Outcome wait_until_running(bool stop_when_given_up);
  Outcome wait_until_idle();
  Status begin_stop(int error);
  Status try_to_stop();
  Outcome store_enable(std::string_view text);
  Outcome set(const Order& order);

  Services& services_;
  const std::shared_ptr<EventStream> events_;
  std::map<std::string, Change, std::less<>> settings_;  // What `set` knows.
  bool stop_wanted_ = false;  // stop() is to be called as soon as it can be.
};

}  // namespace comch::fuse
