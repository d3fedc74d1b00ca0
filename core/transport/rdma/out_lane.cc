// OutLane: messages, records and acknowledgements. out_lane_long.cc has what does not fit into a
// record: transfers and loans.
#include "transport/rdma/out_lane.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/say.h"
#include "transport/rdma/registration.h"

namespace comch::transport::rdma {

LaneCounters& LaneCounters::operator+=(const LaneCounters& other) {
  messages += other.messages;
  bytes += other.bytes;
  in_slot += other.in_slot;
  direct += other.direct;
  staged += other.staged;
  loaned += other.loaned;
  wakes_sent += other.wakes_sent;
  return *this;
}

OutLane::OutLane(std::shared_ptr<Hub> hub, std::shared_ptr<RemoteConsumer> consumer,
                 LaneParts parts, std::uint32_t producer, const Options& options)
    : hub_(std::move(hub)),
      consumer_(std::move(consumer)),
      producer_(producer),
      staging_(options.staging),
      piece_(std::min({consumer_->fabric.domain->limits().max_message,
                       consumer_->fabric.domain->limits().max_write, kPiece})),
      parts_(std::move(parts)) {
  counters_.wakes_sent = 0 - parts_.link->wakes_sent();  // Of the producers before.
}

// What is under way ends here: nobody would keep its memory for it.
OutLane::~OutLane() {
  if (!settled()) parts_.link->flush();
  if (transfer_) consumer_->desk.give_back(transfer_->to);
  for (const Loaned& loan : loans_) {
    if (loan.state == LoanState::kOut) consumer_->desk.give_back(loan.posted);
  }
  hub_->give_back(*consumer_, std::move(parts_));
}

LaneCounters OutLane::counters() const {
  LaneCounters now = counters_;
  now.wakes_sent += parts_.link->wakes_sent();
  return now;
}

Error OutLane::failure() const {
  if (gone()) return {Errc::connection_reset, 0, "the consumer is gone"};
  if (failure_) return *failure_;
  if (parts_.link->failure()) return *parts_.link->failure();
  return {Errc::connection_reset, 0, "the consumer cannot be reached"};
}

// --- Accepting ---------------------------------------------------------------------------

Outcome OutLane::check(Bytes immediate) {
  if (gone()) return Outcome::kGone;
  if (failed()) return Outcome::kBroken;
  if (transfer_) return Outcome::kBusy;
  if (immediate.size() > consumer_->terms.immediate_max) return Outcome::kImmediateTooLong;
  if (!has_room()) {
    publish();
    poll_link();
  }
  return has_room() ? Outcome::kSent : Outcome::kNothingPosted;
}

Outcome OutLane::take(Posted& posted, std::uint64_t length, Bytes immediate) {
  if (const Outcome may = check(immediate); may != Outcome::kSent) return may;
  switch (consumer_->desk.take(posted)) {
    case BoardLook::kNothing:
      return Outcome::kNothingPosted;
    case BoardLook::kBroken:
      say(LogLevel::kWarning,
          "consumer {} of a peer posts what it does not have; nothing is sent there any more",
          consumer_->terms.id);
      failure_ = {Errc::connection_reset, 0, "the consumer posts what it does not have"};
      return Outcome::kBroken;
    case BoardLook::kPosted:
      break;
  }
  if (length <= posted.capacity) return Outcome::kSent;
  consumer_->desk.give_back(posted);
  return Outcome::kTooLong;
}

Outcome OutLane::put(Bytes data, Bytes immediate, const Source* source) {
  Posted posted;
  if (const Outcome taken = take(posted, data.size(), immediate); taken != Outcome::kSent) {
    return taken;
  }
  const bool counted = source != nullptr;
  ++counters_.messages;
  counters_.bytes += data.size();
  if (!consumer_->shape.holds(data.size(), immediate.size())) {
    const std::optional<std::uint32_t> key = key_of(source);
    ++(key ? counters_.direct : counters_.staged);
    return begin(posted, data, immediate, {.key = key, .counted = counted});
  }
  ++counters_.in_slot;
  put_record(posted, LaneKind::kInline, data.size(), immediate, data);
  wait_for(counted, kLoans);
  return counted ? Outcome::kUnderWay : Outcome::kSent;
}

// What the task's data lies in, as the device knows it. Nothing: it does not.
std::optional<std::uint32_t> OutLane::key_of(const Source* source) {
  if (source == nullptr || source->map == nullptr) return std::nullopt;
  for (const KnownKey& known : keys_) {
    if (known.life == source->map->id()) return known.key;
  }
  const auto region = registered_for_sending(*source->map, *consumer_->fabric.domain);
  if (!region) return std::nullopt;
  keys_[next_key_++ % keys_.size()] = {source->map->id(), (*region)->local_key};
  return (*region)->local_key;
}

// --- Records -----------------------------------------------------------------------------

void OutLane::put_record(const Posted& posted, LaneKind kind, std::uint64_t length, Bytes immediate,
                         Bytes data) {
  std::byte* const slot = parts_.slots.data() + consumer_->shape.offset(parts_.position);
  const LaneRecord record{.index = posted.index,
                          .kind = kind,
                          .producer = producer_,
                          .length = length,
                          .immediate = static_cast<std::uint32_t>(immediate.size())};
  const std::uint32_t at = parts_.position & (consumer_->shape.slots - 1);
  if (at == parts_.sent.size()) [[unlikely]]
    parts_.sent.push_back(posted);  // The first message of this slot.
  parts_.sent[at] = posted;
  last_record_ = write_record(slot, parts_.position, record, immediate, data);
  ++parts_.position;
  ++held_;
  // The records of one write lie in a row: the next one begins anew.
  const bool is_last = (parts_.position & (consumer_->shape.slots - 1)) == 0;
  if (is_last || (held_ + std::uint64_t{1}) * consumer_->shape.slot_size > piece_) queue_records();
}

// Remembers the message that was put last, if somebody waits for it.
void OutLane::wait_for(bool counted, std::uint32_t loan) {
  if (!counted && loan == kLoans) return;
  const std::uint64_t position = held_ == 0 ? parts_.link->posted() + queued_ : 0;
  unfinished_.push_back({.position = position, .counted = counted, .loan = loan});
}

// The records that are held, as one write; it rings, if the consumer sleeps.
void OutLane::queue_records() {
  if (held_ == 0) return;
  const std::uint64_t offset = consumer_->shape.offset(parts_.position - held_);
  const std::uint32_t length = (held_ - 1) * consumer_->shape.slot_size + last_record_;
  const Segment from{.address = parts_.slots.data() + offset,
                     .length = length,
                     .local_key = parts_.slots.local_key()};
  SendRequest request = write_to(parts_.target, offset, from, parts_.link->max_inline());
  if (parts_.ringer.should_ring(consumer_->bell())) {
    request.opcode = SendOpcode::kWriteWithImmediate;
    request.solicited = true;
    ++counters_.wakes_sent;
  }
  held_ = 0;
  queue(request);
  looks_.sent(parts_.link->posted() + queued_);
  for (std::size_t n = unfinished_.size(); n != 0 && unfinished_[n - 1].position == 0; --n) {
    unfinished_[n - 1].position = parts_.link->posted() + queued_;
  }
}

void OutLane::queue(const SendRequest& request) {
  if (queued_ == kQueue) post_queued();
  queue_[queued_++] = request;
}

void OutLane::post_queued() {
  if (queued_ == 0) return;
  const std::span<SendRequest> requests = std::span(queue_).first(std::exchange(queued_, 0));
  // A link that breaks says so itself.
  [[maybe_unused]] const Status posted = parts_.link->post(requests);
}

void OutLane::publish() {
  queue_records();
  post_queued();
}

// --- Acknowledgements --------------------------------------------------------------------

bool OutLane::poll_link() {
  Link& link = *parts_.link;
  const std::uint64_t before = link.done();
  const bool came = link.poll();
  if (link.take_rings() != 0) parts_.space.rung();
  if (link.done() != before) took_acknowledgements();
  // What was sent is there: if the consumer fell asleep meanwhile, it may not have seen it.
  if (!link.failure() && room() != 0 && looks_.take(link.done()) &&
      parts_.ringer.should_ring(consumer_->bell())) {
    link.ring();
  }
  return came;
}

void OutLane::took_acknowledgements() {
  const std::uint64_t done = parts_.link->done();
  const auto is_done = [&](std::uint64_t position) { return position != 0 && position <= done; };
  while (!unfinished_.empty() && is_done(unfinished_.front().position)) {
    if (unfinished_.front().counted) ++completed_;
    if (unfinished_.front().loan != kLoans) {
      loans_[unfinished_.front().loan].state = LoanState::kFree;
    }
    unfinished_.pop_front();
  }
  while (!bounce_ends_.empty() && is_done(bounce_ends_.front().position)) {
    bounce_free_ = bounce_ends_.front().end;
    bounce_ends_.pop_front();
  }
}

std::optional<std::size_t> OutLane::step() {
  poll_link();
  if (under_way()) {
    continue_transfer();
    publish();
  }
  if (completed_ == 0 && failed()) return std::nullopt;
  return std::exchange(completed_, 0);
}

void OutLane::arm(bool for_space) {
  Link& link = *parts_.link;
  link.arm();
  if (!for_space || !parts_.space.due() || room() == 0 || link.failure()) return;
  const std::uint64_t episode = parts_.space.next();
  std::memcpy(parts_.slots.data(), &episode, sizeof episode);
  const Segment from{.address = parts_.slots.data(),
                     .length = sizeof episode,
                     .local_key = parts_.slots.local_key()};
  std::array<SendRequest, 1> request{write_to(parts_.target, 0, from, link.max_inline())};
  if (!link.post(request)) parts_.space.take_back();
}

}  // namespace comch::transport::rdma
