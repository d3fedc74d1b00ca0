// Frame: see frame.h.
#include "wire/frame.h"

#include <algorithm>
#include <utility>

namespace comch::wire {
namespace {

bool is_kind(std::uint16_t number) {
  const auto between = [number](Kind first, Kind last) {
    return number >= std::to_underlying(first) && number <= std::to_underlying(last);
  };
  return between(Kind::kHello, Kind::kFile) || between(Kind::kCall, Kind::kRemoteWelcome) ||
         between(Kind::kRdmaConsumer, Kind::kRdmaRefused);
}

}  // namespace

Result<Frame> read_frame(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderSize || bytes.size() > kMaxPacket) {
    return fail(Errc::connection_reset, "a packet of impossible size");
  }
  Reader header(bytes.first(kHeaderSize));
  if (header.number<std::uint32_t>() != kMagic) {
    return fail(Errc::connection_reset, "not a comch packet");
  }
  const auto version = header.number<std::uint16_t>();
  const auto kind = header.number<std::uint16_t>();
  if (header.number<std::uint32_t>() != bytes.size()) {
    return fail(Errc::connection_reset, "a packet cut or joined");
  }
  if (version != kVersion) return fail(Errc::unsupported_version, "a packet of another version");
  if (!is_kind(kind)) return fail(Errc::connection_reset, "a packet of unknown kind");
  return Frame{static_cast<Kind>(kind), bytes.subspan(kHeaderSize)};
}

Result<Frame> read_padded_frame(std::span<const std::byte> field) {
  if (field.size() < kHeaderSize) return read_frame(field);
  const auto size =
      Reader(field.subspan(kSizeField, sizeof(std::uint32_t))).number<std::uint32_t>();
  if (size > field.size() ||
      std::ranges::any_of(field.subspan(size), [](std::byte b) { return b != std::byte{}; })) {
    return fail(Errc::connection_reset, "a packet with something behind it");
  }
  return read_frame(field.first(size));
}

}  // namespace comch::wire
