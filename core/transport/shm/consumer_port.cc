// ConsumerPort: its life, and the ends of lanes. Intake takes messages, Showcase shows them.
#include "transport/shm/consumer_port.h"

#include <algorithm>
#include <utility>

#include "base/say.h"
#include "os/membarrier.h"
#include "os/memory.h"
#include "os/seq_socket.h"

namespace comch::transport::shm {

using comch::shm::PostedLayout;

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
