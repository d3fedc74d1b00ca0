// RiggedGuests: clients of a rigged server that come, have consumers, and go, as chance says; and
// whether a listener tells of each of them once, in that order.
//
// Threads: one. Lifetime: the test's; the machine outlives it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>

#include "unit/uring/rigged_kinds.h"
#include "uring/machine.h"

namespace comch::uring::test {

class RiggedGuests {
 public:
  RiggedGuests(Machine<RiggedKinds>& machine, Chance& chance)
      : accepting_(machine.accepting()), chance_(chance) {
    for (auto& guest : guests_) guest = std::make_unique<Guest>(chance);
  }

  Listener& listener() { return *listener_; }
  // Completions that said somebody had come.
  std::uint64_t came() const { return came_; }

  // Some of them do something.
  void step() {
    for (const auto& guest : guests_) {
      if (chance_.one_in(20)) act(*guest);
    }
  }
  // Of an arrival.
  void check(const Completion& completion) {
    Control* const control = completion.control();
    if (completion.consumer() != ConsumerId{}) {
      EXPECT_TRUE(here_.contains(control)) << "a consumer of nobody";
    } else if (completion.res == 0 || completion.res == -ECONNABORTED) {
      EXPECT_TRUE(here_.insert(control).second) << "it comes twice";
      ++came_;
    } else {
      EXPECT_EQ(completion.res, -ENOTCONN);
      EXPECT_EQ(here_.erase(control), 1U) << "it goes twice, or never came";
    }
  }

 private:
  struct Guest {
    explicit Guest(Chance& chance) : connection(chance) {}
    RiggedConnection connection;
    bool here = false;
    std::uint32_t consumers = 0;
  };
  static constexpr std::uint32_t kConsumers = 3;  // Of one guest.

  // What the callbacks of a server say.
  void act(Guest& guest) {
    guest.connection.left = guest.here && chance_.one_in(3);
    if (!guest.here) {
      guest.here = true;
      accepting_.on_connection(this, guest.connection);
    } else if (guest.connection.left) {
      guest.here = false;
      guest.consumers = 0;
      accepting_.on_disconnection(this, guest.connection);
    } else if (guest.consumers < kConsumers) {
      accepting_.on_consumer(this, guest.connection, ConsumerId{++guest.consumers});
    }
  }

  Accepting<RiggedKinds>& accepting_;
  Chance& chance_;
  Listener* const listener_ = accepting_.add(this).value();  // Only the address counts.
  std::array<std::unique_ptr<Guest>, 6> guests_;
  std::set<Control*> here_;  // That came, and have not gone.
  std::uint64_t came_ = 0;
};

}  // namespace comch::uring::test
