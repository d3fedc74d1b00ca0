// OutLane: its life, posted buffers, messages that are complete at once, and waiting.
#include "transport/shm/out_lane.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace comch::transport::shm {

using comch::shm::LaneLayout;

// --- Life --------------------------------------------------------------------------------

Result<std::unique_ptr<OutLane>> OutLane::open(std::shared_ptr<RemoteConsumer> consumer,
                                               std::uint32_t producer, const os::Fd& ringer,
                                               const Options& options) {
  const wire::Consumer& terms = consumer->terms;
  const wire::Lane lane{
      .producer = producer,
      .slots = options.slots,
      .handles = options.handles,
      .bounce_size = terms.way == wire::Way::kStaged && terms.map_size != 0 ? options.staging : 0};
  const Result<LaneLayout> layout = LaneLayout::make({.depth = terms.depth,
                                                      .slots = lane.slots,
                                                      .immediate_max = terms.immediate_max,
                                                      .bounce_size = lane.bounce_size,
                                                      .handles = lane.handles,
                                                      .viewed = terms.way == wire::Way::kView});
  if (!layout) return std::unexpected(layout.error());
  // Ahead of what costs more: whoever is told to come again may do so at once.
  Result<Seat> seat = Seat::at(*consumer);
  if (!seat) return std::unexpected(seat.error());
  const Result<os::Fd> memory = os::make_sealed_memfd("comch-lane", layout->size);
  if (!memory) return std::unexpected(memory.error());
  Result<os::Mapping> mapping = os::Mapping::map(*memory, layout->size);
  if (!mapping) return std::unexpected(mapping.error());
  const std::array<int, 2> fds{memory->get(), ringer.get()};
  if (Status said = consumer->say(lane, fds); !said) return std::unexpected(said.error());
  return std::make_unique<OutLane>(
      Parts{std::move(consumer), std::move(*seat), *layout, std::move(*mapping), options});
}

// Bytes of the longest message that is copied by this side alone, and in one go.
std::size_t OutLane::longest_alone(const Options& options) {
  if (options.cooperative == 0) return kAtOnce;
  return std::min<std::size_t>(options.cooperative - 1, kAtOnce);
}

OutLane::OutLane(Parts parts)
    : consumer_(std::move(parts.consumer)),
      seat_(std::move(parts.seat)),
      layout_(parts.layout),
      options_(parts.options),
      mapping_(std::move(parts.mapping)),
      memory_(consumer_->memory()),
      views_(consumer_->terms.way == wire::Way::kView),
      may_prepare_(views_ || (consumer_->own_membarrier && !layout_.shape.head_credit)),
      small_(memory_.empty() ? comch::shm::kLanePayload : longest_alone(options_)),
      out_{
          .consumer = *consumer_,
          .writer = comch::shm::LaneWriter<>(comch::shm::lane_at(mapping_.bytes().data()),
                                             mapping_.bytes().data() + layout_.slots,
                                             mapping_.bytes().data() + layout_.side, layout_.shape),
          .ringer = comch::shm::BellRinger<comch::shm::FastMachine>(consumer_->data_bell(),
                                                                    !consumer_->own_membarrier),
          .counters = {}},
      batch_(out_, seat_, {.memory = memory_, .small = small_, .indexes = layout_.shape.indexes}),
      sleeper_(comch::shm::lane_at(mapping_.bytes().data()).space_bell),
      under_way_(out_, memory_, mapping_.bytes().subspan(layout_.bounce, layout_.shape.bounce_size),
                 layout_.shape.slots, options_.cooperative),
      handles_(mapping_.bytes().data() + layout_.returns, layout_.returns_slots, options_.handles) {
  // Who waits for nothing is not to be rung, and the consumer's posts cost it no fence.
  relax();
}

OutLane::~OutLane() {
  loans_.end_all([this](const Posted& posted) { seat_.keep(posted); });
  if (const auto posted = under_way_.take_unheard()) seat_.keep(*posted);
  if (!gone()) seat_.give_back();
}

void OutLane::find_hindrance() {
  hindered_ = failure_ || !under_way_.empty() || !seat_.hand_empty();
}

void OutLane::break_off(const Error& why) {
  failure_ = why;
  hinder();
}

Error OutLane::failure() const {
  return failure_.value_or(Error{Errc::connection_reset, 0, "the consumer is gone"});
}

bool OutLane::settled() const { return !under_way() && !lends() && handles_.all_free(); }

// --- Posted buffers ----------------------------------------------------------------------

void OutLane::keep(const Posted& posted) {
  seat_.keep(posted);
  hinder();
}

void OutLane::take_ahead(std::size_t messages) {
  seat_.take_ahead(messages);
  hinder();
}

OutLane::Ahead OutLane::look_ahead(std::uint32_t most) {
  if (!is_unhindered() || out_.writer.withholds() || views_) return {};
  if (consumer_->desk.shared()) return take_ahead_of_row(std::min(most, out_.writer.room()));
  const auto ahead =
      consumer_->desk.look_ahead(std::min({most, most_together(), out_.writer.room()}));
  return {.messages = ahead.buffers, .bytes = ahead.room};
}

OutLane::Ahead OutLane::take_ahead_of_row(std::uint32_t most) {
  take_ahead(std::min(most, consumer_->desk.share()));
  Ahead ahead{.messages = 0, .bytes = kInSlot};
  for (const Posted& posted : seat_.hand()) {
    if (posted.capacity == 0) break;
    ahead.bytes = std::min(ahead.bytes, posted.capacity);
    ++ahead.messages;
  }
  return ahead;
}

