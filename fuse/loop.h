// Loop: one thread that waits for the kernel's requests, the engine, signals and the
// announcer, and serves them one after the other.
//
//   poll --> request of the kernel --> engine, if something touched it --> poll ...
//
// Threads: runs on the thread that made the engine. Order: what a request asked of the
// engine is done before the next request is read.
#pragma once

#include <poll.h>

#include <array>
#include <cstdint>
#include <optional>

#include "services.h"
#include "session.h"
#include "tree.h"

namespace comch::fuse {

class Loop {
 public:
  // `signals` is a signalfd; any signal of it ends the loop.
  Loop(Session& session, Tree& tree, Services& services, int fuse_fd, int signals)
      : session_(session), tree_(tree), services_(services), fuse_fd_(fuse_fd), signals_(signals) {}

  // Until the kernel's INIT was answered, or for ten seconds. False: it was not.
  bool initialise();

  // Until a signal comes (kSignalled) or somebody unmounts (kUnmounted).
  enum class End { kSignalled, kUnmounted };
  End run();

  // Ends the announcer's thread and every object in an orderly way, and does not take longer than
  // a second for either.
  void wind_up();

 private:
  enum Wait : std::uint8_t { kFuse, kEngine, kSignals, kAnnouncer, kBell, kWaits };
  using Waits = std::array<pollfd, kWaits>;

  Waits waits() const;
  void work();
  std::optional<End> turn(Waits& waits);
  void let_announcer_end();
  void serve_waiting();

  Session& session_;
  Tree& tree_;
  Services& services_;
  const int fuse_fd_;
  const int signals_;
};

}  // namespace comch::fuse
