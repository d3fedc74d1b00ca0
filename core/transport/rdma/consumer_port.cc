// ConsumerPort: see consumer_port.h.
#include "transport/rdma/consumer_port.h"

#include <array>
#include <utility>

#include "base/say.h"

namespace comch::transport::rdma {

Result<std::unique_ptr<ConsumerPort>> ConsumerPort::open(Reactor& reactor,
                                                         const std::shared_ptr<Hub>& hub,
                                                         const Setup& setup,
                                                         ConsumerPortOwner& owner) {
  const Fabric& fabric = hub->fabric();
  const auto map = hub->exposures().of(*setup.map);
  if (!map) return std::unexpected(map.error());
  Result<os::Event> rings = os::Event::create();
  if (!rings) return std::unexpected(rings.error());
  Result<std::unique_ptr<Link>> line = Link::make(fabric, kLineSends);
  if (!line) return std::unexpected(line.error());
  Result<Pinned> posts =
      Pinned::make(*fabric.domain, board_size(setup.depth), RegionAccess::kLocalRead);
  if (!posts) return std::unexpected(posts.error());
  const std::span<std::byte> memory = setup.map->bytes();
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  const wire::RdmaConsumer terms{.id = hub->next_consumer_id(),
                                 .depth = setup.depth,
                                 .immediate_max = setup.immediate_max,
                                 .line = (*line)->self(),
                                 .map_size = memory.size(),
                                 .map = {static_cast<std::uint64_t>(address), (*map)->remote_key}};
  auto port = std::make_unique<ConsumerPort>(
      reactor, hub, memory, owner,
      Parts{std::move(*rings), std::move(*line), std::move(*posts), terms});
  if (Status s = port->open(); !s) return std::unexpected(s.error());
  return port;
}

ConsumerPort::ConsumerPort(Reactor& reactor, std::shared_ptr<Hub> hub, std::span<std::byte> memory,
                           ConsumerPortOwner& owner, Parts parts)
    : reactor_(reactor),
      hub_(std::move(hub)),
      owner_(owner),
      memory_(memory),
      rings_(std::move(parts.rings)),
      local_(std::make_shared<LocalConsumer>(parts.terms, std::move(parts.line),
                                             std::move(parts.posts), rings_)),
      slots_(posted_slots(parts.terms.depth)),
      line_ear_(*this, &local_->line()),
      entries_(parts.terms.depth),
      table_(entries_),
      immediates_(std::size_t{parts.terms.depth} * parts.terms.immediate_max) {}

Status ConsumerPort::open() {
  if (Status s = reactor_.watch(rings_.fd().get(), news_ear_); !s) return s;
  if (Status s = reactor_.watch(local_->line().fd(), line_ear_); !s) return s;
  if (Status s = hub_->enter(Hub::Kind::kConsumer, rings_); !s) return s;
  hub_->announce(local_);
  return {};
}

ConsumerPort::~ConsumerPort() {
  close();
  reactor_.clear_alarm(*this);
  reactor_.unwatch(rings_.fd().get());
  reactor_.unwatch(local_->line().fd());
  for (const Lane& lane : lanes_) reactor_.unwatch(lane.lane->link().fd());
  local_->forget_port();
  hub_->leave(rings_);
}

void ConsumerPort::close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  hub_->withdraw(id());
}

void ConsumerPort::lose(const Error& error) {
  if (state_ == State::kClosed) return;
  close();
  owner_.on_lost(error);
}

// --- Posting -----------------------------------------------------------------------------

void ConsumerPort::post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity) {
  table_.post(index, index, offset, capacity);
  const Posted posted{.offset = offset, .capacity = capacity, .index = index};
  write_posted(local_->posts().data(), written_, slots_, posted);
  ++written_;
}

void ConsumerPort::publish_some() {
  const std::uint32_t enough = std::max(local_->terms.depth / 2, 1U);
  if (busy_ && table_.posted() - held() >= enough) return;
  write_posts();
}

// One work request, or two where the board's end lies between, and more where a device's writes
// are short. What there is no room for is told next time.
void ConsumerPort::write_posts() {
  Link& line = local_->line();
  if (held() == 0 || state_ != State::kOpen) return;
  // Whoever posts one by one without progress fills the line before it is looked after.
  if (line.room() < 2) look_after_line();
  if (line.room() < 2 || line.failure()) return;
  while (held() != 0 && line.room() != 0) {
    std::array<SendRequest, 2> requests;
    const std::size_t most = std::min<std::size_t>(requests.size(), line.room());
    std::size_t count = 0;
    while (held() != 0 && count != most) requests.at(count++) = next_posts();
    if (Status s = line.post(std::span(requests).first(count)); !s) return lose(s.error());
  }
  for (const Lane& lane : lanes_) lane.lane->posted(line.posted());
}

// The write of what is held and lies in a row.
SendRequest ConsumerPort::next_posts() {
  const std::uint32_t at = told_ & (slots_ - 1);
  const std::uint64_t most = hub_->fabric().domain->limits().max_write / comch::shm::kPostedSize;
  const auto run = static_cast<std::uint32_t>(std::min<std::uint64_t>({held(), slots_ - at, most}));
  const std::uint64_t offset = board_offset(told_, slots_);
  const Segment from{.address = local_->posts().data() + offset,
                     .length = run * comch::shm::kPostedSize,
                     .local_key = local_->posts().local_key()};
  told_ += run;
  return write_to(board_, offset, from, local_->line().max_inline());
}

void ConsumerPort::settle() {
  write_posts();
  forget_ended();
}

// --- Taking ------------------------------------------------------------------------------

