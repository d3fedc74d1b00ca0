// RdmaPacket: see rdma_packet.h. One pair of functions per packet, fields in the order of
// FORMAT.md; encode() and decode_rdma() share the question whether it is within its limits.
#include "wire/rdma_packet.h"

#include <utility>

namespace comch::wire {
namespace {

constexpr std::uint32_t kNoConsumer = 0xffff;
constexpr std::uint32_t kMax24 = (1U << 24U) - 1;

bool is_id(std::uint32_t id) { return id != 0 && id != kNoConsumer; }
bool is_end(const PairEnd& end) {
  return end.number != 0 && end.number <= kMax24 && end.first_packet <= kMax24;
}
// Memory of `size` bytes that does not wrap round the end of all addresses.
bool is_target(const Target& target, std::uint64_t size) {
  return target.address != 0 && target.address <= ~std::uint64_t{0} - size;
}
bool is_code(std::uint8_t number) {
  return number >= std::to_underlying(Errc::unknown) && number <= std::to_underlying(Errc::skipped);
}

bool legal(const RdmaConsumer& consumer) {
  return is_id(consumer.id) && consumer.depth >= 1 && consumer.depth <= kMaxPosted &&
         consumer.immediate_max <= kMaxImmediate && is_end(consumer.line) &&
         consumer.map_size >= 1 && consumer.map_size <= kMaxMap &&
         is_target(consumer.map, consumer.map_size);
}
bool legal(const RdmaAccepted& accepted) {
  return is_id(accepted.id) && is_end(accepted.line) && is_target(accepted.board, kMaxMap);
}
bool legal(const RdmaLane& lane) {
  return is_id(lane.consumer) && lane.number != 0 && is_end(lane.pair);
}
bool legal(const RdmaLaneReady& ready) {
  return is_id(ready.consumer) && ready.number != 0 && is_end(ready.pair) &&
         is_target(ready.lane, kMaxMap);
}
bool legal(const RdmaLaneEnd& end) { return is_id(end.consumer) && end.number != 0; }
bool legal(const RdmaLaneOver& over) { return is_id(over.consumer) && over.number != 0; }
bool legal(const RdmaConsumerEnd& end) { return is_id(end.id); }
bool legal(const RdmaConsumerDone& done) { return is_id(done.id); }
bool legal(const RdmaRefused& refused) {
  return is_id(refused.consumer) && is_code(std::to_underlying(refused.code));
}

void write(Writer& out, const PairEnd& end) {
  out.number(end.number);
  out.number(end.first_packet);
}
void write(Writer& out, const Target& target) {
  out.number(target.address);
  out.number(target.key);
}
void write(Writer& out, const RdmaConsumer& consumer) {
  out.number(consumer.id);
  out.number(consumer.depth);
  out.number(consumer.immediate_max);
  write(out, consumer.line);
  out.number(consumer.map_size);
  write(out, consumer.map);
}
void write(Writer& out, const RdmaAccepted& accepted) {
  out.number(accepted.id);
  write(out, accepted.line);
  write(out, accepted.board);
}
void write(Writer& out, const RdmaLane& lane) {
  out.number(lane.consumer);
  out.number(lane.number);
  write(out, lane.pair);
}
void write(Writer& out, const RdmaLaneReady& ready) {
  out.number(ready.consumer);
  out.number(ready.number);
  write(out, ready.pair);
  write(out, ready.lane);
}
void write(Writer& out, const RdmaLaneEnd& end) {
  out.number(end.consumer);
  out.number(end.number);
}
void write(Writer& out, const RdmaLaneOver& over) {
  out.number(over.consumer);
  out.number(over.number);
  out.number(over.messages);
}
void write(Writer& out, const RdmaConsumerEnd& end) { out.number(end.id); }
void write(Writer& out, const RdmaConsumerDone& done) { out.number(done.id); }
void write(Writer& out, const RdmaRefused& refused) {
  out.number(refused.consumer);
  out.number(refused.lane);
  out.number(std::to_underlying(refused.code));
}

constexpr Kind kind_of(const RdmaConsumer&) { return Kind::kRdmaConsumer; }
constexpr Kind kind_of(const RdmaAccepted&) { return Kind::kRdmaAccepted; }
constexpr Kind kind_of(const RdmaLane&) { return Kind::kRdmaLane; }
constexpr Kind kind_of(const RdmaLaneReady&) { return Kind::kRdmaLaneReady; }
constexpr Kind kind_of(const RdmaLaneEnd&) { return Kind::kRdmaLaneEnd; }
constexpr Kind kind_of(const RdmaLaneOver&) { return Kind::kRdmaLaneOver; }
constexpr Kind kind_of(const RdmaConsumerEnd&) { return Kind::kRdmaConsumerEnd; }
constexpr Kind kind_of(const RdmaConsumerDone&) { return Kind::kRdmaConsumerDone; }
constexpr Kind kind_of(const RdmaRefused&) { return Kind::kRdmaRefused; }

std::unexpected<Error> nonsense() {
  return fail(Errc::connection_reset, "a packet of the fast path that no correct peer writes");
}

// Fields are read in the order in which they are written here: that of the braces.
std::uint32_t word(Reader& in) { return in.number<std::uint32_t>(); }
PairEnd pair_end(Reader& in) { return {word(in), word(in)}; }
Target target(Reader& in) { return {in.number<std::uint64_t>(), word(in)}; }

template <class Body>
Result<RdmaPacket> checked(const Reader& in, const Body& body) {
  if (!in.done() || !legal(body)) return nonsense();
  return RdmaPacket(body);
}

Result<RdmaPacket> read_consumer(Reader in) {
  const RdmaConsumer body{.id = word(in),
                          .depth = word(in),
                          .immediate_max = word(in),
                          .line = pair_end(in),
                          .map_size = in.number<std::uint64_t>(),
                          .map = target(in)};
  return checked(in, body);
}

Result<RdmaPacket> read_accepted(Reader in) {
  const RdmaAccepted body{.id = word(in), .line = pair_end(in), .board = target(in)};
  return checked(in, body);
}

Result<RdmaPacket> read_lane(Reader in) {
  const RdmaLane body{.consumer = word(in), .number = word(in), .pair = pair_end(in)};
  return checked(in, body);
}

Result<RdmaPacket> read_lane_ready(Reader in) {
  const RdmaLaneReady body{
      .consumer = word(in), .number = word(in), .pair = pair_end(in), .lane = target(in)};
  return checked(in, body);
}

Result<RdmaPacket> read_lane_end(Reader in) {
  const RdmaLaneEnd body{.consumer = word(in), .number = word(in)};
  return checked(in, body);
}

Result<RdmaPacket> read_lane_over(Reader in) {
  const RdmaLaneOver body{.consumer = word(in), .number = word(in), .messages = word(in)};
  return checked(in, body);
}

Result<RdmaPacket> read_refused(Reader in) {
  RdmaRefused body{.consumer = word(in), .lane = word(in)};
  const auto code = in.number<std::uint8_t>();
  if (!is_code(code)) return nonsense();
  body.code = static_cast<Errc>(code);
  return checked(in, body);
}

}  // namespace

std::size_t encode(const RdmaPacket& packet, std::span<std::byte> out) {
  return std::visit(
      [&](const auto& body) -> std::size_t {
        if (!legal(body)) return 0;
        return write_frame(kind_of(body), out, [&](Writer& writer) { write(writer, body); });
      },
      packet);
}

Result<RdmaPacket> decode_rdma(std::span<const std::byte> bytes) {
  const Result<Frame> frame = read_frame(bytes);
  if (!frame) return std::unexpected(frame.error());
  Reader body(frame->body);
  switch (frame->kind) {
    case Kind::kRdmaConsumer:
      return read_consumer(body);
    case Kind::kRdmaAccepted:
      return read_accepted(body);
    case Kind::kRdmaLane:
      return read_lane(body);
    case Kind::kRdmaLaneReady:
      return read_lane_ready(body);
    case Kind::kRdmaLaneEnd:
      return read_lane_end(body);
    case Kind::kRdmaLaneOver:
      return read_lane_over(body);
    case Kind::kRdmaConsumerEnd: {
      const RdmaConsumerEnd end{word(body)};
      return checked(body, end);
    }
    case Kind::kRdmaConsumerDone: {
      const RdmaConsumerDone done{word(body)};
      return checked(body, done);
    }
    case Kind::kRdmaRefused:
      return read_refused(body);
    default:
      return nonsense();
  }
}

}  // namespace comch::wire
