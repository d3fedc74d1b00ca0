// Audience: the consumers of the other sides that a memory map of this process was shown to. They
// forget it when it stops.
//
//   Audience::of(life).add(consumer);
//   map.stop()                        // ~MapLife(), ~Audience(): each is told to forget() it
//
// Threads: any; one mutex. Lifetime: the MapLife's; it keeps no consumer. Errors: none.
// Tests: audience_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/map_life.h"

namespace comch::transport::shm {

class RemoteConsumer;

class Audience {
 public:
  static std::shared_ptr<Audience> of(MapLife& life);

  explicit Audience(std::uint64_t memory) : memory_(memory) {}
  ~Audience();
  Audience(const Audience&) = delete;
  Audience& operator=(const Audience&) = delete;

  void add(std::weak_ptr<RemoteConsumer> consumer);

 private:
  const std::uint64_t memory_;  // Its MapLife's id.
  std::mutex mutex_;
  std::vector<std::weak_ptr<RemoteConsumer>> consumers_;  // Behind mutex_.
};

}  // namespace comch::transport::shm
