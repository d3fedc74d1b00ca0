// Mixed: a process for the loop, and one for each client.
//
// Where there is no third processor the two clients share one, and whoever is timed waits for the
// other's turns, whatever the loop does. So a client that is alone has somebody beside it, too, and
// the ratio says what the loop adds.
#include "bench/ring/mixed.h"

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <type_traits>

#include "base/pause.h"
#include "bench/fast/array_lane.h"
#include "bench/processes.h"
#include "bench/ring/mixed_echo.h"
#include "bench/ring/tcp_pair.h"

namespace comch::bench {
namespace {

constexpr Workload kMixedMessages{Shape::kRoundTrip, 64};
using MixedLane = ArrayLane<256>;

// What all processes have from before the forks.
struct Scene {
  const MixedLane there{kMixedMessages};
  const MixedLane back{kMixedMessages};
  const TcpPair tcp;
  const SharedMemory<std::atomic<bool>> over;  // The one that is timed is done.
};

class TcpClient {
 public:
  explicit TcpClient(const Scene& scene) : socket_(scene.tcp.client()) {}
  void exchange() {
    const bool done = ::send(socket_, bytes_.data(), bytes_.size(), MSG_NOSIGNAL) == 64 &&
                      ::recv(socket_, bytes_.data(), bytes_.size(), MSG_WAITALL) == 64;
    if (!done) throw std::runtime_error("the TCP connection broke");
  }
  void leave() { ::shutdown(socket_, SHUT_WR); }

 private:
  const int socket_;
  std::array<char, 64> bytes_{};
};

class ChannelClient {
 public:
  explicit ChannelClient(const Scene& scene) : sender_(scene.there), receiver_(scene.back) {}
  void exchange() {
    sender_.send();
    receiver_.receive();
  }
  void leave() {
    sender_.send_last();
    receiver_.receive();
  }

 private:
  MixedLane::Sender sender_;
  MixedLane::Receiver receiver_;
};

// Who is as busy as a client, and no client.
class Nobody {
 public:
  explicit Nobody(const Scene& /*scene*/) {}
  void exchange() { pause(64); }
  void leave() {}
};

int processor_beside(const Pair& pair) {
  for (const int processor : usable_processors()) {
    if (processor != pair.asker && processor != pair.answerer) return processor;
  }
  return pair.asker;
}

template <class Other>
void keep_busy(const Scene& scene, const Pair& pair) {
  run_on(processor_beside(pair));
  Other other(scene);
  // A flag alone: no edge.
  while (!scene.over->load(std::memory_order_relaxed)) other.exchange();
  other.leave();
}

void echo(const Scene& scene, bool messages, bool bytes) {
  std::optional<ChannelPlans> plans;
  if (messages) plans.emplace(scene.there.plan(), scene.back.plan());
  MixedEcho(plans ? &*plans : nullptr, bytes ? scene.tcp.server() : -1).serve();
}

template <class Timed>
double time(const Scene& scene, Duration duration) {
  Timed client(scene);
  const double ns = median_ns(duration, [&] { client.exchange(); }, 1);
  scene.over->store(true, std::memory_order_relaxed);
  client.leave();
  return ns;
}

template <class Client, class... Clients>
constexpr bool is_among = (std::is_same_v<Client, Clients> || ...);

// Of `Timed`, while `Other` is busy, too.
template <class Timed, class Other>
double round_trip_beside(const Pair& pair, Duration duration) {
  const Scene scene;
  const auto other = test::ChildProcess::run([&] {
    keep_busy<Other>(scene, pair);
    return 0;
  });
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        echo(scene, is_among<ChannelClient, Timed, Other>, is_among<TcpClient, Timed, Other>);
      },
      [&] { return time<Timed>(scene, duration); });
}

}  // namespace

double tcp_round_trip_ns(const Pair& pair, Duration duration, bool beside) {
  return beside ? round_trip_beside<TcpClient, ChannelClient>(pair, duration)
                : round_trip_beside<TcpClient, Nobody>(pair, duration);
}

double channel_round_trip_ns(const Pair& pair, Duration duration, bool beside) {
  return beside ? round_trip_beside<ChannelClient, TcpClient>(pair, duration)
                : round_trip_beside<ChannelClient, Nobody>(pair, duration);
}

}  // namespace comch::bench
