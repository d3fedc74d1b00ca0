// FastClient: its lanes, and what is said to the server around the measurements, which are in
// fast_measure.cc.
#include "tool/bench/fast_client.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace comch::tool {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Outcome<> FastClient::connect(const std::string& server) {
  auto link = Link::connect(plan_, server);
  if (!link) return std::unexpected(link.error());
  link_ = std::move(*link);
  if (auto made = make_lanes(); !made) return made;
  return name_partners();
}

Outcome<> FastClient::make_lanes() {
  crew_.emplace(*link_);
  for (std::uint32_t n = 0; n < plan_.producers; ++n) {
    auto lane = link_->make_lane({.sent = plan_.depth()});
    if (!lane) return std::unexpected(lane.error());
    crew_->add(std::move(*lane));
  }
  if (auto started = crew_->start(); !started) return started;
  auto waited = wait_until([this] { return link_->consumers().size() == plan_.consumers; },
                           "the other end's consumers do not start");
  if (waited) consumers_ = link_->consumers();
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
  if (auto said = link_->say(message); !said) return said;
  return wait_until(
      [&] {
        const auto heard = link_->hear();
        return heard && !heard->empty() && heard->front() == static_cast<std::byte>(word);
      },
      "the other end does not answer");
}

Outcome<> FastClient::wait_until(const std::function<bool()>& condition, const char* complaint) {
  // The server has the same patience for what it is asked for, and says more.
  const auto deadline = Clock::now() + 2 * Crew::kPatience;
  while (!condition()) {
    link_->wait(milliseconds(20));
    if (!link_->connected()) return complain("lost the other end: it has died, or says why itself");
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
  while (!crew_->finished() && !crew_->failed() && link_->connected() && !overdue()) {
    link_->wait(milliseconds(1), std::chrono::nanoseconds(0));
  }
  const bool late = !crew_->finished();
  ending_.store(true, std::memory_order_relaxed);
  if (auto rested = crew_->rest(); !rested) return rested;
  if (!link_->connected()) return complain("lost the other end: it has died, or says why itself");
  if (late) return complain("the other end does not keep up");
  return {};
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
  return link_->close();
}

}  // namespace comch::tool
