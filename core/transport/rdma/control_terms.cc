// ControlTerms: see control_terms.h.
#include "transport/rdma/control_terms.h"

#include <algorithm>
#include <bit>

#include "transport/rdma/packet.h"
#include "wire/frame.h"

namespace comch::transport::rdma {
namespace {

constexpr std::size_t kSlotAlignment = 64;  // So that no two packets share a line.
constexpr std::size_t kPinned = std::size_t{1} << 20U;
constexpr std::uint32_t kFewest = 16;

}  // namespace

std::size_t ControlTerms::slot_size() const {
  const std::size_t body = std::max<std::size_t>(max_message, wire::kMaxPacket);
  return (kPacketHeader + body + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
}

ControlTerms ControlTerms::of(std::uint32_t max_message, std::uint32_t queue) {
  ControlTerms terms{.max_message = max_message, .window = queue};
  const auto most = static_cast<std::uint32_t>(kPinned / terms.slot_size());
  terms.window = std::min(queue, std::max(most, kFewest));
  return terms;
}

// By the sizes of soft-RoCE, which are the largest we know of: powers of two of entries, and in
// each send room for what is inlined.
std::size_t ControlTerms::queue_bytes() const {
  constexpr std::size_t kSendEntry = 512;
  constexpr std::size_t kReceiveEntry = 64;
  constexpr std::size_t kCompletionEntry = 64;
  const std::size_t entries = std::bit_ceil(depth() + kProbes + 1U);
  return entries * (kSendEntry + kReceiveEntry + 2 * kCompletionEntry);
}

}  // namespace comch::transport::rdma
