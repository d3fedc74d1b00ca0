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

bool LocalConsumer::is_new(std::uint32_t lane) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::none_of(lanes_, [&](const auto& known) { return known->number() == lane; });
}

// With the mutex held. A lane that has ended keeps what it is made of until the consumer's thread
// has looked at it for the last time, and nobody would without a port.
Status LocalConsumer::has_place() const {
  if (rings_ == nullptr) return fail(Errc::shutdown, "the consumer is gone");
  if (lanes_.size() + ended_ >= kMaxLanes) return fail(Errc::full, "the consumer has 1,024 lanes");
  return {};
}

Status LocalConsumer::may_add() const {
  const std::lock_guard lock(mutex_);
  return has_place();
}

Status LocalConsumer::add(std::shared_ptr<InLane> lane) {
  const std::lock_guard lock(mutex_);
  if (Status place = has_place(); !place) return place;
  lanes_.push_back(lane);
  news_.lanes.push_back(std::move(lane));
  ring();
  return {};
}

void LocalConsumer::lane_over() {
  const std::lock_guard lock(mutex_);
  --ended_;
}

bool LocalConsumer::lane_ended(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  const auto it =
      std::ranges::find_if(lanes_, [&](const auto& lane) { return lane->number() == number; });
  if (it == lanes_.end()) return false;
  (*it)->set_ended();
  lanes_.erase(it);
  ++ended_;
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
  News unread;  // With lanes, which end outside of the mutex.
  const std::lock_guard lock(mutex_);
  rings_ = nullptr;
  std::swap(unread, news_);
}

}  // namespace comch::transport::rdma
