// The control path: a client, its peer, and a clock.
#include "tool/bench/control.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "comch/comch.h"
#include "tool/bench/peer.h"
#include "tool/fabric.h"

namespace comch::tool {
namespace {

using Clock = std::chrono::steady_clock;

// Round trips before the clock counts, at most: the first ones meet cold caches and
// sleeping CPUs.
constexpr int kWarmUpTrips = 1000;

// Messages between two looks at the clock, which costs as much as a message.
constexpr std::uint64_t kBatch = 64;

// The patience for one answer; a peer that lives answers within microseconds.
constexpr std::chrono::seconds kAnswerTakes{10};

// A client without an input or output of its own, that sends and awaits answers.
class Prober {
 public:
  explicit Prober(Waiting waiting) : waiting_(waiting) {}
  Prober(Prober&&) = delete;  // The handlers know where it lives.

  Outcome<> connect(const CommonOptions& common, const std::string& server);
  Outcome<> send(std::span<const std::byte> message);
  Outcome<> await_answer();
  Outcome<> close();

 private:
  Waiting waiting_;
  std::unique_ptr<ProgressEngine> engine_;
  std::optional<Turn<ProgressEngine>> turn_;
  std::unique_ptr<Client> client_;
  Connection* connection_ = nullptr;
  std::uint64_t answers_ = 0;
  std::uint64_t awaited_ = 0;
};

Outcome<> Prober::connect(const CommonOptions& common, const std::string& server) {
  auto device = open_client_device(common);
  if (!device) return std::unexpected(device.error());
  auto engine = ProgressEngine::create();
  if (!engine) return complain("cannot make a progress engine", engine.error());
  engine_ = std::move(*engine);
  turn_.emplace(*engine_, waiting_);
  auto client = Client::create(*device, own_server(**device, server));
  if (!client) return complain("cannot make a client", client.error());
  client_ = std::move(*client);

  auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  Status status = client_->set_max_message_size(common.max_message_size);
  if (status) status = client_->configure_send(1, free_task, free_task);
  if (status) {
    status = client_->on_message([this](Connection&, std::span<const std::byte>) {
      ++answers_;
      return Receipt::kTaken;
    });
  }
  if (status) status = client_->on_space([](Connection&) {});
  if (status) status = engine_->connect(*client_);
  if (!status) return complain("cannot configure the client", status.error());
  if (auto state = client_->start(); !state) return complain("cannot connect", state.error());
  while (client_->state() == ContextState::kStarting) (*turn_)();
  auto connection = client_->connection();
  if (!connection) return complain("cannot connect", client_->failure());
  connection_ = *connection;
  return {};
}

Outcome<> Prober::send(std::span<const std::byte> message) {
  for (;;) {
    const Status sent = connection_->try_send(message);
    if (sent) return {};
    if (sent.error().code != Errc::again) return complain("cannot send", sent.error());
    connection_->request_space();
    (*turn_)();
    if (client_->state() != ContextState::kRunning) {
      return complain("lost the other end", client_->failure());
    }
  }
}

Outcome<> Prober::await_answer() {
  ++awaited_;
  std::optional<Clock::time_point> deadline;
  for (std::uint64_t turns = 1; answers_ < awaited_; ++turns) {
    (*turn_)();
    if (client_->state() != ContextState::kRunning) {
      return complain("lost the other end", client_->failure());
    }
    if (turns % kBatch != 0) continue;
    if (!deadline) deadline = Clock::now() + kAnswerTakes;
    if (Clock::now() > *deadline) return complain("the other end does not answer");
  }
  return {};
}

Outcome<> Prober::close() {
  if (auto state = client_->stop(); !state) return complain("cannot disconnect", state.error());
  const auto deadline = Clock::now() + kAnswerTakes;
  while (client_->state() != ContextState::kIdle) {
    engine_->wait(std::chrono::milliseconds(10));
    if (Clock::now() > deadline) return complain("the other end does not let go");
  }
  return {};
}

// Connects to the server `name`, runs `body`, and disconnects.
template <class Body>
Outcome<> with_prober(const ControlPlan& plan, const std::string& name, const Body& body) {
  if (auto placed = run_on(plan.cpus.own); !placed) return placed;
  Prober prober(plan.waiting);
  if (auto connected = prober.connect(plan.common, name); !connected) return connected;
  if (auto measured = body(prober); !measured) return measured;
  return prober.close();
}

// The same with a peer of its own. The body has a thread, so that the process is as free to
// choose its processors afterwards as before.
template <class Body>
Outcome<> with_peer(const ControlPlan& plan, Reply reply, const Body& body) {
  const ResponderOptions options{
      .common = plan.common, .reply = reply, .waiting = plan.waiting, .cpu = plan.cpus.peer};
  auto peer = Peer::start(options);
  if (!peer) return std::unexpected(peer.error());
  Outcome<> outcome;
  std::thread([&] { outcome = with_prober(plan, peer->name(), body); }).join();
  if (!outcome) return outcome;
  return peer->finish();
}

Outcome<RoundTrips> measure_round_trips(const ControlPlan& plan) {
  RoundTrips result;
  const std::vector<std::byte> message(plan.size);
  auto outcome = with_peer(plan, Reply::kEcho, [&](Prober& prober) -> Outcome<> {
    const auto round_trip = [&]() -> Outcome<> {
      if (auto sent = prober.send(message); !sent) return sent;
      return prober.await_answer();
    };
    auto before = Clock::now();
    const std::chrono::duration<double> time(plan.seconds);
    for (int i = 0; i < kWarmUpTrips && Clock::now() < before + time; ++i) {
      if (auto done = round_trip(); !done) return done;
    }
    before = Clock::now();
    const auto end = before + time;
    while (before < end) {
      if (auto done = round_trip(); !done) return done;
      const auto after = Clock::now();
      result.ns.record(static_cast<std::uint64_t>((after - before).count()));
      before = after;
    }
    return {};
  });
  if (!outcome) return std::unexpected(outcome.error());
  return result;
}

Outcome<OneWay> measure_one_way(const ControlPlan& plan) {
  OneWay result;
  const std::vector<std::byte> message(plan.size);
  auto outcome = with_peer(plan, Reply::kFencesOnly, [&](Prober& prober) -> Outcome<> {
    const auto fence = [&]() -> Outcome<> {
      if (auto sent = prober.send({}); !sent) return sent;
      return prober.await_answer();
    };
    if (auto done = fence(); !done) return done;
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration<double>(plan.seconds);
    while (Clock::now() < end) {
      for (std::uint64_t i = 0; i < kBatch; ++i) {
        if (auto sent = prober.send(message); !sent) return sent;
      }
      result.messages += kBatch;
    }
    if (auto done = fence(); !done) return done;
    result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return {};
  });
  if (!outcome) return std::unexpected(outcome.error());
  return result;
}

}  // namespace

Outcome<Figures> measure_control(const ControlPlan& plan) {
  auto round_trips = measure_round_trips(plan);
  if (!round_trips) return std::unexpected(round_trips.error());
  auto one_way = measure_one_way(plan);
  if (!one_way) return std::unexpected(one_way.error());
  return Figures{.size = plan.size,
                 .way = "control",
                 .used = {},
                 .round_trips = *round_trips,
                 .one_way = *one_way};
}

}  // namespace comch::tool
