// Lane: the messages of one producer to one consumer. It lies in memory of the producer's
// making; the producer's thread writes it and the consumer's thread reads it.
//
//   line 0   reader's   head           read so far; only in a lane with head credit
//   line 1   writer's   space_bell     "ring me when I can send again"
//   slots    writer's   128 bytes each, a power of two of them, elsewhere
//   side     writer's   immediate data that its slot has no room for, elsewhere
//
//   slot   word 0     sequence (32)  index (16)  kind (16), from the lowest bit
//          word 1     length (48)  immediate length (16), or how many messages are a row
//          byte 16    112 bytes: control words of the kind, immediate data, inline data
//          byte 64    64 bytes: data of a message of a row
//
// Rules:
//
//  1. Word 0 publishes the slot; its sequence is the position plus one, so that a slot of an
//     earlier lap, or of none, is not taken for a new one.
//  2. A batch writes all its slots and withholds the first one's word 0 to the end: nothing of
//     it is seen before all of it is there, and one store publishes it.
//  3. Immediate data lies in the slot if it fits behind the control words (ahead of inline data),
//     else in the slot's place of the side area. Both sides compute which.
//  4. Credit. Each message uses up a posted buffer. If there are no fewer slots than the
//     consumer may post buffers, then who holds one knows that its slot is free, and the head
//     is not used. Proof: let the writer hold a buffer for position p, and suppose that the
//     slot of p - slots has not been read. Then none behind it has, so that the buffers of
//     p - slots .. p - 1 and the one in hand are all out, more than were ever posted together.
//     "Has been read" is an edge, too: of those buffers take the one posted last. The reader
//     posted it when it had read that slot, and the writer has acquired it since.
//     Where there are fewer slots, or a message takes several (staged), the head is the
//     credit; the reader publishes it seldom, and the writer copies it when it is out of room.
//  5. The reader copies words 0 and 1 once, checks the copies, and takes nothing else on trust.
//     Payload goes to the application's memory, or is shown to it where it lies, and nothing here
//     looks at it.
//  6. A row's messages behind the first one are slots of which word 0 is not written. What stays
//     there has a sequence of an earlier lap; so that it is not one whose turn has come again, no
//     message is in a row once in every half of the sequences, for one lap.
//  7. A peer that breaks this is named once and never read again: the half is broken for good.
//
// Ordering:
//
//   LANE   writer's word 0 store(release) -> reader's load(acquire)
//          the slot, the rest of its batch, and what the slot speaks of are visible before it.
//   SPACE  reader's head store(release), or POST of posted_ring.h -> writer's load(acquire)
//          the reader's copies are finished before the slot is written again.
//
// Its halves are LaneWriter and LaneReader, each of one thread. Lifetime: both refer to the shared
// memory and are outlived by it. Zero bytes are a valid initial state; nothing constructs the lane.
// Tests: lane_test.cc (both halves, narrow positions), those of the halves (hostile values),
// lane_model.cc (under the C++ memory model), hostile_lane_fuzz.cc, lane_threads_test.cc (under
// TSan).
#pragma once

#include <concepts>
#include <cstdint>

#include "shm/bell.h"
#include "shm/fast_machine.h"
#include "shm/lane_slot.h"
#include "shm/untrusted.h"

namespace comch::shm {

template <class Machine = FastMachine, std::unsigned_integral Position = std::uint32_t>
struct LaneShared {
  alignas(kCacheLine) Untrusted<Position, Machine> head;
  alignas(kCacheLine) Bell<Machine> space_bell;
};
static_assert(sizeof(LaneShared<>) == 2 * kCacheLine);

}  // namespace comch::shm
