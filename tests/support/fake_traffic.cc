// FakeState, its queues and regions: see fake_fabric.h.
#include <algorithm>

#include "support/fake_fabric.h"

namespace comch::test {

using rdma::Completion;
using rdma::CompletionStatus;
using rdma::RegionAccess;
using Lock = std::lock_guard<std::recursive_mutex>;

Status FakeState::may_fail() {
  ++calls;
  if (calls == failing_call) {
    return fail(Errc::operating_system, "the fabric was told to fail this", failing_with);
  }
  return {};
}

void FakeState::pump() {
  if (held) return;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [number, queue_pair] : queue_pairs) {
      while (queue_pair->deliver_one()) moved = true;
    }
  }
}

// --- Regions -----------------------------------------------------------------------------

FakeRegion::FakeRegion(std::shared_ptr<FakeState> state, FakeHost& host, std::uint32_t d,
                       std::span<std::byte> range, RegionAccess a)
    : domain(d), access(a), state_(std::move(state)), host_(host) {
  address = range.data();
  length = range.size();
  local_key = state_->next_key++;
  remote_key = state_->next_key++;
  host_.regions[local_key] = this;
  host_.regions[remote_key] = this;
  ++host_.counts.registrations;
  ++host_.counts.regions;
  host_.counts.region_bytes += length;
}

FakeRegion::~FakeRegion() {
  const Lock lock(state_->mutex);
  host_.regions.erase(local_key);
  host_.regions.erase(remote_key);
  --host_.counts.regions;
  host_.counts.region_bytes -= length;
}

bool FakeRegion::covers(std::uint64_t at, std::uint64_t size) const {
  const std::uint64_t offset = at - reinterpret_cast<std::uint64_t>(address);
  return offset <= length && size <= length - offset;
}

// --- Completions -------------------------------------------------------------------------

void FakeCompletionQueue::push(const Completion& completion, std::uint64_t retires,
                               bool solicited) {
  if (entries_.size() >= depth_) overflowed_ = true;
  if (overflowed_) return;
  entries_.push_back({completion, retires});
  const bool wakes = solicited || completion.status != CompletionStatus::kSuccess;
  if (armed_ == Armed::kAll || (armed_ == Armed::kSolicited && wakes)) {
    armed_ = Armed::kNo;
    bell_.signal();
  }
}

Result<std::size_t> FakeCompletionQueue::poll(std::span<Completion> out) {
  const Lock lock(state_->mutex);
  if (overflowed_) return fail(Errc::io_failed, "the completion queue has overflowed");
  std::size_t count = 0;
  while (count < out.size() && !entries_.empty()) {
    const Entry entry = entries_.front();
    entries_.pop_front();
    const auto owner = state_->queue_pairs.find(entry.completion.queue_pair);
    if (owner != state_->queue_pairs.end()) owner->second->occupied -= entry.retires;
    out[count++] = entry.completion;
  }
  host_.counts.completions += count;
  return count;
}

Status FakeCompletionQueue::arm(bool solicited_only) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return s;
  armed_ = solicited_only ? Armed::kSolicited : Armed::kAll;
  return {};
}

// --- Domains -----------------------------------------------------------------------------

FakeDomain::FakeDomain(std::shared_ptr<FakeState> state, FakeHost& host)
    : number(state->next_domain++),
      state_(std::move(state)),
      host_(host),
      name_(host.device),
      limits_(state_->limits) {}

Result<std::shared_ptr<rdma::MemoryRegion>> FakeDomain::register_memory(std::span<std::byte> range,
                                                                        RegionAccess access) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
  if (range.empty()) return fail(Errc::invalid_value, "nothing to register");
  if (state_->targets_refused && access == RegionAccess::kRemoteWrite) {
    return fail(Errc::no_memory, "the fabric was told to refuse this", ENOMEM);
  }
  return std::make_shared<FakeRegion>(state_, host_, number, range, access);
}

Result<std::shared_ptr<rdma::CompletionQueue>> FakeDomain::make_completion_queue(
    std::uint32_t depth) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
  Result<os::Event> bell = os::Event::create();
  if (!bell) return std::unexpected(bell.error());
  return std::make_shared<FakeCompletionQueue>(state_, host_, std::move(*bell), depth);
}

Result<std::shared_ptr<rdma::QueuePair>> FakeDomain::make_queue_pair(
    const rdma::QueuePairOptions& options) {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
  return std::make_shared<FakeQueuePair>(state_, host_, number, options);
}

Result<std::shared_ptr<rdma::Domain>> FakeDomain::make_another() {
  const Lock lock(state_->mutex);
  if (Status s = state_->may_fail(); !s) return std::unexpected(s.error());
  return std::make_shared<FakeDomain>(state_, host_);
}

}  // namespace comch::test
