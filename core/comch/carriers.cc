// Carriers: see carriers.h.
#include "comch/carriers.h"

#include <map>
#include <mutex>
#include <utility>

#include "base/say.h"
#include "os/secret_file.h"
#include "transport/rdma/carrier.h"
#include "transport/rdma/real_verbs.h"
#include "transport/shm/carrier.h"

namespace comch {
namespace {

using transport::rdma::Key;
using transport::rdma::RdmaCarrier;
using transport::rdma::Settings;
using transport::rdma::Verbs;

constexpr std::uint64_t kMillisecond_ns = 1'000'000;

Result<std::shared_ptr<const Key>> read_key(const std::string& path) {
  const auto secret = os::read_secret(path);
  auto key = secret ? Key::from_secret(*secret)
                    : Result<std::shared_ptr<const Key>>(std::unexpected(secret.error()));
  if (!key) {
    say(LogLevel::kError, "the pre-shared key {} is of no use: {}", path, describe(key.error()));
  }
  return key;
}

Result<Settings> settings_of(const RdmaLink& link) {
  Settings settings{.device = link.verbs,
                    .local = link.address,
                    .port = std::nullopt,
                    .key = nullptr,
                    .keepalive_ns = link.keepalive_ms * kMillisecond_ns,
                    .patience = {}};
  if (link.key_file.empty()) return settings;
  Result<std::shared_ptr<const Key>> key = read_key(link.key_file);
  if (!key) return std::unexpected(key.error());
  settings.key = std::move(*key);
  return settings;
}

// The carriers upon one set of verbs.
class RdmaCarriers {
 public:
  explicit RdmaCarriers(Verbs& verbs) : verbs_(verbs) {}

  Result<transport::Carrier*> of(const RdmaLink& link) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<RdmaCarrier>& carrier = carriers_[link];
    if (carrier) return carrier.get();
    Result<Settings> settings = settings_of(link);
    if (!settings) return std::unexpected(settings.error());
    carrier = std::make_unique<RdmaCarrier>(verbs_, std::move(*settings));
    return carrier.get();
  }

 private:
  Verbs& verbs_;
  std::mutex mutex_;
  std::map<RdmaLink, std::unique_ptr<RdmaCarrier>> carriers_;
};

RdmaCarriers& of_this_machine() {
  static const std::unique_ptr<Verbs> verbs = transport::rdma::make_real_verbs();
  static RdmaCarriers carriers(*verbs);
  return carriers;
}

RdmaCarriers* replacement = nullptr;  // Written by tests, while nothing else runs.

}  // namespace

struct ScopedVerbs::Impl {
  explicit Impl(Verbs& verbs) : carriers(verbs), before(std::exchange(replacement, &carriers)) {}
  RdmaCarriers carriers;
  RdmaCarriers* const before;
};

ScopedVerbs::ScopedVerbs(Verbs& verbs) : impl_(std::make_unique<Impl>(verbs)) {}
ScopedVerbs::~ScopedVerbs() { replacement = impl_->before; }

transport::Carrier& shared_memory_carrier() {
  static transport::shm::ShmCarrier shared_memory;
  return shared_memory;
}

Result<transport::Carrier*> rdma_carrier(const RdmaLink& link) {
  return (replacement != nullptr ? *replacement : of_this_machine()).of(link);
}

Result<transport::Carrier*> carrier_of(const DeviceInfo& device) {
  if (device.rdma) return rdma_carrier(*device.rdma);
  return &shared_memory_carrier();
}

}  // namespace comch
