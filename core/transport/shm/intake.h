// Intake: takes messages out of the lanes of a consumer's producers into the buffers that are
// posted in its table, and believes nothing: what a producer says is held against the table, the
// maps that were shown, and the sizes that were agreed on.
//
//   Intake intake({.names = 512, .immediate_max = 64, .memory = memory}, host, next);
//   intake.table().post(index, name, offset, capacity);
//   const Intake::Got got = intake.take(lane, 0, 64, Intake::kLookOnce, sink);
//   if (got.found == Found::kBroken) cut_off(lane.producer());
//
// A sink is called with the number of each message and an Arrival, or a PlainArrival if it is data
// alone, and is compiled into the loop.
//
// Threads: the consumer's. Lifetime: the memory and the maps outlive it. Errors: kBroken, what no
// correct producer writes; the lane is not to be read again.
// Tests: intake_test.cc, intake_lies_test.cc.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "os/peer_file.h"
#include "shm/lane_awaited.h"
#include "shm/posted_table.h"
#include "transport/gap.h"
#include "transport/next_answer.h"
#include "transport/passage.h"
#include "transport/shm/arrival.h"
#include "transport/shm/in_lane.h"
#include "transport/shm/peer_maps.h"

namespace comch::transport::shm {

// A sink that takes each message of a row by put(), and how many there were by count_row().
template <class Sink>
concept CountsRows = requires(const Sink& sink, std::size_t n, const PlainArrival& arrival) {
  sink.put(n, arrival);
  sink.count_row(n, n);
};
// One that only writes down what it is handed, so that nobody can look at the lane meanwhile.
template <class Sink>
concept CallsNobody = CountsRows<Sink> && Sink::kCallsNobody;

// One that can write down ahead of a message all but its length, by expect(), for nothing if
// another one comes; and the rest by put_expected().
template <class Sink>
concept Expects = requires(const Sink& sink, std::size_t n, const PlainArrival& arrival) {
  sink.expect(n, arrival);
  sink.put_expected(n, n);
};

class Intake {
 public:
  using Entry = comch::shm::PostedTable::Entry;

  // Whose intake it is.
  class Host {
   public:
    // Memory and files that messages speak of, by their number. Null: it was not shown, or it has
    // ended.
    virtual PeerMap* map_of(std::uint32_t number) = 0;
    virtual const os::PeerFile* file_of(std::uint32_t number) = 0;
    // A message has used up this buffer and does not come: it is to be posted again, as it was.
    virtual void post_again(std::uint16_t index, const Entry& entry) = 0;

   protected:
    ~Host() = default;
  };
  struct Setup {
    std::uint32_t names = 0;  // Of posted buffers, and as many indexes.
    std::uint32_t immediate_max = 0;
    std::span<std::byte> memory;  // Of the posted buffers.
  };

  // `next`: what may be sent in answer.
  Intake(const Setup& setup, Host& host, NextAnswer& next);

  // What is posted. Whoever posts has checked that it lies in the memory.
  comch::shm::PostedTable& table() { return table_; }
  const comch::shm::PostedTable& table() const { return table_; }

  // Instead of a gap: a lane in which nothing is found is not looked at again.
  static constexpr Gap* kLookOnce = nullptr;

  struct Got {
    std::size_t count;
    Found found;
  };
  // Hands what the lane has to `sink`, as message `first` and so on, until the count is `until`,
  // and answers that. `gap`: between two looks.
  template <class Sink>
  [[gnu::always_inline]] Got take(InLane& lane, std::size_t first, std::size_t until, Gap* gap,
                                  Sink sink) {
    assert(first < until);
    if (until - first == 1 || lane.reader.waited()) {
      const Step step = take_awaited(lane, first, gap, sink);
      if (step == Step::kNothing) return {first, Found::kNothing};
      if (step == Step::kArrival) {
        if (first + 1 == until) return {until, Found::kSome};
        return {take_any(lane, first + 1, until, kLookOnce, sink).count, Found::kSome};
      }
    }
    return take_any(lane, first, until, gap, sink);
  }

  // The posted buffer of a message that has been begun and is not finished, of a lane that is over.
  // Null: there is none.
  const Entry* begun(const InLane& lane) const {
    return lane.staged_open ? table_.find(lane.staged_index, 0) : nullptr;
  }

