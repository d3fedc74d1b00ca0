// Packet: see packet.h.
#include "transport/rdma/packet.h"

#include <utility>

#include "wire/bytes.h"

namespace comch::transport::rdma {

void write(const PacketHeader& header, std::span<std::byte, kPacketHeader> out) {
  wire::Writer writer(out);
  writer.number(std::to_underlying(header.kind));
  writer.number(std::uint8_t{0});
  writer.number(std::uint16_t{0});
  for (const std::uint32_t freed : header.freed) writer.number(freed);
}

std::optional<PacketHeader> read_header(std::span<const std::byte> packet) {
  if (packet.size() < kPacketHeader) return std::nullopt;
  wire::Reader in(packet.first(kPacketHeader));
  const auto kind = in.number<std::uint8_t>();
  const bool known = kind >= std::to_underlying(PacketKind::kMessage) &&
                     kind <= std::to_underlying(PacketKind::kGoodbye);
  const bool reserved = in.number<std::uint8_t>() != 0 || in.number<std::uint16_t>() != 0;
  if (!known || reserved) return std::nullopt;
  PacketHeader header{static_cast<PacketKind>(kind), {}};
  for (std::uint32_t& freed : header.freed) freed = in.number<std::uint32_t>();
  return header;
}

}  // namespace comch::transport::rdma
