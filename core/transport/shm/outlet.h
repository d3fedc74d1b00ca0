// Outlet: the writing end of a lane: its slots, the bell of the consumer that reads them, and the
// counts of what has gone through.
//
//   outlet.writer.put_direct(index, size, immediate);
//   outlet.publish();
//
// Threads: the producer's. Lifetime: the lane's, which keeps the consumer. Errors: none.
#pragma once

#include "shm/bell.h"
#include "shm/lane_writer.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/lane_counters.h"
#include "transport/shm/remote_consumer.h"

namespace comch::transport::shm {

struct Outlet {
  RemoteConsumer& consumer;
  comch::shm::LaneWriter<> writer;
  comch::shm::BellRinger<comch::shm::FastMachine> ringer;
  LaneCounters counters;
  LastShown last_shown{};

  // Exposes what was put.
  void publish() {
    if (writer.publish()) wake();
  }
  // Behind what was exposed by other means.
  void wake() {
    if (ringer.should_ring()) [[unlikely]]
      ring();
  }

 private:
  [[gnu::noinline]] void ring() {
    shm::ring(ringer, consumer.line());
    ++counters.wakes_sent;
  }
};

}  // namespace comch::transport::shm