 private:
  using Reader = comch::shm::LaneReader<>;
  // What a step ended with; or the next one is of a row, or another message that is not plain.
  enum class Step : std::uint8_t { kNothing, kPart, kArrival, kBroken, kRow, kOther };
  static bool is_next(Step step) { return step >= Step::kRow; }
  // How far it is, and by which step. A value: it is held in registers.
  struct Way {
    std::size_t count;
    Step step;
  };

  // One by itself, if it is the one that is awaited; kOther: it is not, and nothing was done.
  template <class Sink>
  [[gnu::always_inline]] Step take_awaited(InLane& lane, std::size_t n, Gap* gap, Sink sink) {
    using Sight = Reader::Awaited::Sight;
    Reader::Awaited awaited(lane.reader);
    if (!awaited.is_possible()) return Step::kOther;
    Entry* const entry = table_.find(awaited.index(), 1);
    if (entry == nullptr) return Step::kOther;
    std::byte* const to = memory_.data() + entry->offset;
    const std::uint64_t limit = entry->limit();
    const std::uint16_t name = entry->name();
    const PlainArrival arrival{
        .index = name, .passage = Passage::kInline, .producer = lane.producer()};
    if constexpr (Expects<Sink>) sink.expect(n, arrival);
    Sight sight = awaited.look();
    if (sight == Sight::kNothing) {
      if (gap == kLookOnce) return Step::kNothing;
      gap->rest();
      sight = awaited.look();
      if (sight == Sight::kNothing) return Step::kNothing;
    }
    if (sight == Sight::kOther) [[unlikely]]
      return Step::kOther;
    next_.expect();
    const std::uint64_t length = awaited.length();
    if (length - 1 >= comch::shm::kLanePayload || length >= limit) [[unlikely]]
      return Step::kOther;
    awaited.copy(to, length);
    table_.complete(*entry);
    awaited.pass();
    if constexpr (Expects<Sink>) {
      sink.put_expected(n, length);
    } else {
      sink(n, PlainArrival{.index = name,
                           .passage = Passage::kInline,
                           .producer = lane.producer(),
                           .length = length});
    }
    return Step::kArrival;
  }
  template <class Sink>
  [[gnu::noinline]] Got take_any(InLane& lane, std::size_t first, std::size_t until, Gap* gap,
                                 Sink sink) {
    Way way = take_plain(lane, first, until, gap, sink);
    if (is_next(way.step)) [[unlikely]]
      way = take_mixed(lane, way, until, sink);
    const bool nothing = way.count == first && way.step == Step::kNothing;
    if (nothing) return {first, Found::kNothing};
    lane.reader.await_next();
    if (way.count == first && way.step != Step::kPart) [[unlikely]]
      return {first, way.step == Step::kBroken ? Found::kBroken : Found::kNothing};
    if (lane.reader.flush()) lane.tell();
    return {way.count, Found::kSome};
  }
  // Messages of data alone, in the slot or in the posted buffer, as most are.
  template <class Sink>
  [[gnu::always_inline]] Way take_plain(InLane& lane, std::size_t count, std::size_t until,
                                        Gap* gap, Sink sink) {
    Reader::Walk walk(lane.reader);
    bool any = walk.has_next();
    if (!any && gap != kLookOnce) {
      gap->rest();
      any = walk.has_next();
    }
    if (any) next_.expect();
    for (; any; any = walk.has_next()) {
      std::uint16_t index = 0;
      std::uint64_t length = 0;
      const Reader::Plain found = walk.describe(index, length);
      bool fits = false;
      if (found == Reader::Plain::kInline) {
        fits = take_found<Passage::kInline>(lane, walk, index, length, count, sink);
      } else if (found == Reader::Plain::kDirect) {
        fits = take_found<Passage::kDirect>(lane, walk, index, length, count, sink);
      } else {
        return {count, found == Reader::Plain::kRow ? Step::kRow : Step::kOther};
      }
      if (!fits) [[unlikely]]
        return {count, Step::kBroken};
      if (++count == until) return {count, Step::kArrival};
    }
    return {count, Step::kNothing};
  }
  // The message that `walk` has found. False: nothing that is posted fits it.
  template <Passage kPassage, class Sink>
  [[gnu::always_inline]] bool take_found(const InLane& lane, Reader::Walk& walk,
                                         std::uint16_t index, std::uint64_t length, std::size_t n,
                                         Sink sink) {
    Entry* const entry = table_.find(index, length);
    if (entry == nullptr) [[unlikely]]
      return false;
    if (kPassage == Passage::kInline) walk.copy(memory_.data() + entry->offset, length);
    const std::uint16_t name = entry->name();
    table_.complete(*entry);
    walk.pass();
    sink(n, PlainArrival{
                .index = name, .passage = kPassage, .producer = lane.producer(), .length = length});
    return true;
  }
  template <class Sink>
  [[gnu::noinline]] Way take_row(InLane& lane, std::size_t count, std::size_t until, Sink sink) {
    const std::uint32_t producer = lane.producer();
    Step step = Step::kArrival;
    std::size_t n = count;
    Reader::Row row(lane.reader);
    for (; row.left() != 0 && n != until; ++n) {
      Entry* const entry = table_.find(row.index(), row.length());
      if (entry == nullptr) [[unlikely]] {
        step = Step::kBroken;
        break;
      }
      row.copy(memory_.data() + entry->offset);
      const std::uint16_t name = entry->name();
      table_.complete(*entry);
      const PlainArrival arrival{
          .index = name, .passage = Passage::kInline, .producer = producer, .length = row.length()};
      if constexpr (CallsNobody<Sink>) {
        row.pass_quietly();
      } else {
        row.pass();
      }
      if constexpr (CountsRows<Sink>) {
        sink.put(n, arrival);
      } else {
        sink(n, arrival);
      }
    }
    if constexpr (CountsRows<Sink>) sink.count_row(n - count, (n - count) * row.length());
    return {n, step};
  }
  // The next message, whatever it is.
  template <class Sink>
  [[gnu::noinline]] Step take_other(InLane& lane, std::size_t count, Sink sink) {
    Arrival arrival;
    const Step step = take_other(lane, arrival);
    if (step == Step::kArrival) sink(count, static_cast<const Arrival&>(arrival));
    return step;
  }
  // What comes from one that is not plain on. Apart, so that plain ones do not pay for the loop.
  template <class Sink>
  [[gnu::noinline]] Way take_mixed(InLane& lane, Way way, std::size_t until, Sink sink) {
    while (is_next(way.step)) {
      if (way.step == Step::kRow) {
        way = take_row(lane, way.count, until, sink);
      } else {
        way.step = take_other(lane, way.count, sink);
        if (way.step == Step::kArrival) ++way.count;
      }
      if (way.step == Step::kArrival && way.count != until)
        way = take_plain(lane, way.count, until, kLookOnce, sink);
    }
    return way;
  }

