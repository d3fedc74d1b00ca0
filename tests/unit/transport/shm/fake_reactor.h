// FakeReactor: a reactor whose clock stands still, for carriers without an engine.
//
//   FakeReactor reactor;
//   reactor.turn();               // tells whose descriptor is readable, once each
//   reactor.pass(5'000'000'000);  // time passes, and alarms that are due ring
//
// Threads: one. Lifetime: outlives what it watches; a test's end checks that nothing is left.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "transport/reactor.h"

namespace comch::test {

class FakeReactor final : public transport::Reactor {
 public:
  FakeReactor() = default;
  ~FakeReactor() {
    EXPECT_TRUE(watched_.empty()) << "a descriptor is still watched";
    EXPECT_TRUE(alarms_.empty()) << "an alarm is still set";
  }
  FakeReactor(const FakeReactor&) = delete;
  FakeReactor& operator=(const FakeReactor&) = delete;

  Status watch(int fd, transport::Readiness& who) override {
    EXPECT_TRUE(watched_.emplace(fd, &who).second) << "watched already";
    return {};
  }
  void unwatch(int fd) override { watched_.erase(fd); }
  void set_alarm(transport::Alarm& alarm, std::uint64_t due_ns) override {
    alarm.due_ns = due_ns;
    alarms_.insert(&alarm);
  }
  void clear_alarm(transport::Alarm& alarm) override {
    alarm.due_ns = transport::Alarm::kNotSet;
    alarms_.erase(&alarm);
  }
  std::uint64_t now_ns() const override { return now_ns_; }

  // Tells every reader whose descriptor is readable, once. True when there was one.
  bool turn() {
    bool told = false;
    for (const auto& [fd, who] : std::map(watched_)) {
      pollfd look{.fd = fd, .events = POLLIN, .revents = 0};
      // Withdrawn meanwhile, perhaps together with its descriptor: then nobody is told.
      if (!watched_.contains(fd) || ::poll(&look, 1, 0) != 1) continue;
      who->on_readable();
      told = true;
    }
    return told;
  }

  void pass(std::uint64_t ns) {
    now_ns_ += ns;
    for (;;) {
      const auto due = std::find_if(alarms_.begin(), alarms_.end(),
                                    [this](const auto* alarm) { return alarm->due_ns <= now_ns_; });
      if (due == alarms_.end()) return;
      transport::Alarm& alarm = **due;
      clear_alarm(alarm);
      alarm.on_alarm();
    }
  }

 private:
  std::map<int, transport::Readiness*> watched_;
  std::set<transport::Alarm*> alarms_;
  std::uint64_t now_ns_ = 1'000'000'000;
};

}  // namespace comch::test
