// Lookup: a resolver that answers late, or nobody any more.
#include "transport/rdma/lookup.h"

#include <gtest/gtest.h>

#include <optional>

#include "support/deadline.h"
#include "support/fake_verbs.h"
#include "support/process_counters.h"
#include "unit/transport/shm/fake_reactor.h"

namespace comch::transport::rdma {
namespace {

struct RdmaLookupTest : testing::Test, LookupOwner {
  ~RdmaLookupTest() override {
    fabric.release_names();
    EXPECT_TRUE(test::eventually([this] { return test::threads() == threads; }));
  }
  void begin(const std::string& host) {
    lookup = Lookup::begin(fabric.host("10.0.0.1").resolver(), reactor, host, *this).value();
  }
  void on_found(Result<std::vector<Address>> addresses) override {
    EXPECT_FALSE(found) << "told twice";
    found = std::move(addresses);
    lookup.reset();
  }
  bool is_answered() {
    return test::eventually([this] {
      reactor.turn();
      return found.has_value();
    });
  }

  const std::size_t threads = test::threads();
  test::FakeReactor reactor;
  test::FakeFabric fabric;
  std::unique_ptr<Lookup> lookup;
  std::optional<Result<std::vector<Address>>> found;
};

TEST_F(RdmaLookupTest, TheAnswerComesThroughTheReactor) {
  fabric.name_host("dpu.local", "10.0.0.7");
  begin("dpu.local");
  EXPECT_FALSE(found);
  ASSERT_TRUE(is_answered());
  ASSERT_TRUE(*found);
  EXPECT_EQ(found->value().front().host(), "10.0.0.7");
}

TEST_F(RdmaLookupTest, AnErrorIsAnAnswer) {
  begin("nowhere.example");
  ASSERT_TRUE(is_answered());
  EXPECT_EQ(found->error().code, Errc::not_found);
}

TEST_F(RdmaLookupTest, OneThatIsGivenUpIsToldOfNothing) {
  fabric.hold_names();
  begin("dpu.local");
  lookup.reset();
  fabric.release_names();
  EXPECT_TRUE(test::eventually([this] { return test::threads() == threads; }));
  EXPECT_FALSE(reactor.turn());
  EXPECT_FALSE(found);
}

TEST_F(RdmaLookupTest, AResolverThatIsStillAskedOutlivesItsVerbs) {
  std::optional<test::FakeFabric> other(std::in_place);
  other->hold_names();
  lookup = Lookup::begin(other->host("10.0.0.1").resolver(), reactor, "10.0.0.9", *this).value();
  other->release_names();
  other.reset();
  ASSERT_TRUE(is_answered());
  EXPECT_TRUE(*found);
}

}  // namespace
}  // namespace comch::transport::rdma