  Step take_other(InLane& lane, Arrival& arrival);
  Step take_staged(InLane& lane, const comch::shm::LaneRecord& record, const Entry& entry);
  Step take_job(InLane& lane, const comch::shm::LaneRecord& record, std::byte* to);
  Step take_reading(InLane& lane, const comch::shm::LaneRecord& record, const Entry& entry);
  static bool begin_job(InLane& lane, const comch::shm::LaneRecord& record);
  // Of which `done` chunks were just done with. kArrival: it is over.
  static Step end_job(InLane& lane, comch::shm::JobState state, int done);
  Step take_hand_over(InLane& lane, const comch::shm::LaneRecord& record, Arrival& arrival);
  void take_immediate(const InLane& lane, const comch::shm::LaneRecord& record, std::uint16_t name);

  // Where the entry's buffer lies. Null: it was posted without one.
  std::byte* room_of(const Entry& entry) const {
    return entry.capacity() != 0 ? memory_.data() + entry.offset : nullptr;
  }

  Host& host_;
  NextAnswer& next_;
  const std::uint32_t immediate_max_;
  const std::span<std::byte> memory_;
  std::vector<Entry> entries_;
  comch::shm::PostedTable table_;
  std::vector<std::byte> immediates_;           // immediate_max_ for each name.
  std::vector<std::uint16_t> immediate_sizes_;  // By name.
};

}  // namespace comch::transport::shm
