// Background: the daemon leaves the terminal, and whoever started it learns how that went.
//
//   auto background = Background::enter(foreground);   // forks
//   ... mount, answer INIT; errors still go to the terminal ...
//   background.ready(ExitCode::kSuccess);              // now the parent exits with it
//
// The parent waits until the mount can be used (or has failed), so that a script that
// says `comchfs /comch && mkdir /comch/servers/echo` is right. With a supervisor that
// speaks sd_notify(3) the same moment is told by NOTIFY_SOCKET.
//
// Threads: one; enter() before any thread is made.
#pragma once

#include <string_view>

#include "arguments.h"

namespace comch::fuse {

class Background {
 public:
  // Returns in the process that goes on. In the parent it does not return.
  static Background enter(bool foreground);

  Background(Background&& other) noexcept;
  Background& operator=(Background&&) = delete;
  ~Background();  // The parent exits with kSystem if ready() was never called.

  // The parent may exit. With kSuccess this process leaves the terminal for good.
  void ready(ExitCode code);

 private:
  Background(bool foreground, int parent) : foreground_(foreground), parent_(parent) {}

  bool foreground_;
  int parent_;  // The pipe to the parent; -1 without one.
};

// Tells a supervisor, if there is one: "READY=1", "STOPPING=1".
void notify_supervisor(std::string_view state);

}  // namespace comch::fuse
