// FakeFabric: see fake_verbs.h.
#include "support/fake_verbs.h"

#include <stdexcept>

#include "support/fake_fabric.h"

namespace comch::test {

using Lock = std::lock_guard<std::recursive_mutex>;

FakeFabric::FakeFabric() : state_(std::make_shared<FakeState>()) {}
FakeFabric::~FakeFabric() = default;

namespace {

FakeHost& find(FakeState& state, const std::string& address) {
  const auto found = state.hosts.find(address);
  if (found == state.hosts.end()) throw std::runtime_error("no machine at " + address);
  return *found->second;
}

}  // namespace

rdma::Verbs& FakeFabric::host(const std::string& address) {
  const Lock lock(state_->mutex);
  std::unique_ptr<FakeHost>& host = state_->hosts[address];
  if (!host) {
    const std::string device = "fake" + std::to_string(state_->hosts.size() - 1);
    host = std::make_unique<FakeHost>(*state_, rdma::Address::parse(address).value(), device);
    host->self = state_;
  }
  return *host;
}

void FakeFabric::name_host(const std::string& name, const std::string& address) {
  const Lock lock(state_->mutex);
  state_->names[name] = address;
}

void FakeFabric::hold_names() {
  const Lock lock(state_->mutex);
  state_->names_held = true;
}

void FakeFabric::release_names() {
  const Lock lock(state_->mutex);
  state_->names_held = false;
  state_->names_released.notify_all();
}

void FakeFabric::hold() {
  const Lock lock(state_->mutex);
  state_->held = true;
}

std::size_t FakeFabric::deliver(std::size_t count) {
  const Lock lock(state_->mutex);
  std::size_t done = 0;
  for (const auto& [number, queue_pair] : state_->queue_pairs) {
    while (done < count && queue_pair->deliver_one()) ++done;
  }
  return done;
}

void FakeFabric::release() {
  const Lock lock(state_->mutex);
  state_->held = false;
  state_->pump();
}

void FakeFabric::kill_host(const std::string& address) {
  const Lock lock(state_->mutex);
  find(*state_, address).alive = false;
}

void FakeFabric::time_out() {
  const Lock lock(state_->mutex);
  for (const auto& [number, queue_pair] : state_->queue_pairs) queue_pair->time_out();
}

void FakeFabric::fail_work_request(std::uint64_t nth, rdma::CompletionStatus status) {
  const Lock lock(state_->mutex);
  state_->failing_request = state_->posted + nth;
  state_->failing_status = status;
}

void FakeFabric::fail_call(std::uint64_t nth, int sys) {
  const Lock lock(state_->mutex);
  state_->failing_call = state_->calls + nth;
  state_->failing_with = sys;
}

void FakeFabric::refuse_targets(bool refuses) {
  const Lock lock(state_->mutex);
  state_->targets_refused = refuses;
}

std::uint64_t FakeFabric::calls() const {
  const Lock lock(state_->mutex);
  return state_->calls;
}

void FakeFabric::lose_events(std::uint64_t count) {
  const Lock lock(state_->mutex);
  state_->events_to_lose = count;
}

void FakeFabric::lose_acknowledgements(std::uint64_t count) {
  const Lock lock(state_->mutex);
  state_->acknowledgements_to_lose = count;
}

void FakeFabric::set_limits(const rdma::DomainLimits& limits, std::uint32_t max_inline) {
  const Lock lock(state_->mutex);
  state_->limits = limits;
  state_->max_inline = max_inline;
}

void FakeFabric::device_gone(const std::string& address) {
  const Lock lock(state_->mutex);
  const FakeHost& host = find(*state_, address);
  for (FakeId* id : state_->ids) {
    if (&id->host() == &host) id->device_gone();
  }
}

FakeFabric::Counts FakeFabric::counts(const std::string& address) const {
  const Lock lock(state_->mutex);
  return find(*state_, address).counts;
}

void FakeFabric::reset_counts() {
  const Lock lock(state_->mutex);
  for (const auto& [address, host] : state_->hosts) {
    const Counts before = host->counts;
    host->counts = {.regions = before.regions,
                    .region_bytes = before.region_bytes,
                    .queue_pairs = before.queue_pairs};
  }
}

}  // namespace comch::test
