// Seat: taking posted buffers, and giving back what was not used.
#include "transport/shm/seat.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "os/membarrier.h"

namespace comch::transport::shm {

using comch::shm::Attach;

Result<Seat> Seat::at(RemoteConsumer& consumer) {
  comch::shm::SeatId id = 0;
  switch (consumer.desk.try_attach(id, [] { std::ignore = os::expedite(); })) {
    case Attach::kAttached:
      return Seat(consumer, id);
    case Attach::kAgain:
      return fail(Errc::again, "another producer is just taking a posted buffer");
    case Attach::kFull:
      return fail(Errc::full, "the consumer has 1,024 producers");
    case Attach::kBroken:
      break;
  }
  return fail(Errc::connection_reset, "the consumer posted what does not exist");
}

Seat::Seat(RemoteConsumer& consumer, comch::shm::SeatId id)
    : consumer_(&consumer), id_(id), views_(consumer.terms.way == wire::Way::kView) {
  hand_.reserve(comch::shm::kHandMax);
}

Seat::Seat(Seat&& other) noexcept
    : consumer_(std::exchange(other.consumer_, nullptr)),
      id_(other.id_),
      views_(other.views_),
      hand_(std::move(other.hand_)) {}

Seat::~Seat() {
  if (consumer_ != nullptr) desk().detach(id_);
}

bool Seat::take(Posted& posted) {
  if (views_) {
    posted = {.offset = comch::shm::kNoBuffer, .capacity = comch::shm::kLanePayload, .index = 0};
    return true;
  }
  if (hand_.empty()) return take(std::span(&posted, 1)) != 0;
  posted = hand_.back();
  hand_.pop_back();
  return true;
}

void Seat::keep(const Posted& posted) {
  if (!views_) hand_.push_back(posted);
}

bool Seat::pass_on(const Posted& posted) {
  if (desk().shared() && desk().put_back(id_, posted)) return true;
  keep(posted);
  return false;
}

void Seat::take_ahead(std::size_t messages) {
  if (!hand_.empty() || views_) return;
  std::array<Posted, comch::shm::kStashMax> taken;
  const std::size_t count = take(std::span(taken).first(std::min(messages, taken.size())));
  for (std::size_t n = count; n > 0; --n) keep(taken[n - 1]);
}

void Seat::return_ahead() {
  // The last taken first, as a desk wants it. What it does not take is used next.
  const auto kept = std::ranges::find_if(
      hand_, [this](const Posted& posted) { return !desk().put_back(id_, posted); });
  hand_.erase(hand_.begin(), kept);
}

// A desk that is one producer's alone takes back only what was taken last; a shared one takes
// anything into a stash. So it is made a shared one.
void Seat::give_back() {
  if (hand_.empty()) return;
  const Result<Seat> beside = at(*consumer_);
  if (!beside) return;  // Nobody else will send: there is no seat.
  for (const Posted& posted : hand_) {
    if (desk().put_back(id_, posted)) continue;
    std::ignore = desk().put_back(beside->id_, posted);
  }
  hand_.clear();
}

}  // namespace comch::transport::shm
