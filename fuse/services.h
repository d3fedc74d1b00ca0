// Services: what every object of the tree needs of the daemon.
//
// One of each, made by the daemon before the tree and destroyed after it.
//
// Threads: the loop's.
#pragma once

#include <unistd.h>

#include <functional>
#include <memory>
#include <string_view>

#include "announcer.h"
#include "attribute.h"
#include "bell.h"
#include "ctl_file.h"
#include "directory.h"
#include "engine_host.h"
#include "events_file.h"
#include "graveyard.h"
#include "mount_options.h"
#include "node_table.h"
#include "operations.h"
#include "stream_node.h"
#include "user_quota.h"

namespace comch::fuse {

struct Services {
  Services(const MountOptions& mount_options, EngineHost& engine_host)
      : options(mount_options),
        engine(engine_host),
        objects(mount_options.user_objects, ::geteuid()),
        memory(mount_options.user_memory, ::geteuid()) {}

  const MountOptions& options;
  EngineHost& engine;
  UserQuota objects;
  UserQuota memory;  // Bytes of posted buffers, of what was handed over, and of what is being put.
  Operations operations;
  AttributeWatch watch;
  NodeTable nodes;
  Announcer announcer;
  Graveyard graveyard;
  std::shared_ptr<const Bell> bell = std::make_shared<const Bell>();      // Of chores and kernels.
  std::shared_ptr<EventStream> events = std::make_shared<EventStream>();  // The mount's.

  // Something happened: one line for the mount's events and, if given, an object's.
  void publish(EventStream* scope, std::string_view line);

  // A handler for ObjectRecord: failures are events and lines of the log.
  ObjectRecord::FailureHandler failure_handler(std::shared_ptr<EventStream> scope);

  // Lists an attribute file in `directory`.
  void add_attribute(Directory& directory, const char* name, AttributeSpec spec);
  void add_events(Directory& directory, std::shared_ptr<EventStream> stream);
  void add_ctl(Directory& directory, std::weak_ptr<CtlTarget> target);

  // The kernel remembers owners and modes of what is below `directory`: no longer.
  void refresh_below(const Directory& directory);
};

}  // namespace comch::fuse
