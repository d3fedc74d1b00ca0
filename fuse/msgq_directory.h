// MsgqDirectory: msgq/NAME: a MsgQ of the library, or one in each direction, with a kernel at the
// accelerator's end and consumers and producers, made by mkdir, at the CPU's.
//
//   mkdir msgq/q && echo echo > msgq/q/kernel       with autostart it runs now
//   mkdir msgq/q/producers/p msgq/q/consumers/c
//   echo hello > msgq/q/producers/p/send
//   cat msgq/q/consumers/c/get
//
// Everything is made anew for every start, and ends on a thread of its own, because a kernel may
// take its time to return.
//
// Threads, lifetime: as ContextDirectory. Errors: EBUSY for stop and rmdir while consumers or
// producers run; EPERM for a shared object that somebody other than root names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "chore.h"
#include "collection_directory.h"
#include "context_directory.h"
#include "kernel.h"
#include "msgq_link.h"

namespace comch::fuse {

class MsgqDirectory final : public ContextDirectory {
 public:
  static Result<std::shared_ptr<MsgqDirectory>> create(Services& services,
                                                       std::shared_ptr<ObjectRecord> record,
                                                       std::shared_ptr<EventStream> events);
  // Only for create().
  MsgqDirectory(Services& services, std::shared_ptr<Device> device,
                std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events);
  ~MsgqDirectory() override;

  Counters counters() const override;
  nlohmann::ordered_json json() const override;

 private:
  // A shared object on its way; see store_kernel().
  struct Loading;

  Context* context() const override { return nullptr; }
  ContextState state() const override { return state_; }
  Result<ContextState> begin_life() override;
  Result<ContextState> end_life(bool at_once) override;
  const Failure& failure() const override { return failure_; }
  Status rebuild() override { return {}; }
  Status accept_configuration() override;
  Status destroy_context() override { return {}; }
  const char* missing_setting() const override { return kernel_ ? nullptr : "kernel"; }
  void add_own_files() override;
  void leave(int error) override;
  void check_own() override;
  void reset_counters() override;

  void add_settings();
  void add_collections();
  Outcome store_direction(std::string_view text);
  Outcome store_device(std::string_view text);
  Outcome store_kernel(std::string_view text, const Caller& caller);
  Outcome take_kernel(Kernel kernel);
  Outcome begin_loading(std::string path);
  void finish_loading();

  void set_state(ContextState state);
  bool are_ends_idle() const;
  void stop_ends();
  void notice_failure();
  // As far as it goes now: everything that stands between kStopping and kIdle.
  void wind_up();
  Counters engine_counters() const;

  const std::shared_ptr<MsgqLink> link_;
  std::shared_ptr<CollectionDirectory> consumers_;
  std::shared_ptr<CollectionDirectory> producers_;
  std::optional<Kernel> kernel_;
  std::shared_ptr<Loading> loading_;  // Null: nothing is being loaded.
  std::shared_ptr<AcceleratorEnd> end_;
  std::shared_ptr<Chore> ending_;  // Of end_, once the CPU's ends have left it.
  bool ends_at_once_ = false;
  ContextState state_ = ContextState::kIdle;
  Failure failure_;
  AcceleratorEnd::Counts last_counts_;  // Of the run before this, or this.
  Counters at_reset_;
};

}  // namespace comch::fuse
