// FastPacket: see fast_packet.h. One pair of functions per packet, fields in the order of
// FORMAT.md; encode() and decode_fast() share the question whether it is within its limits.
#include "wire/fast_packet.h"

#include <utility>

namespace comch::wire {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kMaxBounce = std::uint64_t{1} << 30U;
constexpr std::uint32_t kNoConsumer = 0xffff;
constexpr std::uint32_t kFlagMembarrier = 1;

bool is_id(std::uint32_t id) { return id != 0 && id != kNoConsumer; }
bool is_way(std::uint8_t way) {
  return way >= std::to_underlying(Way::kMapped) && way <= std::to_underlying(Way::kView);
}
bool is_range(std::uint64_t offset, std::uint64_t size) {
  return size <= kMaxMap && offset <= kMaxMap && offset % kPage == 0;
}

bool legal(const Consumer& consumer) {
  return is_id(consumer.id) && consumer.depth >= 1 && consumer.depth <= kMaxPosted &&
         consumer.immediate_max <= kMaxImmediate &&
         is_range(consumer.map_offset, consumer.map_size) &&
         (consumer.way != Way::kMapped || consumer.map_size != 0) &&
         (consumer.way != Way::kView || consumer.map_size == 0);
}
bool legal(const ConsumerEnd& end) { return is_id(end.id); }
bool legal(const Accepted&) { return true; }
bool legal(const Lane& lane) {
  return lane.slots <= kMaxPosted && lane.handles <= kMaxPosted && lane.bounce_size <= kMaxBounce;
}
bool legal(const LaneEnd&) { return true; }
bool legal(const Map& map) { return map.size != 0 && is_range(map.offset, map.size); }
bool legal(const MapEnd&) { return true; }
bool legal(const File&) { return true; }

std::uint32_t flags_of(bool membarrier) { return membarrier ? kFlagMembarrier : 0U; }

void write(Writer& out, const Consumer& consumer) {
  out.number(consumer.id);
  out.number(consumer.depth);
  out.number(consumer.immediate_max);
  out.number(flags_of(consumer.membarrier));
  out.number(consumer.map_offset);
  out.number(consumer.map_size);
  out.number(consumer.map_address);
  out.number(std::to_underlying(consumer.way));
}
void write(Writer& out, const ConsumerEnd& end) { out.number(end.id); }
void write(Writer& out, const Accepted& accepted) { out.number(flags_of(accepted.membarrier)); }
void write(Writer& out, const Lane& lane) {
  out.number(lane.producer);
  out.number(lane.slots);
  out.number(lane.handles);
  out.number(lane.bounce_size);
}
void write(Writer& out, const LaneEnd& end) { out.number(end.producer); }
void write(Writer& out, const Map& map) {
  out.number(map.number);
  out.number(map.offset);
  out.number(map.size);
}
void write(Writer& out, const MapEnd& end) { out.number(end.number); }
void write(Writer& out, const File& file) { out.number(file.number); }

constexpr Kind kind_of(const Consumer&) { return Kind::kConsumer; }
constexpr Kind kind_of(const ConsumerEnd&) { return Kind::kConsumerEnd; }
constexpr Kind kind_of(const Accepted&) { return Kind::kAccepted; }
constexpr Kind kind_of(const Lane&) { return Kind::kLane; }
constexpr Kind kind_of(const LaneEnd&) { return Kind::kLaneEnd; }
constexpr Kind kind_of(const Map&) { return Kind::kMap; }
constexpr Kind kind_of(const MapEnd&) { return Kind::kMapEnd; }
constexpr Kind kind_of(const File&) { return Kind::kFile; }

std::unexpected<Error> nonsense() {
  return fail(Errc::connection_reset, "a packet of the fast path that no correct peer writes");
}

// Unknown flags are refused: they could not be given a meaning later if today's peers sent
// them by accident.
bool read_flags(Reader& in, bool& membarrier) {
  const auto flags = in.number<std::uint32_t>();
  membarrier = (flags & kFlagMembarrier) != 0;
  return (flags & ~kFlagMembarrier) == 0;
}

template <class Body>
Result<FastPacket> checked(const Reader& in, const Body& body, bool also = true) {
  if (!in.done() || !also || !legal(body)) return nonsense();
  return FastPacket(body);
}

Result<FastPacket> read_consumer(Reader in) {
  Consumer consumer;
  consumer.id = in.number<std::uint32_t>();
  consumer.depth = in.number<std::uint32_t>();
  consumer.immediate_max = in.number<std::uint32_t>();
  const bool flags_known = read_flags(in, consumer.membarrier);
  consumer.map_offset = in.number<std::uint64_t>();
  consumer.map_size = in.number<std::uint64_t>();
  consumer.map_address = in.number<std::uint64_t>();
  const auto way = in.number<std::uint8_t>();
  if (!is_way(way)) return nonsense();
  consumer.way = static_cast<Way>(way);
  return checked(in, consumer, flags_known);
}

Result<FastPacket> read_accepted(Reader in) {
  Accepted accepted;
  const bool flags_known = read_flags(in, accepted.membarrier);
  return checked(in, accepted, flags_known);
}

Result<FastPacket> read_lane(Reader in) {
  Lane lane;
  lane.producer = in.number<std::uint32_t>();
  lane.slots = in.number<std::uint32_t>();
  lane.handles = in.number<std::uint32_t>();
  lane.bounce_size = in.number<std::uint64_t>();
  return checked(in, lane);
}

Result<FastPacket> read_map(Reader in) {
  Map map;
  map.number = in.number<std::uint32_t>();
  map.offset = in.number<std::uint64_t>();
  map.size = in.number<std::uint64_t>();
  return checked(in, map);
}

Result<FastPacket> read_consumer_end(Reader in) {
  const ConsumerEnd end{in.number<std::uint32_t>()};
  return checked(in, end);
}

Result<FastPacket> read_map_end(Reader in) {
  const MapEnd end{in.number<std::uint32_t>()};
  return checked(in, end);
}

Result<FastPacket> read_file(Reader in) {
  const File file{in.number<std::uint32_t>()};
  return checked(in, file);
}

Result<FastPacket> read_lane_end(Reader in) {
  const LaneEnd end{in.number<std::uint32_t>()};
  return checked(in, end);
}

}  // namespace

std::size_t encode(const FastPacket& packet, std::span<std::byte> out) {
  return std::visit(
      [&](const auto& body) -> std::size_t {
        if (!legal(body)) return 0;
        return write_frame(kind_of(body), out, [&](Writer& writer) { write(writer, body); });
      },
      packet);
}

Result<FastPacket> decode_fast(std::span<const std::byte> bytes) {
  const Result<Frame> frame = read_frame(bytes);
  if (!frame) return std::unexpected(frame.error());
  const Reader body(frame->body);
  switch (frame->kind) {
    case Kind::kConsumer:
      return read_consumer(body);
    case Kind::kConsumerEnd:
      return read_consumer_end(body);
    case Kind::kAccepted:
      return read_accepted(body);
    case Kind::kLane:
      return read_lane(body);
    case Kind::kLaneEnd:
      return read_lane_end(body);
    case Kind::kMap:
      return read_map(body);
    case Kind::kMapEnd:
      return read_map_end(body);
    case Kind::kFile:
      return read_file(body);
    default:
      return nonsense();
  }
}

bool is_fast(std::span<const std::byte> bytes) {
  const Result<Frame> frame = read_frame(bytes);
  return frame && frame->kind >= Kind::kConsumer && frame->kind <= Kind::kFile;
}

}  // namespace comch::wire
