// ConsumerPort: what is said on its line: of lanes, memory maps and files.
#include <algorithm>
#include <array>
#include <utility>

#include "base/say.h"
#include "os/packet.h"
#include "os/peer_file.h"
#include "transport/shm/consumer_port.h"
#include "wire/fast_packet.h"
#include "wire/handshake.h"

namespace comch::transport::shm {

static bool has_nothing(const os::Packet& packet) { return packet.fd_count == 0 && !packet.file; }

// One packet per call: the reactor says again when there is more.
void ConsumerPort::on_readable() { static_cast<void>(read_line()); }

// Why nothing more is read from the line. What came may have been the end of it.
Error ConsumerPort::why_over(const Result<os::Packet>& last) const {
  if (last && last->starved) {
    return {Errc::full, 0, "no descriptor is left for a producer; raise the limit on open files"};
  }
  return {Errc::connection_reset, last ? 0 : last.error().sys,
          state_ == State::kOpening
              ? "the other side is gone, or cannot take a consumer more; its log says which"
              : "the peer is gone"};
}

bool ConsumerPort::read_line() {
  if (line_over_) return false;
  std::array<std::byte, wire::kMaxPacket> buffer;
  Result<os::Packet> packet = os::receive(parts_.line, buffer, hub_->peer_uid(), os::Files::kTaken);
  if (!packet && packet.error().code == Errc::again) return false;
  const std::span<const std::byte> bytes =
      packet ? std::span<const std::byte>(buffer).first(packet->size) : std::span<std::byte>();
  if (!packet || packet->end || packet->truncated) {
    line_over_ = true;
    reactor_.unwatch(parts_.line.get());
    lose(why_over(packet));
    return false;
  }
  if (wire::is_fast(bytes)) {
    const Result<wire::FastPacket> said = wire::decode_fast(bytes);
    if (said) heard(*said, *packet);
    if (!said) lose(said.error());
    return true;
  }
  const Result<wire::Packet> said = wire::decode(bytes);
  if (said && std::holds_alternative<wire::Doorbell>(*said) && has_nothing(*packet)) {
    ++wakes_received_;
    owner_.on_wake();
  } else {
    lose(Error{Errc::connection_reset, 0, "the peer wrote nonsense on a consumer's line"});
  }
  return true;
}

template <class Find>
auto ConsumerPort::find_announced(const Find& find) {
  auto found = find();
  for (std::size_t n = 0; found == nullptr && n < kMaxLanes && read_line(); ++n) found = find();
  return found;
}

PeerMap* ConsumerPort::map_of(std::uint32_t number) {
  return find_announced([this, number] { return maps_.find(number); });
}

const os::PeerFile* ConsumerPort::file_of(std::uint32_t number) {
  return find_announced([this, number] { return files_.find(number); });
}

// Published by the sweep.
void ConsumerPort::post_again(std::uint16_t index, const Intake::Entry& entry) {
  writer_.post(index, entry.offset, entry.capacity());
  unheard_ = sweep_ = true;
}

void ConsumerPort::heard(const wire::FastPacket& said, os::Packet& packet) {
  const std::span<os::Fd> fds = std::span(packet.fds).first(packet.fd_count);
  Status done;
  if (const auto* file = std::get_if<wire::File>(&said)) {
    done = add_file(*file, packet);
  } else if (packet.file) {
    done = fail(Errc::connection_reset, "a file with a packet that has none");
  } else if (const auto* lane = std::get_if<wire::Lane>(&said)) {
    done = add_lane(*lane, fds);
  } else if (const auto* map = std::get_if<wire::Map>(&said)) {
    done = maps_.add(*map, fds, hub_->allowances());
  } else if (const auto* over = std::get_if<wire::MapEnd>(&said); over != nullptr && fds.empty()) {
    done = end_map(*over);
  } else if (const auto* end = std::get_if<wire::LaneEnd>(&said); end != nullptr && fds.empty()) {
    if (InLane* ending = lane_of(end->producer)) ending->ended = ending->heeded = true;
  } else if (const auto* accepted = std::get_if<wire::Accepted>(&said);
             accepted != nullptr && fds.empty() && state_ != State::kOpen) {
    if (state_ != State::kOpening) return;
    state_ = State::kOpen;
    may_relax_ = own_membarrier_ && accepted->membarrier;
    relax();  // This engine is awake: producers need no fence before its first sleep.
    return owner_.on_accepted();
  } else {
    done = fail(Errc::connection_reset, "a packet that does not belong on a consumer's line");
  }
  if (!done) {
    if (!closed()) {
      say(LogLevel::kWarning, "consumer {}: {}; its producers are cut off", id_,
          describe(done.error()));
    }
    return lose(done.error());
  }
  owner_.on_wake();
}

// Some files are memory, and come as that does.
Status ConsumerPort::add_file(const wire::File& file, os::Packet& packet) {
  if (packet.fd_count == 1 && !packet.file && os::is_regular_file(packet.fds[0])) {
    packet.file = os::PeerFile(std::move(packet.fds[0]), hub_->peer_uid());
    packet.fd_count = 0;
  }
  if (packet.fd_count != 0) return fail(Errc::connection_reset, "a file, and more");
  return files_.add(file, std::move(packet.file), hub_->allowances());
}

Status ConsumerPort::add_lane(const wire::Lane& lane, std::span<os::Fd> fds) {
  if (lanes_.size() >= kMaxLanes || lane_of(lane.producer) != nullptr) {
    return fail(Errc::connection_reset, "too many lanes, or two of one producer");
  }
  Result<std::unique_ptr<InLane>> made =
      InLane::make(lane, depth_, immediate_max_, views_, own_membarrier_, fds, hub_->allowances());
  if (!made) return std::unexpected(made.error());
  (*made)->shut = over_;
  (*made)->pass_ends(maps_.ends());
  lanes_.push_back(std::move(*made));
  note_only_lane();
  // Its producer may sleep until something is posted, which was told to the lanes known then.
  lanes_.back()->tell();
  return {};
}

// What was sent ahead of it lies in the lanes, and may speak of the map.
Status ConsumerPort::end_map(const wire::MapEnd& end) {
  if (files_.end(end.number)) return {};
  if (!maps_.end(end.number)) {
    return fail(Errc::connection_reset, "the end of a memory map that there is not");
  }
  for (const auto& lane : lanes_) lane->hear_ends(maps_.ends());
  unmap_passed();
  return {};
}

std::uint64_t ConsumerPort::ends_passed() const {
  std::uint64_t passed = maps_.ends();
  for (const auto& lane : lanes_) {
    if (!lane->shut) passed = std::min(passed, lane->ends_passed());
  }
  return passed;
}

// While a lane has not passed all, perhaps because it is never empty, each poll looks again.
void ConsumerPort::unmap_passed() {
  for (const auto& lane : lanes_) lane->look_for_passed(maps_.ends());
  const std::uint64_t passed = ends_passed();
  sweep_ = sweep_ || passed != maps_.ends();
  if (passed != std::exchange(passed_, passed)) maps_.unmap(passed);
}

}  // namespace comch::transport::shm
