// RemoteConsumer: a consumer of the other machine, as the producers of this process share it: the
// board it posts on, the desk they take from, and the lanes to it.
//
// A lane is made by both machines together and takes a round trip, so one is always there before
// the consumer is told of, and a producer that is done with one leaves it to the next.
//
//   wanted --RdmaLaneReady--> spare <--take--/--give back--> a producer's
//
// Ordering:
//
//   GONE   gone.store(release) -> load(acquire)
//          a guard for the flag alone; nothing is published with it.
//
// Threads: any; what changes is in the desk, in `gone`, and the lanes behind the hub's mutex.
// Lifetime: shared by the hub and the lanes in use. Errors: of make(), see there.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "transport/rdma/bell.h"
#include "transport/rdma/desk.h"
#include "transport/rdma/lane_record.h"
#include "transport/rdma/link.h"
#include "transport/rdma/pinned.h"

namespace comch::transport::rdma {

// A lane without a producer: all that goes from one to the next.
struct LaneParts {
  std::uint32_t number = 0;
  PairShare share;             // Of what the peer may have here.
  Pinned slots;                // What is sent; the same layout as the target.
  std::unique_ptr<Link> link;  // Behind the memory that it sends from.
  wire::Target target;         // At the consumer's machine.
  std::uint32_t position = 0;
  std::vector<Posted> sent;  // By slot that was ever written to: what the record has used up.
  Ringer ringer;
  Bell space;
};

// What may have been lost in a lane that has ended.
struct LostMessages {
  std::uint32_t position = 0;
  std::vector<Posted> sent;
};

class RemoteConsumer {
 public:
  // Work requests of one lane under way; also messages at most that wait for their acknowledgement.
  static constexpr std::uint32_t kSends = 256;

  // From what its machine has sent. operating_system, no_memory: it cannot be had here. full: its
  // peer has what it may have.
  static Result<std::shared_ptr<RemoteConsumer>> make(const wire::RdmaConsumer& terms,
                                                      const Fabric& fabric);
  struct Parts {
    PairShare share;
    Pinned board;
    std::unique_ptr<Link> line;
  };
  RemoteConsumer(const wire::RdmaConsumer& terms, const Fabric& fabric, Parts parts);
  RemoteConsumer(const RemoteConsumer&) = delete;
  RemoteConsumer& operator=(const RemoteConsumer&) = delete;

  const wire::RdmaConsumer terms;
  const LaneShape shape;
  const Fabric fabric;

  // Where its bell is, which it writes to when it sleeps.
  const std::byte* bell() const { return parts_.board.data(); }
  wire::RdmaAccepted acceptance() const;

  // The end of it: no send is accepted any more.
  bool gone() const { return gone_.load(std::memory_order_acquire); }  // GONE: meets set_gone().
  void set_gone() { gone_.store(true, std::memory_order_release); }    // GONE: met in gone().

  // Our end of a new lane. Errors: as of make().
  Result<LaneParts> make_lane(std::uint32_t number) const;

  // Behind the hub's mutex.
  struct Lanes {
    std::uint32_t last_number = 0;
    bool told = false;                          // The application knows of the consumer.
    std::map<std::uint32_t, LaneParts> wanted;  // By number: the other side has not answered.
    std::vector<LaneParts> spare;
    // Ended with messages under way, by number, until the other side says what has arrived.
    std::map<std::uint32_t, LostMessages> lost;
    std::uint32_t out = 0;        // With producers.
    bool awaited = false;         // A producer found none, and waits for one of those wanted.
    std::optional<Errc> refused;  // No more: so the other side has answered. Told once.
  };
  Lanes lanes;

 private:
  const Parts parts_;

 public:
  Desk desk;

 private:
  std::atomic<bool> gone_{false};
};

}  // namespace comch::transport::rdma
