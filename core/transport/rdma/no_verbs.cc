// RealVerbs of a build without rdma-core: says so. See real_verbs.h.
#include "transport/rdma/real_verbs.h"

namespace comch::transport::rdma {
namespace {

constexpr const char* kWithout = "this build of comch has no RDMA; build it with rdma-core";

class NoResolver final : public Resolver {
 public:
  Result<std::vector<Address>> look_up(const std::string& /*host*/) override {
    return fail(Errc::not_supported, kWithout);
  }
};

class NoVerbs final : public Verbs {
 public:
  Result<std::vector<VerbsDevice>> devices() override {
    return fail(Errc::not_supported, kWithout);
  }
  std::shared_ptr<Resolver> resolver() override { return std::make_shared<NoResolver>(); }
  Result<std::unique_ptr<EventChannel>> make_event_channel() override {
    return fail(Errc::not_supported, kWithout);
  }
};

}  // namespace

std::unique_ptr<Verbs> make_real_verbs() { return std::make_unique<NoVerbs>(); }

}  // namespace comch::transport::rdma
