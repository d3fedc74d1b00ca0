// Many connections: a ControlServer, and a vector of ControlClients.
#include "bench/many_connections.h"

#include <sys/resource.h>

#include <memory>
#include <vector>

#include "bench/control_client.h"
#include "bench/control_server.h"
#include "bench/processes.h"
#include "support/process_counters.h"

namespace comch::bench {
namespace {

using Crowd = std::vector<std::unique_ptr<ControlClient>>;

Crowd gather(const ControlPlan& plan, const std::string& server, std::size_t count) {
  Crowd crowd;
  while (crowd.size() < count) crowd.push_back(std::make_unique<ControlClient>(plan, server));
  return crowd;
}

ControlPlan with_room_for(ControlPlan plan, std::size_t clients) {
  plan.max_clients = static_cast<std::uint32_t>(clients);
  return plan;
}

}  // namespace

double crowded_round_trip_ns(const Pair& pair, const ControlPlan& plan, std::size_t idle) {
  const ControlPlan roomy = with_room_for(plan, idle + 1);
  const std::string name = fresh_server_name();
  const Gate served;
  const Gate gathered;
  const Gate measured;
  auto crowd = test::ChildProcess::run([&] {
    if (!served.wait()) return 1;
    const Crowd clients = gather(roomy, name, idle);
    gathered.open();
    return measured.wait() ? 0 : 1;
  });
  return ask(
      pair,
      [&](const Gate& ready) {
        ControlServer server(roomy, name);
        served.open();
        ready.open();
        server.serve(idle + 1);
      },
      [&] {
        if (!gathered.wait()) throw std::runtime_error("the crowd did not gather");
        ControlClient client(roomy, name);
        const double ns = median_ns(plan.duration, [&] { client.round_trip(); });
        measured.open();
        return ns;
      });
}

Facts memory_of_connections(std::size_t idle) {
  const ControlPlan plan = with_room_for({}, idle);
  const std::string name = fresh_server_name();
  const SharedMemory<double> server_bytes;
  const Gate counted;
  const double client_bytes = ask(
      any_pair(),
      [&](const Gate& ready) {
        ControlServer server(plan, name);
        const std::size_t before = test::resident_bytes();
        ready.open();
        while (server.connections() < idle) server.turn();
        *server_bytes = static_cast<double>(test::resident_bytes() - before);
        counted.open();
        server.serve(idle);
      },
      [&] {
        const std::size_t before = test::resident_bytes();
        const Crowd crowd = gather(plan, name, idle);
        if (!counted.wait()) throw std::runtime_error("the server did not count");
        return static_cast<double>(test::resident_bytes() - before);
      });
  const auto each = static_cast<double>(idle) * 1024;
  return {
      {.name = "memory per idle connection, server", .value = *server_bytes / each, .unit = "KiB"},
      {.name = "memory per idle connection, client and engine",
       .value = client_bytes / each,
       .unit = "KiB"}};
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace comch::bench
