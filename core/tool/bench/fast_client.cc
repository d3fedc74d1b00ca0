// FastClient: connecting, and what is said to the server around the measurements, which are in
// fast_measure.cc.
#include "tool/bench/fast_client.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "tool/fabric.h"

namespace comch::tool {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Outcome<> FastClient::connect(const std::string& server) {
  auto device = open_client_device(plan_.common);
  if (!device) return std::unexpected(device.error());
  auto engine = ProgressEngine::create();
  if (!engine) return complain("cannot make a progress engine", engine.error());
  engine_ = std::move(*engine);
  auto client = Client::create(*device, server);
  if (!client) return complain("cannot make a client", client.error());
  client_ = std::move(*client);
  if (auto configured = configure(*client_); !configured) return configured;
  if (auto state = client_->start(); !state) return complain("cannot connect", state.error());
  while (client_->state() == ContextState::kStarting) engine_->wait(milliseconds(10));
  auto connection = client_->connection();
  if (!connection) return complain("cannot connect", client_->failure());
  connection_ = *connection;
  if (auto made = make_lanes(*device); !made) return made;
  return name_partners();
}

Outcome<> FastClient::configure(Client& client) {
  auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  Status status = client.configure_send(1, free_task, free_task);
  if (status) {
    status = client.on_message([this](Connection&, std::span<const std::byte> message) {
      if (!message.empty()) answered_ = static_cast<FastWord>(message[0]);
      return Receipt::kTaken;
    });
  }
  if (status) {
    status = client.on_consumer([this](Connection&, ConsumerId id) { appeared_.push_back(id); },
                                [this](Connection&, ConsumerId id) { std::erase(appeared_, id); });
  }
  if (status) status = engine_->connect(client);
  if (!status) return complain("cannot configure the client", status.error());
  return {};
}

Outcome<> FastClient::make_lanes(const std::shared_ptr<Device>& device) {
  crew_.emplace(*engine_);
  for (std::uint32_t n = 0; n < plan_.producers; ++n) {
    auto lane = Lane::create(*connection_, device, plan_, {.sent = plan_.depth()});
    if (!lane) return std::unexpected(lane.error());
    crew_->add(std::move(*lane));
  }
  if (auto started = crew_->start(); !started) return started;
  auto waited = wait_until([this] { return appeared_.size() == plan_.consumers; },
                           "the other end's consumers do not start");
  if (waited) consumers_ = appeared_;
  return waited;
}

Outcome<> FastClient::name_partners() {
  std::vector<Partner> partners;
  for (const auto& lane : crew_->lanes()) {
    partners.push_back({.producer = lane->producer_id(), .consumer = lane->consumer_id()});
  }
  return ask(FastWord::kPartners, std::as_bytes(std::span(partners)));
}

Outcome<> FastClient::ask(FastWord word, std::span<const std::byte> more) {
  std::vector<std::byte> message{static_cast<std::byte>(word)};
  message.insert(message.end(), more.begin(), more.end());
  answered_.reset();
  if (const Status sent = connection_->try_send(message); !sent) {
    return complain("cannot ask the other end", sent.error());
  }
  return wait_until([&] { return answered_ == word; }, "the other end does not answer");
}

Outcome<> FastClient::wait_until(const std::function<bool()>& condition, const char* complaint) {
  // The server has the same patience for what it is asked for, and says more.
  const auto deadline = Clock::now() + 2 * Crew::kPatience;
  while (!condition()) {
    engine_->wait(milliseconds(20));
    if (lost()) return complain("lost the other end: it has died, or says why itself");
    if (Clock::now() > deadline) return complain(std::string(complaint));
  }
  return {};
}

Outcome<> FastClient::measure(FastWord word, const Crew::Job& job) {
  if (auto asked = ask(word); !asked) return asked;
  ending_.store(false, std::memory_order_relaxed);
  crew_->work(plan_.cpus.own, job);
  const auto deadline =
      Clock::now() + std::chrono::duration<double>(2 * plan_.seconds) + Crew::kPatience;
  const auto overdue = [&] { return Clock::now() > deadline; };
  while (!crew_->finished() && !crew_->failed() && !lost() && !overdue()) {
    engine_->wait(milliseconds(1), std::chrono::nanoseconds(0));
  }
  const bool late = !crew_->finished();
  ending_.store(true, std::memory_order_relaxed);
  if (auto rested = crew_->rest(); !rested) return rested;
  if (lost()) return complain("lost the other end: it has died, or says why itself");
  if (late) return complain("the other end does not keep up");
  return {};
}

bool FastClient::lost() const {
  return client_->state() != ContextState::kRunning ||
         connection_->state() != ConnectionState::kEstablished;
}

std::vector<Used> FastClient::used() const {
  ProducerCounters sum;
  for (const auto& lane : crew_->lanes()) {
    const ProducerCounters counters = lane->counters();
    sum.inline_messages += counters.inline_messages;
    sum.mapped_messages += counters.mapped_messages;
    sum.staged_messages += counters.staged_messages;
    sum.cma_messages += counters.cma_messages;
    sum.cooperative_messages += counters.cooperative_messages;
    sum.loaned_messages += counters.loaned_messages;
    sum.handed_over_messages += counters.handed_over_messages;
  }
  std::vector<Used> used{{"inline", sum.inline_messages},           {"mapped", sum.mapped_messages},
                         {"staged", sum.staged_messages},           {"cma", sum.cma_messages},
                         {"cooperative", sum.cooperative_messages}, {"loan", sum.loaned_messages},
                         {"hand-over", sum.handed_over_messages}};
  std::erase_if(used, [](const Used& way) { return way.messages == 0; });
  std::ranges::sort(used, std::ranges::greater(), &Used::messages);
  return used;
}

Outcome<> FastClient::close() {
  if (auto asked = ask(FastWord::kEnd); !asked) return asked;
  if (auto ended = crew_->end(); !ended) return ended;
  if (auto state = client_->stop(); !state) return complain("cannot disconnect", state.error());
  const auto deadline = Clock::now() + Crew::kPatience;
  while (client_->state() != ContextState::kIdle) {
    engine_->wait(milliseconds(10));
    if (Clock::now() > deadline) return complain("the other end does not let go");
  }
  return {};
}

}  // namespace comch::tool
