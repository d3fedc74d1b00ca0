// Seat: a producer's place at a consumer's desk, and the posted buffers in its hand: those that it
// has taken there and not used yet.
//
//   Result<Seat> seat = Seat::at(*consumer);
//   if (seat->take(posted) && !fits(posted)) seat->keep(posted);  // The next to be used.
//
// A consumer that looks at messages where they lie posts nothing: there a slot is all there is to
// take.
//
// Threads: the producer's. Lifetime: the consumer outlives it; what is in its hand at the end, and
// was not given back, nobody sends to any more. Errors: of at().
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "comch/result.h"
#include "shm/desk.h"
#include "shm/posted_ring.h"
#include "transport/shm/remote_consumer.h"

namespace comch::transport::shm {

class Seat {
 public:
  using Posted = comch::shm::Posted;

  // again: try later. full: there are too many producers. connection_reset: the consumer posted
  // what does not exist.
  static Result<Seat> at(RemoteConsumer& consumer);
  Seat(Seat&& other) noexcept;
  Seat& operator=(Seat&&) = delete;
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;
  ~Seat();

  // False: nothing is posted.
  bool take(Posted& posted);
  // As many as there are at once, up to out.size(), and none in a view's place. Answers how many.
  std::size_t take(std::span<Posted> out);
  // One that was not used: the next to be.
  void keep(const Posted& posted);
  // One that others may use. True: one of them sleeps until there is one, and is to be woken.
  [[nodiscard]] bool pass_on(const Posted& posted);

  // Takes up to `messages` at once into an empty hand, ahead of a batch; and what the batch has not
  // used goes back: as pass_on() of each.
  void take_ahead(std::size_t messages);
  [[nodiscard]] bool return_ahead() { return !hand_empty() && return_hand(); }
  // What is in its hand, the next to be used first; and the first ones of it are used.
  std::span<const Posted> hand() const { return std::span(hand_).subspan(next_); }
  void use(std::size_t messages) { next_ += messages; }
  // All of its hand, for other producers.
  void give_back();

  bool hand_empty() const { return next_ == hand_.size(); }
  // Around a sleep until there is something to take; ready() is asked in between.
  void begin_waiting();
  void end_waiting();
  // Something is there to take.
  bool ready() { return views_ || !hand_empty() || desk().ready(id_); }

 private:
  Seat(RemoteConsumer& consumer, comch::shm::SeatId id);
  RemoteConsumer::Desk& desk() { return consumer_->desk; }
  bool return_hand();

  RemoteConsumer* consumer_;  // Null: moved from.
  comch::shm::SeatId id_;
  bool views_;
  bool waits_ = false;
  // Filled from its end on, so that the next to be used goes ahead of the others. There is room
  // for all that is lent or under way, too.
  std::vector<Posted> hand_;
  std::size_t next_;
};

}  // namespace comch::transport::shm
