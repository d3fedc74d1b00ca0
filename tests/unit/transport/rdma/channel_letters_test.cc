// RdmaChannel: who announces a consumer to a process that is short of something is told so.
#include <gtest/gtest.h>

#include <cerrno>

#include "os/syscalls.h"
#include "transport/rdma/consumer_port.h"
#include "transport/rdma/control_terms.h"
#include "transport/rdma/hub.h"
#include "unit/transport/rdma/parties.h"

namespace comch::transport::rdma {
namespace {

struct Waiting final : ConsumerPortOwner {
  void on_accepted() override { ++accepted; }
  void on_wake() override {}
  void on_lost(const Error& error) override { lost = error.code; }
  int accepted = 0;
  std::optional<Errc> lost;
};

// A kernel that gives no descriptor for an event.
const os::Syscalls& without_events() {
  static const os::Syscalls table = [] {
    os::Syscalls rigged = os::kKernel;
    rigged.eventfd = [](unsigned /*value*/, int /*flags*/) {
      errno = EMFILE;
      return -1;
    };
    return rigged;
  }();
  return table;
}

struct RdmaChannelLettersTest : testing::Test, test::RdmaParties {
  RdmaChannelLettersTest() {
    connect();
    hub = std::dynamic_pointer_cast<Hub>(here().channel->fast_path().value());
  }
  std::unique_ptr<ConsumerPort> announce(Waiting& owner) {
    return ConsumerPort::open(reactor, hub, {.depth = 4, .immediate_max = 0, .map = &life}, owner)
        .value();
  }
  // For a second, as an engine would look.
  void pass() {
    for (int n = 0; n < 100; ++n) {
      reactor.pass(10'000'000);
      run();
      EXPECT_FALSE(there().take());
      EXPECT_FALSE(here().take());
    }
  }

  std::vector<std::byte> memory = std::vector<std::byte>(64);
  MapLife life{memory};
  std::shared_ptr<Hub> hub;
};

TEST_F(RdmaChannelLettersTest, AConsumerThatComesWhileThereAreNoDescriptorsIsRefused) {
  Waiting owner;
  const auto port = announce(owner);
  {
    const os::ScopedSyscalls scope(without_events());
    pass();
  }
  EXPECT_EQ(owner.accepted, 0);
  EXPECT_EQ(owner.lost, Errc::operating_system);
  Waiting second;
  const auto later = announce(second);
  pass();
  EXPECT_EQ(second.accepted, 1);
  EXPECT_FALSE(second.lost);
}

TEST_F(RdmaChannelLettersTest, MoreOfThemThanThereAreCreditsForAreRefusedOneByOne) {
  std::vector<Waiting> owners(std::size_t{3} * kLetterWindow);
  std::vector<std::unique_ptr<ConsumerPort>> ports;
  for (Waiting& owner : owners) ports.push_back(announce(owner));
  {
    const os::ScopedSyscalls scope(without_events());
    pass();
  }
  for (const Waiting& owner : owners) EXPECT_EQ(owner.lost, Errc::operating_system);
  EXPECT_EQ(here().ends, 0);
}

}  // namespace
}  // namespace comch::transport::rdma
