// RdmaPacket: what two machines say to each other about consumers and producers, on the control
// path of their connection. Each names one end of a queue pair, or memory that the other side
// may write to; the messages themselves are written there and never come this way.
//
// From the machine that has a consumer:
//
//   RdmaConsumer       here is one: its *line*, a queue pair to write to the other side by, and
//                      the memory it posts from
//   RdmaLaneReady      a lane is there to be written to
//   RdmaLaneOver       a lane that has ended is empty; what was lost in it can be sent again
//   RdmaConsumerEnd    it is gone
//
// From the machine that has producers:
//
//   RdmaAccepted       the consumer was understood: the *board* that it is to post on
//   RdmaLane           a lane is wanted
//   RdmaLaneEnd        that lane is not written to any more
//   RdmaConsumerDone   no lane to that consumer is left
//
// From both: RdmaRefused, the consumer or lane cannot be had here.
//
// decode_rdma() lets through what is within the limits below; what it *means* is the carrier's
// question.
//
// Threads: pure functions. FORMAT.md has every byte. Tests: rdma_packet_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "comch/result.h"
#include "wire/fast_packet.h"

namespace comch::wire {

// One end of a queue pair; both numbers have 24 bits.
struct PairEnd {
  std::uint32_t number = 0;
  std::uint32_t first_packet = 0;
  friend bool operator==(const PairEnd&, const PairEnd&) = default;
};

// Memory that the reader of the packet may write to. Its size follows from what both know.
struct Target {
  std::uint64_t address = 0;  // In the writer's numbers: its own.
  std::uint32_t key = 0;
  friend bool operator==(const Target&, const Target&) = default;
};

struct RdmaConsumer {
  std::uint32_t id = 0;  // Never 0 and never 0xffff.
  std::uint32_t depth = 0;
  std::uint32_t immediate_max = 0;
  PairEnd line;
  std::uint64_t map_size = 0;  // At most kMaxMap; not 0.
  Target map;
  friend bool operator==(const RdmaConsumer&, const RdmaConsumer&) = default;
};

struct RdmaAccepted {
  std::uint32_t id = 0;
  PairEnd line;
  Target board;
  friend bool operator==(const RdmaAccepted&, const RdmaAccepted&) = default;
};

struct RdmaLane {
  std::uint32_t consumer = 0;
  std::uint32_t number = 0;  // Of the lane; not 0, each once for a consumer.
  PairEnd pair;
  friend bool operator==(const RdmaLane&, const RdmaLane&) = default;
};

struct RdmaLaneReady {
  std::uint32_t consumer = 0;
  std::uint32_t number = 0;
  PairEnd pair;
  Target lane;
  friend bool operator==(const RdmaLaneReady&, const RdmaLaneReady&) = default;
};

struct RdmaLaneEnd {
  std::uint32_t consumer = 0;
  std::uint32_t number = 0;
  friend bool operator==(const RdmaLaneEnd&, const RdmaLaneEnd&) = default;
};

struct RdmaLaneOver {
  std::uint32_t consumer = 0;
  std::uint32_t number = 0;
  std::uint32_t messages = 0;  // That have arrived in it, ever, modulo 2^32.
  friend bool operator==(const RdmaLaneOver&, const RdmaLaneOver&) = default;
};

struct RdmaConsumerEnd {
  std::uint32_t id = 0;
  friend bool operator==(const RdmaConsumerEnd&, const RdmaConsumerEnd&) = default;
};

struct RdmaConsumerDone {
  std::uint32_t id = 0;
  friend bool operator==(const RdmaConsumerDone&, const RdmaConsumerDone&) = default;
};

struct RdmaRefused {
  std::uint32_t consumer = 0;
  std::uint32_t lane = 0;  // 0: the consumer itself.
  Errc code = Errc::operating_system;
  friend bool operator==(const RdmaRefused&, const RdmaRefused&) = default;
};

using RdmaPacket = std::variant<RdmaConsumer, RdmaAccepted, RdmaLane, RdmaLaneReady, RdmaLaneEnd,
                                RdmaLaneOver, RdmaConsumerEnd, RdmaConsumerDone, RdmaRefused>;

// As encode() and decode() of handshake.h.
std::size_t encode(const RdmaPacket& packet, std::span<std::byte> out);
Result<RdmaPacket> decode_rdma(std::span<const std::byte> bytes);

}  // namespace comch::wire
