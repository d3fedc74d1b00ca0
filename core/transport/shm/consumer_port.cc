// ConsumerPort: its life, and what is said on its line. Intake takes messages, Showcase shows them.
#include "transport/shm/consumer_port.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/say.h"
#include "os/membarrier.h"
#include "os/memory.h"
#include "os/seq_socket.h"
#include "wire/handshake.h"

namespace comch::transport::shm {

using comch::shm::PostedLayout;

static bool has_nothing(const os::Packet& packet) { return packet.fd_count == 0 && !packet.file; }

Result<std::unique_ptr<ConsumerPort>> ConsumerPort::open(Reactor& reactor,
                                                         const std::shared_ptr<Hub>& hub,
                                                         const Setup& setup,
                                                         ConsumerPortOwner& owner) {
  const Result<PostedLayout> layout = PostedLayout::make(setup.depth);
  if (!layout) return std::unexpected(layout.error());
  Result<os::Fd> memory = os::make_sealed_memfd("comch-posted", layout->size);
  if (!memory) return std::unexpected(memory.error());
  Result<os::Mapping> posted = os::Mapping::map(*memory, layout->size);
  if (!posted) return std::unexpected(posted.error());
  auto line = os::pair();
  if (!line) return std::unexpected(line.error());
  os::Fd shown;
  if (setup.way == wire::Way::kMapped) {
    Result<os::Fd> copy = os::duplicate(setup.memfd->get());
    if (!copy) return std::unexpected(copy.error());
    shown = std::move(*copy);
  }
  auto port = std::make_unique<ConsumerPort>(
      reactor, hub, setup, owner, Parts{*layout, std::move(*posted), std::move(line->first)},
      os::register_expedited());
  if (Status s = reactor.watch(port->parts_.line.get(), *port); !s) {
    return std::unexpected(s.error());
  }
  if (Status s = hub->enter(Hub::Kind::kConsumer, port->parts_.line, nullptr); !s) {
    return std::unexpected(s.error());
  }
  port->announce(setup, std::move(*memory), std::move(line->second), std::move(shown));
  return port;
}

ConsumerPort::ConsumerPort(Reactor& reactor, std::shared_ptr<Hub> hub, const Setup& setup,
                           ConsumerPortOwner& owner, Parts parts, bool own_membarrier)
    : reactor_(reactor),
      hub_(std::move(hub)),
      owner_(owner),
      id_(hub_->next_consumer_id()),
      depth_(setup.depth),
      immediate_max_(setup.immediate_max),
      views_(setup.way == wire::Way::kView),
      own_membarrier_(own_membarrier),
      parts_(std::move(parts)),
      writer_(comch::shm::posted_run_at(parts_.posted.bytes().data()),
              parts_.posted.bytes().data() + parts_.layout.ring, parts_.layout.slots),
      intake_({.names = names(), .immediate_max = setup.immediate_max, .memory = setup.memory},
              *this, reactor_.next_answer()),
      sleeper_(comch::shm::posted_at(parts_.posted.bytes().data()).data_bell),
      showcase_(reactor_.next_answer()),
      maps_(setup.descriptors) {
  parts_.line.close_in_children();
}

ConsumerPort::~ConsumerPort() {
  close();
  reactor_.unwatch(parts_.line.get());
  hub_->leave(parts_.line);
  os::hang_up(parts_.line, hub_->peer_uid());
}

void ConsumerPort::announce(const Setup& setup, os::Fd posted, os::Fd line, os::Fd memory) {
  const bool mapped = setup.way == wire::Way::kMapped;
  const wire::Consumer terms{
      .id = id_,
      .depth = depth_,
      .immediate_max = immediate_max_,
      .way = setup.way,
      .membarrier = own_membarrier_,
      .map_offset = mapped ? setup.memfd_offset : 0,
      .map_size = setup.memory.size(),
      .map_address =
          setup.way == wire::Way::kCma
              ? static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(setup.memory.data()))
              : 0};
  hub_->announce(terms, {std::move(posted), std::move(line), std::move(memory)}, mapped ? 3 : 2);
}

void ConsumerPort::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  hub_->withdraw(id_);
}

void ConsumerPort::lose(const Error& error) {
  if (state_ == State::kClosed) return;
  close();
  owner_.on_lost(error);
}

void ConsumerPort::publish_and_tell() {
  writer_.publish();
  unheard_ = false;
  for (const auto& lane : lanes_) lane->tell();
}

bool ConsumerPort::ready() const {
  return std::ranges::any_of(lanes_, [this](const auto& lane) { return has_work(*lane); });
}

// Not all that lies in a lane can be dealt with now; whoever waits may sleep then.
bool ConsumerPort::has_work(InLane& lane) const {
  if (lane.shut) return false;
  if (lane.job_waits) return lane.job->state() != comch::shm::JobState::kPending;
  if (lane.reader.ready()) return !views_ || showcase_.takes(lane);
  return lane.heeded && (!lane.ended || lane.reader.kept() == 0);
}

bool ConsumerPort::has_message() const {
  return std::ranges::any_of(lanes_,
                             [](const auto& lane) { return !lane->shut && lane->reader.ready(); });
}

Sign ConsumerPort::sign() const {
  if (only_ == nullptr || sweep_ || closed() || only_->heeded || only_->shut || only_->job)
    return {};
  Sign sign;
  sign.word = only_->reader.sign(sign.quiet);
  return sign;
}

// --- The end of a lane --------------------------------------------------------------------

// A lane that is broken, or is empty now and has ended, or a map has. One that waits for the end of
// a job is not empty.
void ConsumerPort::end(InLane& lane, Found found) {
  if (found == Found::kBroken) {
    // Of a closed one the message may speak of what was refused on the line.
    if (std::exchange(lane.shut, true) || closed()) return;
    say(LogLevel::kWarning,
        "producer {} wrote nonsense into its lane to consumer {}; its process "
        "is cut off",
        lane.producer(), id_);
    return lose(Error{Errc::connection_reset, 0, "a producer wrote nonsense into its lane"});
  }
  if (!lane.job) lane.pass_ends(maps_.ends());
  sweep_ = true;
}

// The buffer of a message that its producer has not finished is posted again: it is whole but for
// bytes nobody was promised.
void ConsumerPort::sweep() {
  std::erase_if(lanes_, [&](const std::unique_ptr<InLane>& lane) {
    if (!lane->ended || lane->reader.ready() || lane->reader.kept() != 0) return false;
    if (const Intake::Entry* entry = intake_.begun(*lane)) post_again(lane->staged_index, *entry);
    lane->leave_to(maps_);
    return true;
  });
  note_only_lane();
  sweep_ = false;
  unmap_passed();
  publish();
}

// --- The line ----------------------------------------------------------------------------

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

InLane* ConsumerPort::lane_of(std::uint32_t producer) {
  const auto it = std::ranges::find(lanes_, producer, [](const auto& l) { return l->producer(); });
  return it == lanes_.end() ? nullptr : it->get();
}

bool ConsumerPort::give_back(std::uint32_t producer, std::uint32_t handle, const std::byte* at) {
  InLane* lane = lane_of(producer);
  const bool is_back = lane != nullptr && lane->give_back(handle, at);
  if (!is_back) maps_.let_go(producer, handle, at);
  if (maps_.ending()) maps_.unmap(ends_passed());
  return is_back;
}

}  // namespace comch::transport::shm
