// Link: one end of a benchmark's connection: what the two processes say to each other on the
// control path, and what lanes are made on.
//
//   auto link = Link::connect(plan, server).value();       // or listen(plan, name)
//   while (!link->connected()) link->wait(20ms);           // of a server
//   auto lane = link->make_lane({}).value();
//   link->say(word);
//   if (auto heard = link->hear()) ...
//   link->close();
//
// Each API has a client's and a server's; see cpp_link.h and doca_link.h.
//
// Threads: one, which also creates and destroys the lanes.
// Lifetime: outlives its lanes, is outlived by its plan.
// Errors: complaints.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comch/consumer.h"
#include "tool/bench/fast_plan.h"
#include "tool/bench/lane.h"
#include "tool/complaint.h"

namespace comch::tool {

class Link {
 public:
  // Of the API that the plan names. A client's is connected, a server's listens.
  static Outcome<std::unique_ptr<Link>> connect(const FastPlan& plan, const std::string& server);
  static Outcome<std::unique_ptr<Link>> listen(const FastPlan& plan, const std::string& name);

  Link(const Link&) = delete;  // Handlers know where it lives.
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;

  // False before the other end has come, and after it has left.
  virtual bool connected() const = 0;
  virtual Outcome<> say(std::span<const std::byte> message) = 0;
  virtual void progress() = 0;
  // Progress, and sleep until something happens.
  virtual void wait(std::chrono::nanoseconds timeout,
                    std::chrono::nanoseconds spin = std::chrono::microseconds(50)) = 0;
  virtual Outcome<std::unique_ptr<Lane>> make_lane(Lane::Depth depth) = 0;
  virtual Outcome<> close() = 0;

  // What was said last; nothing when it was heard before.
  std::optional<std::vector<std::byte>> hear() { return std::exchange(said_, std::nullopt); }
  // The other end's consumers, those that there are just now.
  const std::vector<ConsumerId>& consumers() const { return consumers_; }

 protected:
  // The patience for one step of the other process, which takes microseconds.
  static constexpr std::chrono::seconds kPatience{10};

  Link() = default;

  void was_said(std::span<const std::byte> message) {
    said_.emplace(message.begin(), message.end());
  }
  void appeared(ConsumerId id) { consumers_.push_back(id); }
  void expired(ConsumerId id) { std::erase(consumers_, id); }

 private:
  std::optional<std::vector<std::byte>> said_;
  std::vector<ConsumerId> consumers_;
};

}  // namespace comch::tool
