// Seat: taking posted buffers, and giving back what was not used.
#include "transport/shm/seat.h"

#include <algorithm>
#include <cassert>
#include <ranges>
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
    : consumer_(&consumer),
      id_(id),
      views_(consumer.terms.way == wire::Way::kView),
      hand_(comch::shm::kHandMax),
      next_(hand_.size()) {}

// Nobody who moves waits.
Seat::Seat(Seat&& other) noexcept
    : consumer_(std::exchange(other.consumer_, nullptr)),
      id_(other.id_),
      views_(other.views_),
      hand_(std::move(other.hand_)),
      next_(other.next_) {}

Seat::~Seat() {
  if (consumer_ == nullptr) return;
  end_waiting();
  desk().detach(id_);
}

bool Seat::take(Posted& posted) {
  if (views_) {
    posted = {.offset = comch::shm::kNoBuffer, .capacity = comch::shm::kLanePayload, .index = 0};
    return true;
  }
  if (hand_empty()) return desk().take(id_, std::span(&posted, 1)) != 0;
  posted = hand_[next_++];
  return true;
}

std::size_t Seat::take(std::span<Posted> out) {
  assert(!views_);
  if (hand_empty()) return desk().take(id_, out);
  const std::size_t count = std::min(out.size(), hand().size());
  std::ranges::copy(hand().first(count), out.begin());
  use(count);
  return count;
}

void Seat::keep(const Posted& posted) {
  if (views_) return;
  if (next_ == 0) {
    hand_.insert(hand_.begin(), posted);
  } else {
    hand_[--next_] = posted;
  }
}

bool Seat::pass_on(const Posted& posted) {
  if (desk().shared() && desk().put_back(id_, posted)) return desk().waiters().any();
  keep(posted);
  return false;
}

void Seat::take_ahead(std::size_t messages) {
  if (!hand_empty() || views_) return;
  const std::size_t wanted = std::min<std::size_t>(messages, comch::shm::kStashMax);
  const auto room = std::span(hand_).last(wanted);
  const std::size_t count = desk().take(id_, room);
  std::ranges::move_backward(room.first(count), hand_.end());
  next_ -= count;
}

bool Seat::return_hand() {
  // The last taken first, as a desk wants it. What it does not take is used next.
  std::size_t kept = hand_.size();
  while (kept != next_ && desk().put_back(id_, hand_[kept - 1])) --kept;
  std::ranges::move_backward(std::span(hand_).subspan(next_, kept - next_), hand_.end());
  next_ += hand_.size() - kept;
  return desk().waiters().any();
}

// A desk that is one producer's alone takes back only what was taken last; a shared one takes
// anything into a stash. So it is made a shared one.
void Seat::give_back() {
  if (hand_empty()) return;
  const Result<Seat> beside = at(*consumer_);
  if (!beside) return;  // Nobody else will send: there is no seat.
  for (const Posted& posted : std::views::reverse(hand())) {
    if (desk().put_back(id_, posted)) continue;
    std::ignore = desk().put_back(beside->id_, posted);
  }
  next_ = hand_.size();
}

void Seat::begin_waiting() {
  if (!std::exchange(waits_, true)) desk().waiters().begin();
}

void Seat::end_waiting() {
  if (std::exchange(waits_, false)) desk().waiters().end();
}

}  // namespace comch::transport::shm
