// ProducerImpl: sends without tasks: arrays, loans, hand-overs.
#include <utility>

#include "comch/producer_impl.h"
#include "comch/shown_file_impl.h"
#include "transport/shm/out_lane_loans.h"

namespace comch {

using transport::Outcome;

// --- Arrays ------------------------------------------------------------------------------

Result<std::size_t> ProducerImpl::send_array(ConsumerId consumer,
                                             std::span<const Outgoing> messages) {
  Lane* found = nullptr;
  if (Status s = find_lane(consumer, found); !s) return std::unexpected(s.error());
  Lane& lane = *found;
  if (lane.under_way() || queued(static_cast<std::uint32_t>(consumer))) {
    return fail(Errc::again, "earlier messages are still under way");
  }
  const Lane::Put put = lane.put_small(messages.size(), [from = messages.data()](std::size_t n) {
    return from[n].immediate.empty() ? from[n].data : Bytes();
  });
  std::size_t count = put.messages;
  if (count == messages.size() || put.full) [[likely]] {
    lane.publish();
    return_ahead(lane);
    if (count == 0 && put.full) return std::unexpected(refused(lane, lane.nothing()).error());
    port_->note_sent(lane);
    return count;
  }
  Outcome outcome = Outcome::kSent;
  while (count < messages.size() && outcome == Outcome::kSent) {
    if (count % comch::shm::kStashMax == 0) lane.take_ahead(messages.size() - count);
    outcome = lane.put(messages[count].data, messages[count].immediate, nullptr);
    if (outcome == Outcome::kSent || outcome == Outcome::kUnderWay) ++count;
  }
  lane.publish();
  return_ahead(lane);
  if (outcome == Outcome::kUnderWay) {
    const auto id = static_cast<std::uint32_t>(consumer);
    begin_array(id, traffic_[id]);
    update_attention();
  }
  if (count == 0 && !messages.empty()) return std::unexpected(refused(lane, outcome).error());
  port_->note_sent(lane);
  return count;
}

std::size_t ProducerImpl::send_usual(ConsumerId consumer, const OutgoingRecords& messages) {
  Lane* const lane = usual_lane(consumer);
  if (lane == nullptr) return 0;
  const Lane::Put put =
      lane->put_small(messages.count, [messages](std::size_t n) { return messages[n]; });
  lane->publish();
  return_ahead(*lane);
  port_->note_sent(*lane);
  return put.messages;
}

Status ProducerImpl::send_file(ConsumerId consumer, const ShownFile& face, std::uint64_t offset,
                               std::size_t length, Bytes immediate) {
  Lane* found = nullptr;
  if (Status s = find_lane(consumer, found); !s) return s;
  Lane& lane = *found;
  const auto id = static_cast<std::uint32_t>(consumer);
  if (lane.under_way() || queued(id)) return refused(lane, Outcome::kBusy);
  // Ahead of what asks the kernel: whoever waits for room comes here again and again.
  if (!lane.failed() && !lane.has_space()) return refused(lane, Outcome::kNothingPosted);
  const auto& file = ShownFileImpl::of(face).shared();
  const comch::shm::Range source{offset, length};
  const std::optional<std::uint32_t> number = lane.share_file(*file, source);
  if (!number) return fail(Errc::not_supported, "both sides cannot read this of the file now");
  const Outcome outcome = lane.put_file(*number, file, source, immediate);
  return_ahead(lane);
  if (outcome != Outcome::kUnderWay) return refused(lane, outcome);
  begin_array(id, traffic_[id]);
  update_attention();
  port_->note_sent(lane);
  return {};
}

Status ProducerImpl::request_space(ConsumerId consumer) {
  Lane* lane = nullptr;
  const Status found = find_lane(consumer, lane);
  // Without one that is not to be made just now; poll() makes it.
  if (!found && found.error().code != Errc::again) return found;
  if (lane != nullptr && lane->failed()) return std::unexpected(lane->failure());
  traffic_[static_cast<std::uint32_t>(consumer)].space_wanted = true;
  update_attention();
  return {};
}

bool ProducerImpl::has_space(ConsumerId consumer) {
  flush();
  return PortProducer::has_space(consumer);
}

// --- In place, and by its place ----------------------------------------------------------

Status ProducerImpl::find_lender(ConsumerId consumer, Lane*& lane) {
  if (Status s = find_lane(consumer, lane); !s) return s;
  if (!lane->consumer().memory().empty()) return {};
  return fail(Errc::not_supported, "the consumer's memory is not mapped here; send() copies");
}

Result<Loan> ProducerImpl::reserve(ConsumerId consumer) {
  Lane* lane = nullptr;
  if (Status s = find_lender(consumer, lane); !s) return std::unexpected(s.error());
  return lend_from(*lane, consumer);
}

Result<Loan> ProducerImpl::lend_from(Lane& lane, ConsumerId consumer) {
  Result<Loan> loan = PortProducer::reserve(lane, consumer);
  if (!loan) return_ahead(lane);
  return loan;
}

Result<std::size_t> ProducerImpl::reserve(ConsumerId consumer, std::span<Loan> loans) {
  Lane* lane = nullptr;
  if (Status s = find_lender(consumer, lane); !s) return std::unexpected(s.error());
  if (loans.empty()) return 0;
  std::size_t count = 0;
  const Outcome outcome =
      lane->reserve_some(loans.size(), [&](std::uint32_t handle, std::span<std::byte> room) {
        loans[count++] = {.room = room, .consumer = consumer, .handle = handle};
      });
  Result<std::size_t> lent = count;
  if (outcome != Outcome::kSent) lent = std::unexpected(no_loan(*lane, outcome));
  return_ahead(*lane);
  return lent;
}

inline Status ProducerImpl::put_filled(Lane& lane, const Loan& loan, std::size_t length,
                                       Bytes immediate) {
  if (Status s = check_loan(lane, loan, length); !s) return s;
  if (queued(static_cast<std::uint32_t>(loan.consumer))) return refused(lane, Outcome::kBusy);
  const Outcome outcome = lane.commit(loan.handle, length, immediate);
  if (outcome != Outcome::kSent && outcome != Outcome::kUnderWay) return refused(lane, outcome);
  if (outcome == Outcome::kUnderWay) lane.forget_last();
  return {};
}

Status ProducerImpl::commit(const Loan& loan, std::size_t length, Bytes immediate) {
  Lane* found = nullptr;
  if (Status s = find_lane(loan.consumer, found); !s) return s;
  Lane& lane = *found;
  if (Status s = put_filled(lane, loan, length, immediate); !s) return s;
  lane.publish();
  port_->note_sent(lane);
  return {};
}

Result<std::size_t> ProducerImpl::commit(std::span<const FilledLoan> loans) {
  if (loans.empty()) return 0;
  const ConsumerId consumer = loans[0].loan.consumer;
  Lane* found = nullptr;
  if (Status s = find_lane(consumer, found); !s) return std::unexpected(s.error());
  Lane& lane = *found;
  const bool waits = queued(static_cast<std::uint32_t>(consumer));
  std::size_t count =
      lane.commit_some(waits ? 0 : loans.size(), [&](std::size_t n) -> Lane::Filled {
        const auto& [loan, length, immediate] = loans[n];
        const bool is_ours = loan.consumer == consumer && lane.is_loan(loan.handle);
        if (!is_ours || length > lane.loan_capacity(loan.handle) || !immediate.empty()) return {};
        return {.slot = loan.handle, .length = length};
      });
  Status last;
  while (last && count != loans.size() && loans[count].loan.consumer == consumer) {
    last = put_filled(lane, loans[count].loan, loans[count].length, loans[count].immediate);
    count += last ? 1 : 0;
  }
  lane.publish();
  if (count == 0) return std::unexpected(last.error());
  port_->note_sent(lane);
  return count;
}

Result<PeerMemory> ProducerImpl::memory(ConsumerId consumer) {
  Lane* lane = nullptr;
  if (Status s = find_lane(consumer, lane); !s) return std::unexpected(s.error());
  const std::span<std::byte> bytes = lane->consumer().memory();
  if (bytes.empty()) return fail(Errc::not_supported, "the consumer's memory is not mapped here");
  return PeerMemory{.bytes = bytes, .hold = lane->shared_consumer()};
}

Status ProducerImpl::hand_over(ConsumerId consumer, Buffer& face, Bytes immediate) {
  Lane* found = nullptr;
  if (Status s = find_lane(consumer, found); !s) return std::unexpected(s.error());
  Lane& lane = *found;
  if (!on_returned_) return fail(Errc::bad_state, "on_returned() is mandatory before hand_over()");
  if (lane.consumer().terms.way == wire::Way::kView) {
    return fail(Errc::not_supported, "the consumer takes small messages alone, by views");
  }
  BufferImpl& buffer = BufferImpl::of(face);
  if (buffer.references() == 0 || buffer.data_length() == 0) {
    return fail(Errc::invalid_value, "the buffer is not lent, or has no data");
  }
  if (queued(static_cast<std::uint32_t>(consumer))) return refused(lane, Outcome::kBusy);
  const MemoryMapImpl& map = buffer.map();
  if (map.memfd() == nullptr || !others_may_read(map.permissions())) {
    return fail(Errc::not_supported, "the buffer's memory map cannot be shown to the other side");
  }
  const Result<std::uint32_t> number =
      lane.number_of({&map.life(), map.memfd(), map.memfd_offset(), map.bytes()});
  if (!number) return std::unexpected(number.error());
  const std::optional<std::uint32_t> handle = lane.free_handle();
  if (!handle) return fail(Errc::full, "1,024 buffers are handed over to this consumer");
  const auto offset = static_cast<std::uint64_t>(buffer.data() - map.bytes().data());
  const Outcome outcome =
      lane.hand_over(*number, *handle, {offset, buffer.data_length()}, immediate);
  if (outcome != Outcome::kSent && outcome != Outcome::kUnderWay) {
    lane.release_handle(*handle);
    return refused(lane, outcome);
  }
  lane.publish();
  port_->note_sent(lane);
  if (outcome == Outcome::kUnderWay) lane.forget_last();
  traffic_[static_cast<std::uint32_t>(consumer)].handed.put(*handle, face);
  ++handed_over_;
  update_attention();
  return {};
}

}  // namespace comch
