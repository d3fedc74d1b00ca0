// Over fake verbs: see over_fake_verbs.h.
#include "unit/comch/over_fake_verbs.h"

#include <gtest/gtest.h>

#include <memory>

#include "comch/carriers.h"
#include "support/described_devices.h"

namespace comch::test {
namespace {

constexpr const char* kDevices = R"(
[[device]]
name = 'comch0'
pci = '0000:03:00.0'
side = 'dpu'
[device.rdma]
address = '10.0.0.1'
[[device.representor]]
pci = '0000:b1:00.0'
allow_hosts = ['10.0.0.1']

[[device]]
name = 'comch0-host'
pci = '0000:b1:00.0'
side = 'host'
[device.rdma]
address = '10.0.0.1'
server = '10.0.0.1'
)";

class OverFakeVerbs final : public testing::Environment {
 public:
  void SetUp() override {
    fabric_ = std::make_unique<FakeFabric>();
    devices_ = std::make_unique<DescribedDevices>(kDevices);
    verbs_ = std::make_unique<ScopedVerbs>(fabric_->host("10.0.0.1"));
  }
  void TearDown() override {
    // Some of the tests connect nobody; all of them together do.
    if (testing::GTEST_FLAG(filter) == "*") {
      EXPECT_GT(fabric_->counts("10.0.0.1").work_requests, 0U) << "it was not asked";
    }
    EXPECT_EQ(fabric_->counts("10.0.0.1").queue_pairs, 0U);
    EXPECT_EQ(fabric_->counts("10.0.0.1").regions, 0U);
    EXPECT_EQ(fabric_->counts("10.0.0.1").not_ready, 0U) << "a packet found no receive";
    verbs_.reset();
    devices_.reset();
    fabric_.reset();
  }
  FakeFabric& fabric() { return *fabric_; }

 private:
  std::unique_ptr<FakeFabric> fabric_;
  std::unique_ptr<DescribedDevices> devices_;
  std::unique_ptr<ScopedVerbs> verbs_;
};

OverFakeVerbs& environment() {
  static auto* const made = new OverFakeVerbs;  // gtest's.
  return *made;
}

// NOLINTNEXTLINE(cert-err58-cpp): gtest wants it before main().
const testing::Environment* const added = testing::AddGlobalTestEnvironment(&environment());

}  // namespace

FakeFabric& fabric() { return environment().fabric(); }

}  // namespace comch::test
