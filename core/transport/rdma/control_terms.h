// ControlTerms: how much of the control path one connection has: how long its messages may be, and
// how many of them may be under way.
//
//   const ControlTerms terms = ControlTerms::of(4080, 64);
//   Slots::create(domain, terms.depth(), terms.slot_size(), ...)
//
// Threads: values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comch::transport::rdma {

// Receives of the classes whose windows are the protocol's.
inline constexpr std::uint32_t kLetterWindow = 16;
inline constexpr std::uint32_t kControlWindow = 4;
// A probe has its place beside a full queue of packets.
inline constexpr std::uint32_t kProbes = 1;

struct ControlTerms {
  std::uint32_t max_message = 0;  // Bytes; the same on both sides.
  std::uint32_t window = 0;       // Messages the peer may have under way.

  // As many as the queue is long, within a megabyte of pinned memory.
  static ControlTerms of(std::uint32_t max_message, std::uint32_t queue);
  std::size_t slot_size() const;
  // Packets of all classes that may be under way, each way.
  std::uint32_t depth() const { return window + kLetterWindow + kControlWindow; }
  // About what a device keeps for the queues of a link, before anything is said over it.
  std::size_t queue_bytes() const;
};

}  // namespace comch::transport::rdma
