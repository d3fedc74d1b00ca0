// RecordRing: a one-way ring of variable-length records in memory shared with a peer that
// may be buggy, dead or hostile. One thread sends, one receives.
//
//   line 0  receiver's  head_bytes, head_messages   read so far; the sender's room
//   line 1  receiver's  data_bell                   "ring me when data comes"
//   line 2  sender's    space_bell                  "ring me when room comes"
//   data    sender's    records, elsewhere; a power of two of bytes
//
//   record:  header (8 bytes)  payload  zero to seven bytes of nothing
//            +--------+------+----------+
//            | length | kind | 0 (24)   |   bits 0..31, 32..39, 40..63
//            +--------+------+----------+
//            In a ring of stamped messages the zeros, and the upper half of the length, are
//            the sender's stamp (arrivals.h); all messages have one, or none has.
//
// Rules, and they are the whole design:
//
//  1. The header at the record's own place publishes the record: a small message moves one
//     cache line. A header of zero says "not yet", so before record k is published, the
//     place where record k + 1 will begin is zeroed. A push needs these 8 bytes free too.
//  2. A record never wraps. If it does not fit before the ring's end it goes to the
//     beginning, and then a padding record, published at the old place, sends the receiver
//     there.
//  3. Each side keeps its own position privately and only ever publishes it. Nothing we
//     wrote to shared memory is read back.
//  4. The sender copies the receiver's two heads when the ring seems full, and checks them
//     by subtraction: a head lies between the last one seen and what was sent.
//  5. The receiver copies a header once, checks the copy, and copies the payload out before
//     anyone looks at it. What it does to its own position follows from the copy.
//  6. A peer that breaks this is named once and never read again: the half is broken for good.
//  7. Positions count up for ever and are masked only to find a place.
//
// Ordering. Two edges, each named where it is made and where it is met:
//
//   DATA   sender's header.store(release)     -> receiver's header.load(acquire)
//          the payload, and the zero behind it, are visible before the header.
//   SPACE  receiver's head_bytes.store(release) -> sender's head_bytes.load(acquire)
//          the receiver's copy is finished before its bytes are overwritten.
//
// Threads: each half belongs to one thread. Lifetime: both refer to the shared memory and are
// outlived by it. Zero bytes are a valid initial state; nothing constructs the ring.
// Tests: record_ring_test.cc (behaviour, hostile values, narrow positions), ring_model.cc
// (every interleaving under the C++ memory model), hostile_ring_fuzz.cc (every shared read
// answers what a fuzzer likes), ring_threads_test.cc (under TSan).
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "comch/result.h"
#include "shm/bell.h"
#include "shm/machine.h"
#include "shm/record_header.h"
#include "shm/untrusted.h"

namespace comch::shm {

// The words of a ring that both sides see; the layout is FORMAT.md's.
template <class Machine = RealMachine, std::unsigned_integral Position = std::uint64_t>
struct RingShared {
  alignas(kCacheLine) Untrusted<Position, Machine> head_bytes;
  Untrusted<Position, Machine> head_messages;
  alignas(kCacheLine) Bell<Machine> data_bell;
  alignas(kCacheLine) Bell<Machine> space_bell;
};
static_assert(sizeof(RingShared<>) == 3 * kCacheLine && alignof(RingShared<>) == kCacheLine);
static_assert(sizeof(Untrusted<std::uint64_t>) == 8 && sizeof(Bell<>) == 16);

// The sending half.
template <class Machine = RealMachine, std::unsigned_integral Position = std::uint64_t>
class RecordSender {
 public:
  using Shared = RingShared<Machine, Position>;
  using Data = typename Machine::Data;

  // `capacity`: a power of two, at least 2 * record_stride(max_message) + 16, so that an empty
  // ring takes any message wherever it begins; and small enough for Position to count it.
  RecordSender(Shared& shared, Data data, std::uint32_t capacity, std::uint32_t max_message,
               std::uint32_t max_messages)
      : shared_(shared),
        data_(data),
        capacity_(capacity),
        max_message_(max_message),
        max_messages_(max_messages) {
    assert(std::has_single_bit(capacity) && capacity >= 2 * record_stride(max_message) + 16);
    assert(capacity <= static_cast<Position>(~Position{0}) && max_messages > 0);
    assert(max_messages <= static_cast<Position>(~Position{0}));
  }

  // Copies `message` into the ring and exposes it to the receiver.
  //
  // again:            no room, in bytes or in messages; nothing was done.
  // too_big:          above max_message; nothing was done.
  // connection_reset: the receiver claims to have read what was never sent; for good.
  Status push(std::span<const std::byte> message) {
    return push_as(message, record_header(kRecordMessage, 0));
  }
  // The same, in a ring of stamped messages.
  Status push(std::span<const std::byte> message, std::uint64_t stamp) {
    return push_as(message, stamped_header(stamp, 0));
  }

