// OutLane: what does not fit into a record.
#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/rdma/out_lane.h"

namespace comch::transport::rdma {

// --- Transfers ---------------------------------------------------------------------------

Outcome OutLane::begin(const Posted& posted, Bytes data, Bytes immediate, const Terms& terms) {
  queue_records();
  transfer_ = Transfer();  // Not emplace(): clang does not find its default members in there.
  Transfer& transfer = *transfer_;
  transfer.terms = terms;
  transfer.to = posted;
  transfer.data = data;
  transfer.immediate_size = static_cast<std::uint32_t>(immediate.size());
  std::ranges::copy(immediate, transfer.immediate.begin());
  const bool is_whole = continue_transfer();
  if (terms.counted) return Outcome::kUnderWay;
  if (is_whole || terms.loan != kLoans) return Outcome::kSent;
  transfer.terms.counted = true;  // The caller keeps its data until then.
  return Outcome::kUnderWay;
}

// Queues what there is room for. True: all of the message is.
bool OutLane::continue_transfer() {
  Transfer& transfer = *transfer_;
  while (transfer.done < transfer.data.size()) {
    if (!put_piece(transfer)) return false;
  }
  if (!has_room()) return false;
  const Bytes immediate = Bytes(transfer.immediate).first(transfer.immediate_size);
  put_record(transfer.to, LaneKind::kDirect, transfer.data.size(), immediate, {});
  wait_for(transfer.terms.counted, transfer.terms.loan);
  transfer_.reset();
  return true;
}

// False: there is no room now.
bool OutLane::put_piece(Transfer& transfer) {
  if (room() < kPerRecord) {
    post_queued();
    poll_link();
    if (room() < kPerRecord || parts_.link->failure()) return false;
  }
  const Segment piece = transfer.terms.key ? direct_piece(transfer) : staged_piece(transfer);
  if (piece.length == 0) return false;
  const wire::Target& map = consumer_->terms.map;
  queue(write_to(map, transfer.to.offset + transfer.done, piece, parts_.link->max_inline()));
  transfer.done += piece.length;
  if (!transfer.terms.key) {
    bounce_ends_.push_back({.position = parts_.link->posted() + queued_, .end = bounce_written_});
  }
  return true;
}

Segment OutLane::direct_piece(const Transfer& transfer) const {
  const std::uint64_t left = transfer.data.size() - transfer.done;
  return {.address = transfer.data.data() + transfer.done,
          .length = static_cast<std::uint32_t>(std::min(left, piece_)),
          .local_key = *transfer.terms.key};
}

// Copies as much as lies in a row and is free. Length 0: nothing is.
Segment OutLane::staged_piece(const Transfer& transfer) {
  if (!bounce_) {
    Result<Pinned> made =
        Pinned::make(*consumer_->fabric.domain, staging_, RegionAccess::kLocalRead);
    if (!made) {
      failure_ = made.error();
      return {};
    }
    bounce_ = std::move(*made);
  }
  if (bounce_written_ - bounce_free_ == staging_ || bounce_ends_.full()) {
    post_queued();
    poll_link();
  }
  if (bounce_ends_.full()) return {};
  const std::uint64_t at = bounce_written_ & (staging_ - 1);
  const std::uint64_t length =
      std::min({transfer.data.size() - transfer.done, piece_, staging_ - at,
                staging_ - (bounce_written_ - bounce_free_)});
  if (length == 0) return {};
  std::byte* const to = bounce_.data() + at;
  std::memcpy(to, transfer.data.data() + transfer.done, length);
  bounce_written_ += length;
  return {.address = to,
          .length = static_cast<std::uint32_t>(length),
          .local_key = bounce_.local_key()};
}

// --- Loans -------------------------------------------------------------------------------

// Gives a free loan memory for so much.
Outcome OutLane::equip(Loaned& loan, std::uint64_t capacity) {
  if (loan.memory.bytes().size() >= capacity) return Outcome::kSent;
  if (capacity > kLoanBytes) return Outcome::kNoMemory;
  const std::uint64_t size = std::bit_ceil(capacity);
  std::uint64_t pinned = size, idle = 0;
  for (const Loaned& other : loans_) {
    const std::uint64_t bytes = other.memory.bytes().size();
    if (&other != &loan) pinned += bytes;
    if (&other != &loan && other.state == LoanState::kFree) idle += bytes;
  }
  if (pinned > kLoanBytes + idle) {
    // What is under way comes back by itself.
    const auto flying = std::ranges::count(loans_, LoanState::kFlying, &Loaned::state);
    return flying != 0 ? Outcome::kNothingPosted : Outcome::kBusy;
  }
  if (pinned > kLoanBytes) {
    for (Loaned& other : loans_) {
      if (other.state == LoanState::kFree) other.memory = Pinned();
    }
  }
  loan.memory = Pinned();
  Result<Pinned> made = Pinned::make(*consumer_->fabric.domain, size, RegionAccess::kLocalRead);
  if (!made) return Outcome::kNoMemory;
  loan.memory = std::move(*made);
  return Outcome::kSent;
}

Outcome OutLane::reserve(std::uint32_t& number, std::span<std::byte>& room) {
  Posted posted;
  if (const Outcome taken = take(posted, 0, {}); taken != Outcome::kSent) return taken;
  poll_link();
  const auto loan = std::ranges::find(loans_, LoanState::kFree, &Loaned::state);
  Outcome outcome = Outcome::kSent;
  if (posted.capacity == 0) {
    outcome = Outcome::kTooLong;
  } else if (loan == loans_.end()) {
    outcome = Outcome::kBusy;
  } else {
    outcome = equip(*loan, posted.capacity);
  }
  if (outcome != Outcome::kSent) {
    consumer_->desk.give_back(posted);
    return outcome;
  }
  loan->posted = posted;
  loan->state = LoanState::kOut;
  number = static_cast<std::uint32_t>(loan - loans_.begin());
  room = loan->memory.bytes().first(posted.capacity);
  return Outcome::kSent;
}

Outcome OutLane::commit(std::uint32_t number, std::size_t length, Bytes immediate) {
  if (const Outcome may = check(immediate); may != Outcome::kSent) return may;
  Loaned& loan = loans_[number];
  const Bytes data = loan.memory.bytes().first(length);
  ++counters_.messages;
  ++counters_.loaned;
  counters_.bytes += length;
  if (!consumer_->shape.holds(length, immediate.size())) {
    ++counters_.staged;
    loan.state = LoanState::kFlying;
    return begin(loan.posted, data, immediate,
                 {.key = loan.memory.local_key(), .counted = false, .loan = number});
  }
  ++counters_.in_slot;
  loan.state = LoanState::kFree;
  put_record(loan.posted, LaneKind::kInline, length, immediate, data);
  return Outcome::kSent;
}

bool OutLane::abandon(std::uint32_t number) {
  loans_[number].state = LoanState::kFree;
  consumer_->desk.give_back(loans_[number].posted);
  return true;
}

bool OutLane::lends() const {
  return std::ranges::count(loans_, LoanState::kOut, &Loaned::state) != 0;
}

}  // namespace comch::transport::rdma
