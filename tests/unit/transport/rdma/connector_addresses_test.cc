// RdmaConnector: a host of many addresses.
#include <gtest/gtest.h>

#include "support/deadline.h"
#include "transport/rdma/connector.h"
#include "unit/transport/rdma/parties.h"

namespace comch::transport::rdma {
namespace {

// Every name is one host, which has so many addresses.
struct ManyAddresses final : Resolver {
  explicit ManyAddresses(std::uint32_t n) : count(n) {}
  Result<std::vector<Address>> look_up(const std::string& /*host*/) override {
    std::vector<Address> all(count);
    for (std::uint32_t n = 0; n < count; ++n) {
      all[n].bytes = {10, static_cast<std::uint8_t>(n >> 16U), static_cast<std::uint8_t>(n >> 8U),
                      static_cast<std::uint8_t>(n)};
    }
    return all;
  }
  const std::uint32_t count;
};

// Nobody can be called over it.
struct NoIds final : EventChannel {
  explicit NoIds(std::unique_ptr<EventChannel> c) : channel(std::move(c)) {}
  int fd() const override { return channel->fd(); }
  Result<std::optional<Event>> next() override { return channel->next(); }
  Result<std::unique_ptr<Id>> make_id() override {
    return fail(Errc::operating_system, "no RDMA device leads there", ENODEV);
  }
  const std::unique_ptr<EventChannel> channel;
};

struct VerbsOfMany final : Verbs {
  VerbsOfMany(Verbs& v, std::uint32_t count)
      : verbs(v), many(std::make_shared<ManyAddresses>(count)) {}
  Result<std::vector<VerbsDevice>> devices() override { return verbs.devices(); }
  std::shared_ptr<Resolver> resolver() override { return many; }
  Result<std::unique_ptr<EventChannel>> make_event_channel() override {
    return std::make_unique<NoIds>(verbs.make_event_channel().value());
  }
  Verbs& verbs;
  std::shared_ptr<ManyAddresses> many;
};

// Who answers for a name says how many there are: as many as would fill the stack, if each took
// some of it.
TEST(RdmaConnectorAddressesTest, HoweverManyCannotBeCalledTheFirstFailureIsTold) {
  test::FakeFabric fabric;
  test::FakeReactor reactor;
  test::RdmaClient client;
  VerbsOfMany verbs(fabric.host("10.0.0.1"), 20'000);
  client.connector = std::make_unique<RdmaConnector>(
      verbs, reactor, Settings(),
      ConnectRequest{.server_name = "echo",
                     .representor = "",
                     .limits = {4080, 64},
                     .acting = {},
                     .deadline_ns = reactor.now_ns() + 2'000'000'000,
                     .host = "many.example"},
      client);
  ASSERT_TRUE(test::eventually([&] {
    reactor.pass(0);
    reactor.turn();
    return client.error.has_value();
  }));
  EXPECT_NE(client.reason.find("10.0.0.0 cannot be called"), std::string::npos) << client.reason;
}

}  // namespace
}  // namespace comch::transport::rdma
