// FastClient: the sending process of a fast-path benchmark: producers, and the consumers of
// the answers.
//
//   FastClient client(plan);
//   client.connect(peer->name());
//   Outcome<RoundTrips> round_trips = client.round_trips();
//   Outcome<OneWay> one_way = client.one_way();
//   std::vector<Used> used = client.used();
//   client.close();
//
// Threads: its caller's, and one for each producer while it measures.
// Errors: complaints, also when the other process does not answer in time.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tool/bench/crew.h"
#include "tool/bench/fast_plan.h"
#include "tool/bench/fast_words.h"
#include "tool/bench/figures.h"
#include "tool/bench/link.h"
#include "tool/complaint.h"

namespace comch::tool {

class FastClient {
 public:
  explicit FastClient(const FastPlan& plan) : plan_(plan) {}
  FastClient(FastClient&&) = delete;  // The threads know where it lives.
  ~FastClient() { ending_.store(true, std::memory_order_relaxed); }  // Then the crew joins.

  Outcome<> connect(const std::string& server);
  Outcome<RoundTrips> round_trips();
  Outcome<OneWay> one_way();
  std::vector<Used> used() const;
  Outcome<> close();

 private:
  Outcome<> make_lanes();
  Outcome<> name_partners();

  // Says `word` to the server and waits until it is done.
  Outcome<> ask(FastWord word, std::span<const std::byte> more = {});
  Outcome<> wait_until(const std::function<bool()>& condition, const char* complaint);
  // Runs `job` on every lane; the server obeys `word` meanwhile.
  Outcome<> measure(FastWord word, const Crew::Job& job);

  Outcome<> ping(Lane& lane, ConsumerId to, Histogram& ns);
  Outcome<> round_trip(Lane& lane, ConsumerId to);
  Outcome<std::uint64_t> pour(Lane& lane, std::size_t first);
  bool ending() const { return ending_.load(std::memory_order_relaxed); }

  const FastPlan& plan_;
  std::atomic<bool> ending_ = false;  // A wish; nothing is passed by it.
  std::unique_ptr<Link> link_;
  std::vector<ConsumerId> consumers_;  // The server's, for the threads: those there were at first.
  std::optional<Crew> crew_;
};

}  // namespace comch::tool
