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
  // As many as there are, from the desk alone.
  std::size_t take(std::span<Posted> posted) { return desk().take(id_, posted); }
  // One that was not used: the next to be.
  void keep(const Posted& posted);
  // True: others have it. False: it is kept.
  bool pass_on(const Posted& posted);

  // Takes up to `messages` at once, ahead of a batch; and what the batch has not used goes back.
  void take_ahead(std::size_t messages);
  void return_ahead();
  // All of its hand, for other producers.
  void give_back();

  bool hand_empty() const { return hand_.empty(); }
  // Something is there to take.
  bool ready() { return views_ || !hand_.empty() || desk().ready(id_); }

 private:
  Seat(RemoteConsumer& consumer, comch::shm::SeatId id);
  RemoteConsumer::Desk& desk() { return consumer_->desk; }

  RemoteConsumer* consumer_;  // Null: moved from.
  comch::shm::SeatId id_;
  bool views_;
  std::vector<Posted> hand_;  // The next to be used is the last.
};

}  // namespace comch::transport::shm
