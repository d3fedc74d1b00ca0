// FastServer: does what its client asks for, word for word.
#include "tool/bench/fast_server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "tool/bench/crew.h"
#include "tool/bench/fast_words.h"
#include "tool/bench/link.h"

namespace comch::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How many messages one lane has taken. A cache line for each, or they would slow each other.
struct alignas(64) Tally {
  std::atomic<std::uint64_t> messages{0};
};

class FastServer {
 public:
  explicit FastServer(const FastPlan& plan) : plan_(plan), tallies_(plan.consumers) {}
  FastServer(FastServer&&) = delete;  // The threads know where it lives.
  ~FastServer() { ending_.store(true, std::memory_order_relaxed); }  // Then the crew joins.

  Outcome<> start(const std::string& name);
  Outcome<> serve();

 private:
  Outcome<> make_lanes();
  Outcome<> obey(std::span<const std::byte> message);
  void note_partners(std::span<const std::byte> pairs);
  void work(bool echo);
  Outcome<> take_messages(Lane& lane, std::size_t number, bool echo);
  Outcome<> answer(Lane& lane, std::span<const ProducerId> askers);
  Outcome<> await_messages(std::uint64_t count);
  Outcome<> why_not_all_came();
  std::uint64_t received() const;
  bool ending() const { return ending_.load(std::memory_order_relaxed); }

  const FastPlan& plan_;
  std::vector<Partner> partners_;
  std::vector<Tally> tallies_;
  std::atomic<bool> ending_ = false;  // A wish; nothing is passed by it.
  std::unique_ptr<Link> link_;
  std::optional<Crew> crew_;
};

Outcome<> FastServer::start(const std::string& name) {
  auto link = Link::listen(plan_, name);
  if (!link) return std::unexpected(link.error());
  link_ = std::move(*link);
  return {};
}

Outcome<> FastServer::serve() {
  while (!link_->connected()) link_->wait(milliseconds(20));
  crew_.emplace(*link_);
  if (auto made = make_lanes(); !made) return made;
  while (link_->connected()) {
    link_->wait(milliseconds(20));
    if (crew_->failed()) return why_not_all_came();
    const auto message = link_->hear();
    if (!message || message->empty()) continue;
    if (auto done = obey(*message); !done) return done;
    auto said = link_->say(std::span(*message).first(1));
    if (!said && link_->connected()) return said;
  }
  return link_->close();
}

Outcome<> FastServer::make_lanes() {
  for (std::uint32_t n = 0; n < plan_.consumers; ++n) {
    auto lane = link_->make_lane({.posted = plan_.depth()});
    if (!lane) return std::unexpected(lane.error());
    crew_->add(std::move(*lane));
  }
  return crew_->start();
}

Outcome<> FastServer::obey(std::span<const std::byte> message) {
  const auto rest = message.subspan(1);
  switch (static_cast<FastWord>(message[0])) {
    case FastWord::kPartners:
      note_partners(rest);
      return {};
    case FastWord::kEcho:
      work(true);
      return {};
    case FastWord::kCount:
      work(false);
      return {};
    case FastWord::kFence: {
      std::uint64_t count = 0;
      std::memcpy(&count, rest.data(), std::min(rest.size(), sizeof count));
      return await_messages(count);
    }
    case FastWord::kStop:
      ending_.store(true, std::memory_order_relaxed);
      return crew_->rest();
    case FastWord::kEnd:
      return crew_->end();
  }
  return complain("the benchmark's client asks for something unknown");
}

void FastServer::note_partners(std::span<const std::byte> pairs) {
  partners_.resize(pairs.size() / sizeof(Partner));
  std::memcpy(partners_.data(), pairs.data(), partners_.size() * sizeof(Partner));
}

void FastServer::work(bool echo) {
  ending_.store(false, std::memory_order_relaxed);
  for (Tally& tally : tallies_) tally.messages.store(0, std::memory_order_relaxed);
  crew_->work(plan_.cpus.peer, [this, echo](Lane& lane, std::size_t number) {
    return take_messages(lane, number, echo);
  });
}

Outcome<> FastServer::take_messages(Lane& lane, std::size_t number, bool echo) {
  std::array<ProducerId, 64> from;
  std::uint64_t taken = 0;
  while (!ending()) {
    auto count = lane.take(from);
    if (!count) return std::unexpected(count.error());
    if (*count == 0) {
      lane.wait();
      continue;
    }
    taken += *count;
    // Only a number; await_messages() needs nothing else of what this thread did.
    tallies_[number].messages.store(taken, std::memory_order_relaxed);
    if (!echo) continue;
    if (auto done = answer(lane, std::span(from).first(*count)); !done) return done;
  }
  return {};
}

Outcome<> FastServer::answer(Lane& lane, std::span<const ProducerId> askers) {
  for (ProducerId asker : askers) {
    const auto partner = std::ranges::find(partners_, asker, &Partner::producer);
    if (partner == partners_.end()) return complain("a message came from an unknown producer");
    for (;;) {
      auto sent = lane.send(partner->consumer, 1);
      if (!sent) return std::unexpected(sent.error());
      if (*sent == 1 || ending()) break;
      lane.wait_for_space({&partner->consumer, 1});
    }
  }
  return {};
}

Outcome<> FastServer::await_messages(std::uint64_t count) {
  const auto deadline = Clock::now() + Crew::kPatience;
  while (received() < count && !crew_->failed()) {
    link_->wait(std::chrono::microseconds(20), std::chrono::nanoseconds(0));
    if (!link_->connected()) return complain("the benchmark's client has left early");
    if (Clock::now() > deadline) return why_not_all_came();
  }
  return received() < count ? why_not_all_came() : Outcome<>();
}

Outcome<> FastServer::why_not_all_came() {
  ending_.store(true, std::memory_order_relaxed);
  if (auto rested = crew_->rest(); !rested) return rested;
  return complain("not every message has arrived");
}

std::uint64_t FastServer::received() const {
  std::uint64_t sum = 0;
  for (const Tally& tally : tallies_) sum += tally.messages.load(std::memory_order_relaxed);
  return sum;
}

}  // namespace

Outcome<> serve_fast(const FastPlan& plan, const std::string& name, const Ready& ready) {
  FastServer server(plan);
  if (auto started = server.start(name); !started) return started;
  ready();
  return server.serve();
}

}  // namespace comch::tool