// What a producer says is held against what this side knows. Null: no correct one says that.
const comch::shm::PostedTable::Entry* ConsumerPort::check(const LaneRecord& record) const {
  const bool known = record.kind == LaneKind::kInline || record.kind == LaneKind::kDirect;
  if (!known || record.immediate > local_->terms.immediate_max) return nullptr;
  return table_.find(record.index, record.length);
}

Arrival ConsumerPort::take(InLane& lane, const LaneRecord& record,
                           const comch::shm::PostedTable::Entry& entry) {
  Arrival arrival{
      .index = record.index, .producer = record.producer, .length = record.length, .immediate = {}};
  if (record.immediate != 0) {
    std::byte* const to =
        immediates_.data() + std::size_t{record.index} * local_->terms.immediate_max;
    std::memcpy(to, lane.immediate(), record.immediate);
    arrival.immediate = {to, record.immediate};
  }
  if (record.kind == LaneKind::kDirect) {
    arrival.passage = Passage::kDirect;
  } else if (record.length != 0) {
    arrival.passage = Passage::kInline;
    std::memcpy(memory_.data() + entry.offset, lane.data(record), record.length);
  }
  lane.pop();
  table_.complete(record.index);
  return arrival;
}

void ConsumerPort::cut_off(InLane& lane, std::uint32_t producer) {
  say(LogLevel::kWarning,
      "producer {} wrote nonsense into its lane to consumer {}; its machine is cut off", producer,
      id());
  lane.set_broken();
  lose(Error{Errc::connection_reset, 0, "a producer wrote nonsense into its lane"});
}

bool ConsumerPort::has_message() const {
  if (over_) return false;
  LaneRecord record;
  return std::ranges::any_of(lanes_, [&](const Lane& lane) { return lane.lane->look(record); });
}

// --- Links -------------------------------------------------------------------------------

void ConsumerPort::look_after(Link& link) {
  link.poll();
  if (const std::uint32_t rings = link.take_rings(); rings != 0) {
    wakes_received_ += rings;
    bell_.rung();
  }
}

void ConsumerPort::look_after_line() {
  look_after(local_->line());
  tell_producers();
}

void ConsumerPort::look_after_links() {
  Link& line = local_->line();
  if (!line.idle()) look_after_line();
  if (line.failure() && state_ == State::kOpen) lose(*line.failure());
  for (const Lane& lane : lanes_) {
    Link& link = lane.lane->link();
    // One that broke is let go when its producers say that it has ended.
    if (!link.idle() || !awake_) {
      look_after(link);
      lane.lane->tell(line.done());
    }
  }
}

// Whoever sleeps until something is posted can see what has arrived.
void ConsumerPort::tell_producers() {
  for (const Lane& lane : lanes_) lane.lane->tell(local_->line().done());
}

void ConsumerPort::heard(Link* link) {
  ConsumerPortOwner& owner = owner_;  // What it hears first may make it end this port.
  if (link == nullptr) {
    rings_.drain();
    hear();
  } else {
    link->drain();
    link == &local_->line() ? look_after_line() : look_after(*link);
  }
  owner.on_wake();
}

void ConsumerPort::hear() {
  LocalConsumer::News news = local_->take_news();
  for (std::shared_ptr<InLane>& lane : news.lanes) adopt(std::move(lane));
  if (news.refused) lose(*news.refused);
  if (hub_->closed()) lose(Error{Errc::connection_reset, 0, "the peer is gone"});
  if (news.board && state_ == State::kOpening) {
    board_ = *news.board;
    state_ = State::kOpen;
    write_posts();
    owner_.on_accepted();  // The last thing: the owner may end this port when it hears of that.
  }
}

void ConsumerPort::adopt(std::shared_ptr<InLane> lane) {
  auto ear = std::make_unique<Ear>(*this, &lane->link());
  if (Status s = reactor_.watch(lane->link().fd(), *ear); !s) return lose(s.error());
  lane->posted(local_->line().posted());  // Before there was a lane to tell by.
  lane->tell(local_->line().done());
  lanes_.push_back({std::move(lane), std::move(ear)});
}

// Lanes that have ended, and are empty. Nothing may land in one behind the look that finds it so.
void ConsumerPort::forget_ended() {
  std::erase_if(lanes_, [&](const Lane& lane) {
    if (!lane.lane->ended()) return false;
    lane.lane->link().flush();
    LaneRecord record;
    if (lane.lane->look(record)) return false;
    reactor_.unwatch(lane.lane->link().fd());
    local_->lane_over();
    hub_->lane_over(id(), lane.lane->number(), lane.lane->messages());
    return true;
  });
}

// --- Sleeping ----------------------------------------------------------------------------

bool ConsumerPort::arm() {
  write_posts();
  awake_ = false;
  look_after_links();
  Link& line = local_->line();
  if (state_ == State::kOpen && bell_.due() && line.room() != 0) {
    const std::uint64_t episode = bell_.next();
    std::memcpy(local_->posts().data(), &episode, sizeof episode);
    const Segment from{.address = local_->posts().data(),
                       .length = sizeof episode,
                       .local_key = local_->posts().local_key()};
    std::array<SendRequest, 1> request{write_to(board_, 0, from, line.max_inline())};
    if (Status s = line.post(request); !s) bell_.take_back();
    reactor_.set_alarm(*this, reactor_.now_ns() + kSecondLook_ns);
  }
  line.arm();
  for (const Lane& lane : lanes_) lane.lane->link().arm();
  return false;
}

bool ConsumerPort::ready() {
  look_after_links();
  return !over_ && std::ranges::any_of(lanes_, [](const Lane& lane) {
    return lane.lane->ready() || lane.lane->ended();
  });
}

}  // namespace comch::transport::rdma
