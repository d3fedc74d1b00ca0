// InLane: a producer's lane, as the consumer sees it: the ring, the socket to ring the producer
// by, and what of a long message is copied so far. Intake (intake.h) reads it.
//
// Threads: the consumer's. Lifetime: owned by the consumer's port. Errors: of make(), see there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "os/fd.h"
#include "os/memfd.h"
#include "shm/bell.h"
#include "shm/chunk_job.h"
#include "shm/fast_layout.h"
#include "shm/lane_reader.h"
#include "shm/returns_ring.h"
#include "transport/shm/allowances.h"
#include "transport/shm/peer_maps.h"
#include "wire/fast_packet.h"

namespace comch::transport::shm {

// What whoever reads a lane finds there. kSome: messages, or a part of a long one. kBroken: what no
// correct producer writes.
enum class Found : std::uint8_t { kNothing, kSome, kBroken };

class InLane {
 public:
  // From what the producer's process has sent, for a consumer of these terms; `viewed`: it posts
  // no buffers.
  // connection_reset: no correct peer sends this. no_memory, full: the peer has its share. Others:
  // it cannot be mapped here.
  static Result<std::unique_ptr<InLane>> make(const wire::Lane& lane, std::uint32_t depth,
                                              std::uint32_t immediate_max, bool viewed,
                                              bool own_membarrier, std::span<os::Fd> fds,
                                              Allowances& allowances);

  struct Parts {
    os::Mapping mapping;
    os::Fd ringer;
    std::shared_ptr<const void> descriptor;  // The share of `ringer`.
  };
  InLane(std::uint32_t producer, const comch::shm::LaneLayout& layout, Parts parts,
         bool own_membarrier);

  std::uint32_t producer() const { return producer_; }
  const std::byte* bounce(std::uint64_t offset) const { return bounce_ + offset; }

  // A buffer of `map` is handed over under this handle, and holds the map. False: no correct
  // producer does that now.
  bool accept(std::uint32_t handle, PeerMap& map);
  // It is given back; `at` lies in it. False: it is not held.
  bool give_back(std::uint32_t handle, const std::byte* at);
  // What is held when the lane is no more stays so.
  void leave_to(PeerMaps& maps) const;

  // Memory maps have ended, so many in all. What lies in the lane may speak of them.
  void hear_ends(std::uint64_t ends);
  // The lane is empty, but for what came behind those ends.
  void pass_ends(std::uint64_t ends) {
    ends_passed_ = ends;
    heeded = ended;
  }
  // For a lane that always has something in it: passes the ends since which all that lay in it then
  // has been taken. Looks at nothing that the producer writes.
  void look_for_passed(std::uint64_t ends);
  // Of how many nothing in it speaks any more.
  std::uint64_t ends_passed() const { return ends_passed_; }

  // Something the producer may wait for has happened: wakes it if it sleeps.
  void tell();

  comch::shm::LaneReader<> reader;
  // The job at the head of the lane, when it has been begun; and what its slot, which the producer
  // can change at any time, said of it then.
  std::optional<comch::shm::ChunkJob<>> job;
  comch::shm::LaneRecord job_record;
  bool job_waits = false;  // What is left of it the producer copies, and rings.
  // Bytes of the staged message at the head: in all, and copied.
  std::uint64_t staged_total = 0;
  std::uint64_t staged = 0;
  std::uint16_t staged_index = 0;
  bool staged_open = false;  // More of it is to come.
  bool ended = false;        // The producer sends no more.
  // Once nothing is found in it something is to be done: it has ended, or a memory map has.
  bool heeded = false;
  bool shut = false;  // Nothing more is taken from it.

 private:
  // What lay in the lane when so many ends were known lies before this position and a lap, or is
  // taken: a producer has no more slots.
  struct Mark {
    std::uint64_t ends = 0;
    std::uint32_t position = 0;
  };

  const std::uint32_t producer_;
  const std::uint32_t slots_;
  std::uint64_t ends_passed_ = 0;
  Mark mark_;  // Of no meaning unless it has more ends than were passed.
  std::optional<comch::shm::ReturnsWriter<>> returns_;
  std::vector<PeerMap*> held_;  // By handle; null: it is not.
  const Parts parts_;
  const std::byte* bounce_;
  comch::shm::BellRinger<comch::shm::FastMachine> space_ringer_;
};

}  // namespace comch::transport::shm
