// Lanes: how a subject is measured that carries messages one way between two processes.
//
//   class Pipe {                             // A lane
//    public:
//     explicit Pipe(const Workload&);        // Before the fork: what both processes inherit.
//     class Sender {                         // Its ends, each made in its own process;
//       explicit Sender(const Pipe&);        // both constructors run at once, and may wait
//       void send();                         // for each other.
//       void send_last();
//     };
//     class Receiver { explicit Receiver(const Pipe&); bool receive(); };
//   };
//   const double figure = measure<Pipe>(pair, workload, duration);
//
// roles.h says what the ends promise. A round trip takes a lane there and a lane back. Ends are
// made on all processors, so that threads a library starts do not sit on the two that count.
//
// Threads: forks, so call it while the process has no others. Errors: std::runtime_error.
#pragma once

#include <vector>

#include "bench/peers/roles.h"
#include "bench/peers/workload.h"
#include "bench/placement.h"
#include "bench/processes.h"

namespace comch::bench {

void run_on_all(const std::vector<int>& processors);

// Gives its process the run of `everywhere`, and sends it home to its one processor at the end.
class Roam {
 public:
  explicit Roam(const std::vector<int>& everywhere);
  ~Roam();
  Roam(const Roam&) = delete;
  Roam& operator=(const Roam&) = delete;
};
// Where the process runs when it does not roam; for an end that is being made.
int home_processor();

template <class End, class Lane>
End open_end(const Lane& lane, const std::vector<int>& everywhere) {
  const Roam roam(everywhere);
  return End(lane);
}

template <class Lane>
double lane_round_trip_ns(const Pair& pair, const Workload& workload, Duration duration) {
  using Sender = typename Lane::Sender;
  using Receiver = typename Lane::Receiver;
  const auto everywhere = usable_processors();
  const Lane there(workload);
  const Lane back(workload);
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        Receiver receiver = open_end<Receiver>(there, everywhere);
        Sender sender = open_end<Sender>(back, everywhere);
        echo(receiver, sender);
      },
      [&] {
        Sender sender = open_end<Sender>(there, everywhere);
        Receiver receiver = open_end<Receiver>(back, everywhere);
        return round_trip_ns(sender, receiver, duration);
      });
}

template <class Lane>
double lane_rate(const Pair& pair, const Workload& workload, Duration duration) {
  const auto everywhere = usable_processors();
  const Lane lane(workload);
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        auto sender = open_end<typename Lane::Sender>(lane, everywhere);
        send_for(sender, duration, burst_of(workload));
      },
      [&] {
        auto receiver = open_end<typename Lane::Receiver>(lane, everywhere);
        return receive_rate(receiver, burst_of(workload));
      });
}

// Nanoseconds, or messages a second.
template <class Lane>
double measure(const Pair& pair, const Workload& workload, Duration duration) {
  return workload.shape == Shape::kRoundTrip ? lane_round_trip_ns<Lane>(pair, workload, duration)
                                             : lane_rate<Lane>(pair, workload, duration);
}

}  // namespace comch::bench