Outcome OutLane::nothing() const {
  return consumer_->desk.broken() || out_.writer.broken() ? Outcome::kBroken
                                                          : Outcome::kNothingPosted;
}

// --- Messages ----------------------------------------------------------------------------

Outcome OutLane::check(Bytes immediate) const {
  if (gone()) return Outcome::kGone;
  if (failure_) return Outcome::kBroken;
  if (immediate.size() > layout_.shape.immediate_max) return Outcome::kImmediateTooLong;
  if (under_way_.busy()) return Outcome::kBusy;
  return Outcome::kSent;
}

Outcome OutLane::put(Bytes data, Bytes immediate, const SharedMemory* source) {
  if (const Outcome checked = check(immediate); checked != Outcome::kSent) [[unlikely]]
    return checked;
  if (layout_.shape.head_credit && out_.writer.room() == 0) [[unlikely]]
    return nothing();
  unprepare();
  Posted posted;
  if (!seat_.take(posted)) return nothing();
  if (data.size() > posted.capacity) [[unlikely]] {
    keep(posted);
    return Outcome::kTooLong;
  }
  if (data.empty()) {
    out_.writer.put_immediate(posted.index, immediate);
    return put_done(&LaneCounters::in_slot, 0);
  }
  if (fits_inline(layout_.shape, data.size(), immediate.size())) {
    out_.writer.put_inline(posted.index, data, immediate);
    return put_done(&LaneCounters::in_slot, data.size());
  }
  if (views_) return Outcome::kTooLong;
  const Outcome outcome = under_way_.put(posted, data, immediate, source);
  hindered_ = hindered_ || outcome == Outcome::kUnderWay;
  return outcome;
}

void OutLane::attend() {
  out_.wake();
  if (views_ || !consumer_->desk.wants_look()) return;
  consumer_->desk.look();
  prepare();
}

// Few stores: behind those of a copy each waits for one of its lines to be on its way.
template <bool kPublishes>
[[gnu::always_inline]] inline bool OutLane::put_beside_slot(Bytes message) {
  if (message.size() - 1 >= small_ || !is_unhindered() || !out_.writer.has_room()) return false;
  if (kPublishes && out_.writer.withholds()) return false;
  unprepare();
  bool done = false;
  const auto use = [&](const Posted& posted) {
    if (message.size() > posted.capacity) return false;
    std::memcpy(memory_.data() + posted.offset, message.data(), message.size());
    if constexpr (kPublishes) {
      out_.writer.put_direct_and_publish(posted.index, message.size());
    } else {
      out_.writer.put_direct(posted.index, message.size(), {});
    }
    return done = true;
  };
  const auto expect = [&](const Posted& next) { batch_.expect_to_write(next, message.size()); };
  const bool is_alone = consumer_->desk.use_alone(1, use, expect);
  if (!is_alone) [[unlikely]]
    return send_beside_others(message);
  if (!done) return false;
  ++out_.counters.mapped;
  out_.counters.bytes += message.size();
  return true;
}

bool OutLane::send_beside_slot(Bytes message) {
  if (!put_beside_slot<true>(message)) return false;
  out_.wake();
  return true;
}

bool OutLane::put_more(Bytes message) {
  return message.size() > kInSlot && put_beside_slot<false>(message);
}

bool OutLane::send_beside_others(Bytes message) {
  const bool done = put_small(1, [message](std::size_t) { return message; }).messages == 1;
  if (done) publish();
  return done;
}

Outcome OutLane::put_done(std::uint64_t LaneCounters::* how, std::size_t bytes) {
  out_.counters.bytes += bytes;
  ++(out_.counters.*how);
  const Outcome outcome = under_way_.put_done();
  hindered_ = hindered_ || outcome == Outcome::kUnderWay;
  return outcome;
}

std::optional<std::size_t> OutLane::step() {
  if (failure_) return std::nullopt;
  if (gone()) {
    // It may have ended because it had everything.
    const std::size_t taken = take_taken();
    return taken != 0 ? std::optional(taken) : std::nullopt;
  }
  const Result<std::size_t> completed = under_way_.step();
  if (completed) return *completed;
  break_off(completed.error());
  // Nobody will hear of it; its bytes may have changed. Others may be let do more.
  if (const auto posted = under_way_.take_unheard()) {
    seat_.keep(*posted);
    seat_.give_back();
  }
  return std::nullopt;
}

// --- Waiting -----------------------------------------------------------------------------

bool OutLane::has_space() {
  if (check({}) != Outcome::kSent) return false;
  if (layout_.shape.head_credit && out_.writer.room() == 0) return false;
  return seat_.ready();
}

bool OutLane::ready(bool for_space) {
  if (gone()) return true;
  if (gives_back() && handles_.has_returned()) return true;
  if (failure_) return false;  // Whatever was under way has been told of it.
  if (for_space && has_space()) return true;
  return under_way_.ready();
}

bool OutLane::arm(bool for_space) {
  if (for_space) seat_.begin_waiting();
  return sleeper_.arm();
}

void OutLane::disarm() {
  seat_.end_waiting();
  sleeper_.disarm();
}

void OutLane::relax() {
  if (consumer_->own_membarrier && consumer_->terms.membarrier) sleeper_.relax();
}

}  // namespace comch::transport::shm