  // Whether push() of `size` bytes would answer anything but again: also true for what it
  // refuses, so that nobody sleeps on a ring that will never have room.
  [[nodiscard]] bool has_room(std::uint32_t size) {
    if (size > max_message_) return true;
    const Place place = next_place(size);
    if (fits(place)) return true;
    fetch_heads();
    return broken_ || fits(place);
  }

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  // Where the next record goes.
  struct Place {
    std::uint32_t index;    // The old place: of the record, or of the padding ahead of it.
    std::uint32_t padding;  // Bytes to the ring's end when the record must not begin here.
    std::uint32_t stride;
  };

  // `header`: of such a message without a byte.
  Status push_as(std::span<const std::byte> message, std::uint64_t header) {
    if (message.size() > max_message_) return fail(Errc::too_big, "message above the limit");
    const auto size = static_cast<std::uint32_t>(message.size());
    const Place place = next_place(size);
    if (!fits(place)) [[unlikely]] {
      fetch_heads();
      if (broken_) return fail(Errc::connection_reset, "the peer read what was never sent");
      if (!fits(place)) return fail(Errc::again);
    }
    const std::uint32_t begin = place.padding != 0 ? 0 : place.index;
    // DATA, ahead of it: the next place says "not yet" before anyone is sent there.
    Machine::store_header(data_, (begin + place.stride) & (capacity_ - 1), 0,
                          std::memory_order_relaxed);
    Machine::copy_in(data_, begin + kRecordHeader, message.data(), size);
    publish(place, header | size);
    tail_ = advanced(tail_, place.padding + place.stride);
    sent_ = advanced(sent_, 1);
    return {};
  }

  static Position advanced(Position from, std::uint32_t by) {
    return static_cast<Position>(from + by);
  }

  Place next_place(std::uint32_t size) const {
    const auto index = static_cast<std::uint32_t>(tail_ & (capacity_ - 1));
    const std::uint32_t room = capacity_ - index;
    const std::uint32_t stride = record_stride(size);
    return {index, stride > room ? room : 0, stride};
  }

  // Whether there is room by the last heads seen. A broken ring has none: see fetch_heads().
  bool fits(const Place& place) const {
    const std::uint64_t used = static_cast<Position>(tail_ - head_bytes_);
    const std::uint64_t unread = static_cast<Position>(sent_ - head_messages_);
    return used + place.padding + place.stride + kRecordHeader <= capacity_ &&
           unread < max_messages_;
  }

  void publish(const Place& place, std::uint64_t header) {
    if (place.padding == 0) [[likely]] {
      // DATA: the payload and the zero behind it happen before this header is seen.
      Machine::store_header(data_, place.index, header, std::memory_order_release);
      return;
    }
    // No edge yet: nobody looks here before the padding says so.
    Machine::store_header(data_, 0, header, std::memory_order_relaxed);
    // DATA: the whole record at the beginning happens before this padding is seen.
    Machine::store_header(data_, place.index,
                          record_header(kRecordPadding, place.padding - kRecordHeader),
                          std::memory_order_release);
  }

  // Copies the receiver's heads, once each. An impossible one breaks the ring, and sets
  // max_messages_ to zero: from then on nothing fits, and push() needs no check of its own.
  void fetch_heads() {
    if (broken_) return;
    // SPACE: meets the receiver's release in publish().
    const Position bytes = shared_.head_bytes.fetch(std::memory_order_acquire);
    // No edge: this count guards no memory, it only bounds the queue.
    const Position messages = shared_.head_messages.fetch(std::memory_order_relaxed);
    if (!lies_between(head_bytes_, bytes, tail_) ||
        !lies_between(head_messages_, messages, sent_)) {
      broken_ = true;
      max_messages_ = 0;
      return;
    }
    head_bytes_ = bytes;
    head_messages_ = messages;
  }

  // Also catches what moves backwards: the difference wraps to something huge.
  static bool lies_between(Position from, Position value, Position to) {
    return static_cast<Position>(value - from) <= static_cast<Position>(to - from);
  }

  Shared& shared_;
  const Data data_;
  const std::uint32_t capacity_;
  const std::uint32_t max_message_;
  std::uint32_t max_messages_;
  Position tail_ = 0;        // Bytes sent, padding included.
  Position sent_ = 0;        // Messages sent.
  Position head_bytes_ = 0;  // The last heads that made sense.
  Position head_messages_ = 0;
  bool broken_ = false;
};

// What look() found.
enum class Look : std::uint8_t {
  kNothing,
  kMessage,
  kBroken,  // The sender wrote what no correct sender writes; for good.
};

// The receiving half.
template <class Machine = RealMachine, std::unsigned_integral Position = std::uint64_t>
class RecordReceiver {
 public:
  using Shared = RingShared<Machine, Position>;
  using Data = typename Machine::Data;

  // The same numbers as the sender's; `stamped`: a ring of stamped messages.
  RecordReceiver(Shared& shared, Data data, std::uint32_t capacity, std::uint32_t max_message,
                 std::uint32_t max_messages, bool stamped = false)
      : shared_(shared),
        data_(data),
        capacity_(capacity),
        max_message_(max_message),
        lazy_messages_(std::max(max_messages / 8, 1U)),
        stamped_(stamped) {
    assert(std::has_single_bit(capacity) && capacity >= 2 * record_stride(max_message) + 16);
    assert(capacity <= static_cast<Position>(~Position{0}) && max_messages > 0);
  }

