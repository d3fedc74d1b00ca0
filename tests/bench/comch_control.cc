// comch control: a ControlServer and a ControlClient, each on its processor.
#include "bench/comch_control.h"

#include <functional>

#include "bench/control_client.h"
#include "bench/control_server.h"
#include "bench/processes.h"

namespace comch::bench {
namespace {

double with_client(const Pair& pair, const ControlPlan& plan,
                   const std::function<double(ControlClient&)>& use) {
  const std::string name = fresh_server_name();
  return ask(
      pair,
      [&](const Gate& ready) {
        ControlServer server(plan, name);
        ready.open();
        server.serve();
      },
      [&] {
        ControlClient client(plan, name);
        return use(client);
      });
}

}  // namespace

double control_round_trip_ns(const Pair& pair, const ControlPlan& plan) {
  const int batch = plan.waiting == Waiting::kBusy ? kBatch : 1;
  return with_client(pair, plan, [&](ControlClient& client) {
    return median_ns(plan.duration, [&] { client.round_trip(); }, batch);
  });
}

double control_wake_ns(const Pair& pair, Duration idle, const ControlPlan& plan) {
  return with_client(pair, plan, [&](ControlClient& client) {
    return median_ns_after(idle, plan.duration, [&] { client.round_trip(); });
  });
}

double control_rate(const Pair& pair, ControlPlan plan) {
  plan.echo = false;
  return with_client(pair, plan, [&](ControlClient& client) { return client.rate(plan.duration); });
}

}  // namespace comch::bench
