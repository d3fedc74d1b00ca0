// Alarms: the moments an engine waits for: handshakes that take too long, connections
// that do not come about, a peer that never makes room while we want to leave.
//
// There are few of them and none is on a message's path, so a plain list is enough.
//
// Threads: the engine's. Lifetime: an alarm is cleared before it is destroyed.
#pragma once

#include <cstdint>
#include <vector>

#include "transport/reactor.h"

namespace comch::engine {

class Alarms {
 public:
  void set(transport::Alarm& alarm, std::uint64_t due_ns);
  void clear(transport::Alarm& alarm);

  // Rings every alarm that is due; true when there was one.
  bool ring(std::uint64_t now_ns);
  // When the next one is due; Alarm::kNotSet when there is none.
  std::uint64_t next_ns() const { return next_ns_; }

 private:
  void find_next();

  std::vector<transport::Alarm*> alarms_;
  std::uint64_t next_ns_ = transport::Alarm::kNotSet;
};

}  // namespace comch::engine
