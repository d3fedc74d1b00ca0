// LocalConsumer: see local_consumer.h.
#include "transport/rdma/local_consumer.h"

#include <algorithm>
#include <utility>

namespace comch::transport::rdma {
namespace {

constexpr std::size_t kMaxLanes = 1024;  // One for each producer that there may be.

}  // namespace

LocalConsumer::LocalConsumer(const wire::RdmaConsumer& t, std::unique_ptr<Link> line, Pinned posts,
                             const os::Event& rings)
    : terms(t),
      shape(LaneShape::of(t.depth, t.immediate_max)),
      posts_(std::move(posts)),
      line_(std::move(line)),
      rings_(&rings) {}

void LocalConsumer::ring() {
  if (rings_ != nullptr) rings_->signal();
}

bool LocalConsumer::take_answer() {
  const std::lock_guard lock(mutex_);
  return !std::exchange(answered_, true);
}

void LocalConsumer::accept(const wire::Target& board) {
  const std::lock_guard lock(mutex_);
  news_.board = board;
  ring();
}

bool LocalConsumer::add(std::shared_ptr<InLane> lane) {
  const std::lock_guard lock(mutex_);
  const bool known = std::ranges::any_of(
      lanes_, [&](const auto& other) { return other->number() == lane->number(); });
  if (known || lanes_.size() == kMaxLanes) return false;
  lanes_.push_back(lane);
  news_.lanes.push_back(std::move(lane));
  ring();
  return true;
}

bool LocalConsumer::lane_ended(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto it =
      std::ranges::find_if(lanes_, [&](const auto& lane) { return lane->number() == number; });
  if (it == lanes_.end()) return false;
  (*it)->set_ended();
  lanes_.erase(it);
  ring();
  return true;
}

void LocalConsumer::refuse(const Error& error) {
  const std::lock_guard lock(mutex_);
  news_.refused = error;
  ring();
}

LocalConsumer::News LocalConsumer::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {});
}

void LocalConsumer::forget_port() {
  const std::lock_guard lock(mutex_);
  rings_ = nullptr;
}

}  // namespace comch::transport::rdma
