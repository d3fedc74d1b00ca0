// MsgqEndDirectory: what a consumer and a producer at the CPU's end of a MsgQ have in common as
// files: a context of one run of their queue, which is made anew for the next run.
//
// With autostart it starts when the first of its streams is opened while the MsgQ runs, once in a
// run; else, or before that, by `enable`.
//
// Threads, lifetime: as ContextDirectory; the context, the derived class's, needs its run to its
// end and is gone before it. Errors: rebuild() tells that the MsgQ does not run, or has not this
// direction.
#pragma once

#include <memory>

#include "context_directory.h"
#include "msgq_link.h"

namespace comch::fuse {

class MsgqEndDirectory : public ContextDirectory {
 public:
  MsgqEndDirectory(Services& services, std::shared_ptr<MsgqLink> link,
                   std::shared_ptr<ObjectRecord> record, std::shared_ptr<EventStream> events)
      : ContextDirectory(services, std::move(record), std::move(events)), link_(std::move(link)) {}

 protected:
  // For whom a stream of it is opened: an errno, or 0.
  int start_by_opening();

  // The link that all ends of a MsgQ share, and the run that the context belongs to.
  const MsgqLink& link() const { return *link_; }
  AcceleratorEnd& end() const { return *end_; }
  const std::shared_ptr<AcceleratorEnd>& shared_end() const { return end_; }

  // What the context counts, also when it is no more, without what was there at a reset.
  Counters counted() const;
  void reset_counted() { at_reset_ = engine_or_last(); }

 private:
  // Whether `run` has what this end needs, of its direction.
  virtual Status check_direction(AcceleratorEnd& run) const = 0;
  virtual Status make_context() = 0;  // At end().
  virtual Status drop_context() = 0;  // That there is.
  virtual void on_entered(ContextState state) = 0;
  virtual Counters engine_counters() const = 0;  // Zeros while there is no context.

  Status rebuild() final;
  Status accept_configuration() final { return {}; }
  Status destroy_context() final;
  void check_own() final;
  void on_changed(ContextState before, ContextState after) final;
  Counters engine_or_last() const;

  const std::shared_ptr<MsgqLink> link_;
  std::shared_ptr<AcceleratorEnd> end_;
  std::weak_ptr<AcceleratorEnd> started_in_;  // Once in a run it starts by itself.
  Counters last_counters_;                    // Of a context that is no more.
  Counters at_reset_;
};

}  // namespace comch::fuse