  // Copies the next message to `scratch` (max_message bytes) and its length to `size`. The
  // message stays: looking again copies again, until pop().
  Look look(std::byte* scratch, std::uint32_t& size) {
    stride_ = 0;
    if (broken_) return Look::kBroken;
    // A message of 64 bytes lies in two lines; asked for together they come together. This
    // takes a sixth off the round trip.
    Machine::prefetch(data_, (index() + kCacheLine) & (capacity_ - 1));
    // DATA: meets the sender's release in publish().
    std::uint64_t header = Machine::load_header(data_, index(), std::memory_order_acquire);
    if (header == 0) return Look::kNothing;
    if (header >> 32 == kRecordPadding) {
      if (header != record_header(kRecordPadding, room() - kRecordHeader)) return break_ring();
      position_ = static_cast<Position>(position_ + room());
      // DATA: the padding came behind this record, so that it is there, and no padding again.
      header = Machine::load_header(data_, index(), std::memory_order_acquire);
    }
    if (stamped_) header = without_stamp(header);
    const auto length = static_cast<std::uint32_t>(header);
    if (header >> 32 != kRecordMessage || length > max_message_) return break_ring();
    if (record_stride(length) > room()) return break_ring();
    Machine::copy_out(scratch, data_, index() + kRecordHeader, length);
    size = length;
    stride_ = record_stride(length);
    return Look::kMessage;
  }

  // Of the message that look() has copied, where all have one.
  [[nodiscard]] std::uint64_t stamp() const { return stamp_; }

  // Whether look() would answer anything but kNothing; copies nothing.
  [[nodiscard]] bool ready() const {
    // DATA: meets the sender's release in publish().
    return broken_ || Machine::load_header(data_, index(), std::memory_order_acquire) != 0;
  }

  // The word that ready() looks at, as long as nothing is popped; null: it is broken.
  [[nodiscard]] const std::uint64_t* sign() const {
    return broken_ ? nullptr : reinterpret_cast<const std::uint64_t*>(data_ + index());
  }

  // Forgets the message that look() has just copied. Its room goes back to the sender in
  // larger pieces, and the rest at flush().
  void pop() {
    assert(stride_ != 0);
    position_ = static_cast<Position>(position_ + stride_);
    messages_ = static_cast<Position>(messages_ + 1);
    stride_ = 0;
    // An eighth: seldom enough to keep the line with the sender, early enough that a sender
    // with a full ring need not wait for all of it.
    if (static_cast<Position>(position_ - published_bytes_) >= capacity_ / 8 ||
        static_cast<Position>(messages_ - published_messages_) >= lazy_messages_) {
      publish();
    }
  }

  // Gives all room back. True: the sender got some since the last flush(), by this call or by
  // a pop(); ask whether its bell must be rung. Call it when look() finds nothing, and before
  // sleeping: a sender that waits for this room would wait for ever.
  [[nodiscard]] bool flush() {
    if (position_ != published_bytes_ || messages_ != published_messages_) publish();
    const bool gave = gave_room_;
    gave_room_ = false;
    return gave;
  }

  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::uint32_t index() const { return static_cast<std::uint32_t>(position_ & (capacity_ - 1)); }
  std::uint32_t room() const { return capacity_ - index(); }

  Look break_ring() {
    broken_ = true;
    return Look::kBroken;
  }

  // The header of a stamped message as it would be without its stamp; 0, which is no record's, of
  // anything else.
  std::uint64_t without_stamp(std::uint64_t header) {
    if ((header >> 32 & 0xff) != kRecordStamped) return 0;
    stamp_ = stamp_in(header);
    return record_header(kRecordMessage, static_cast<std::uint32_t>(header & 0xffff));
  }

  void publish() {
    published_bytes_ = position_;
    published_messages_ = messages_;
    gave_room_ = true;
    // No edge: this count guards no memory, it only bounds the queue.
    shared_.head_messages.publish(messages_, std::memory_order_relaxed);
    // SPACE: our copies happen before the sender sees that their bytes are free.
    shared_.head_bytes.publish(position_, std::memory_order_release);
  }

  Shared& shared_;
  const Data data_;
  const std::uint32_t capacity_;
  const std::uint32_t max_message_;
  const std::uint32_t lazy_messages_;  // Publish at the latest after so many.
  const bool stamped_;
  std::uint64_t stamp_ = 0;
  Position position_ = 0;         // Bytes read; shared_.head_bytes is its publication.
  Position messages_ = 0;         // Messages read.
  Position published_bytes_ = 0;  // What we last published of them.
  Position published_messages_ = 0;
  std::uint32_t stride_ = 0;  // Of the message just looked at; 0: none.
  bool gave_room_ = false;    // Since the last flush().
  bool broken_ = false;
};

}  // namespace comch::shm
