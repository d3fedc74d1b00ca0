// The fast path's measurements: what each of the client's threads does, and the whole of it.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "tool/bench/fast.h"
#include "tool/bench/fast_client.h"
#include "tool/bench/peer.h"

namespace comch::tool {
namespace {

using Clock = std::chrono::steady_clock;

// Of the time of a measurement this part comes before the clock counts: the first messages
// meet cold caches and sleeping processors.
constexpr double kWarmUpShare = 0.1;

// Messages to one consumer before it is the next one's turn.
constexpr std::size_t kTurn = 64;

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

Outcome<> FastClient::round_trip(Lane& lane, ConsumerId to) {
  for (;;) {
    auto sent = lane.send(to, 1);
    if (!sent) return std::unexpected(sent.error());
    if (*sent == 1) break;
    if (ending()) return {};
    lane.wait_for_space({&to, 1});
  }
  std::array<ProducerId, 1> from;
  for (;;) {
    auto taken = lane.take(from);
    if (!taken) return std::unexpected(taken.error());
    if (*taken == 1 || ending()) return {};
    lane.wait();
  }
}

Outcome<> FastClient::ping(Lane& lane, ConsumerId to, Histogram& ns) {
  const auto begin = Clock::now();
  const auto counted_from = begin + duration_of(plan_.seconds * kWarmUpShare);
  const auto end = begin + duration_of(plan_.seconds);
  auto before = begin;
  // At least one counts, however long it takes.
  while ((before < end || ns.count() == 0) && !ending()) {
    if (auto done = round_trip(lane, to); !done) return done;
    const auto after = Clock::now();
    if (before >= counted_from) ns.record(static_cast<std::uint64_t>((after - before).count()));
    before = after;
  }
  return {};
}

Outcome<RoundTrips> FastClient::round_trips() {
  std::vector<RoundTrips> results(plan_.producers);
  auto measured = measure(FastWord::kEcho, [&](Lane& lane, std::size_t number) {
    return ping(lane, consumers_[number % consumers_.size()], results[number].ns);
  });
  if (!measured) return std::unexpected(measured.error());
  if (auto stopped = ask(FastWord::kStop); !stopped) return std::unexpected(stopped.error());
  for (std::size_t n = 1; n < results.size(); ++n) results[0].ns.add(results[n].ns);
  return results[0];
}

// Sends to one consumer after the other, passing over those that have nothing posted.
Outcome<std::uint64_t> FastClient::pour(Lane& lane, std::size_t first) {
  const auto end = Clock::now() + duration_of(plan_.seconds);
  std::uint64_t total = 0;
  std::size_t refusals = 0;
  for (std::size_t next = first; !ending(); ++next) {
    auto sent = lane.send(consumers_[next % consumers_.size()], kTurn);
    if (!sent) return std::unexpected(sent.error());
    total += *sent;
    refusals = *sent == 0 ? refusals + 1 : 0;
    if (refusals == consumers_.size()) {
      lane.wait_for_space(consumers_);
      refusals = 0;
    }
    if (total > 0 && Clock::now() > end) break;
  }
  for (;;) {
    auto done = lane.sent_all();
    if (!done) return std::unexpected(done.error());
    if (*done || ending()) return total;
    lane.wait();
  }
}

Outcome<OneWay> FastClient::one_way() {
  std::vector<std::uint64_t> counts(plan_.producers);
  Clock::time_point begin;
  auto measured = measure(FastWord::kCount, [&](Lane& lane, std::size_t number) -> Outcome<> {
    if (number == 0) begin = Clock::now();
    auto poured = pour(lane, number);
    if (!poured) return std::unexpected(poured.error());
    counts[number] = *poured;
    return {};
  });
  if (!measured) return std::unexpected(measured.error());
  OneWay result;
  for (std::uint64_t count : counts) result.messages += count;
  std::array<std::byte, sizeof result.messages> fence;
  std::memcpy(fence.data(), &result.messages, fence.size());
  if (auto fenced = ask(FastWord::kFence, fence); !fenced) return std::unexpected(fenced.error());
  result.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (auto stopped = ask(FastWord::kStop); !stopped) return std::unexpected(stopped.error());
  return result;
}

Outcome<Figures> measure_fast(const FastPlan& plan) {
  auto peer = Peer::start(plan);
  if (!peer) return std::unexpected(peer.error());
  Figures figures{.size = plan.size,
                  .way = std::string(plan.api == Api::kDoca ? name(plan.api) : name(plan.way)),
                  .used = {},
                  .round_trips = {},
                  .one_way = {}};
  {
    FastClient client(plan);
    if (auto connected = client.connect(peer->name()); !connected) {
      return std::unexpected(connected.error());
    }
    auto round_trips = client.round_trips();
    if (!round_trips) return std::unexpected(round_trips.error());
    figures.round_trips = *round_trips;
    auto one_way = client.one_way();
    if (!one_way) return std::unexpected(one_way.error());
    figures.one_way = *one_way;
    figures.used = client.used();
    if (auto closed = client.close(); !closed) return std::unexpected(closed.error());
  }
  if (auto finished = peer->finish(); !finished) return std::unexpected(finished.error());
  return figures;
}

}  // namespace comch::tool
