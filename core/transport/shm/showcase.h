// Showcase: shows messages of a consumer's lanes where they lie, which are small ones, and
// remembers which are shown. What it is to the way "view" Intake is to the others.
//
//   const Showcase::Got got = showcase.show(lane, 64, sink);
//   if (got.found == Found::kBroken) cut_off(lane.producer());
//   showcase.release(got.shown.messages);
//
// A sink is called with the number of each message and what is Shown of it, and is compiled into
// the loop.
//
// Threads: the consumer's. Lifetime: a lane outlives what is shown of it. Errors: kBroken, what no
// correct producer writes to a lane that is viewed; the lane is not to be read again.
// Tests: showcase_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shm/lane_row.h"
#include "transport/next_answer.h"
#include "transport/shm/arrival.h"
#include "transport/shm/in_lane.h"
#include "transport/shm/shown_rows.h"

namespace comch::transport::shm {

class Showcase {
 public:
  // `found` is how the looking ended, and of no matter where something is shown.
  struct Got {
    Showing shown;
    Found found;
  };

  // `next`: what may be sent in answer.
  explicit Showcase(NextAnswer& next) : next_(next) {}

  // Hands at most `budget` messages of the lane to `sink`. Each stays as it is until it is
  // released. kNothing: there is none, or no more can be shown now.
  template <class Sink>
  Got show(InLane& lane, std::size_t budget, Sink sink) {
    Showing shown;
    Found some = rows_.takes(lane) ? Found::kSome : Found::kNothing;
    while (shown.messages != budget && some == Found::kSome) {
      const Reader::Plain found = show_plain(lane, shown, budget, sink);
      if (found == Reader::Plain::kRow) {
        show_row(lane, shown, budget, sink);
      } else if (found != Reader::Plain::kInline) {
        some = found == Reader::Plain::kNothing ? Found::kNothing : show_other(lane, shown, sink);
      }
    }
    if (shown.messages != 0) [[likely]]
      rows_.add(lane, shown.messages);
    return {shown, some};
  }

  // The `count` oldest that are shown are done with. False: there are not so many.
  bool release(std::size_t count);

  // Whether the lane's next message can be shown before another is released.
  bool takes(const InLane& lane) const { return rows_.takes(lane); }
  std::size_t shown() const { return rows_.messages(); }  // Not released.

 private:
  using Reader = comch::shm::LaneReader<>;

  // Messages of data alone. Answers what comes behind them; kInline: the budget is used up.
  template <class Sink>
  [[gnu::always_inline]] Reader::Plain show_plain(InLane& lane, Showing& shown, std::size_t budget,
                                                  Sink& sink) {
    std::uint16_t index = 0;
    std::uint64_t length = 0;
    Reader::Walk walk(lane.reader);
    Reader::Plain found = Reader::Plain::kInline;
    for (; shown.messages != budget; ++shown.messages) {
      found = walk.look(index, length);
      if (found != Reader::Plain::kNothing) next_.expect();
      if (found != Reader::Plain::kInline) break;
      sink(shown.messages, Shown{{walk.data(), length}, {}, lane.producer()});
      shown.bytes += length;
      walk.keep();
    }
    return found;
  }
  template <class Sink>
  [[gnu::always_inline]] static void show_row(InLane& lane, Showing& shown, std::size_t budget,
                                              Sink& sink) {
    Reader::Row row(lane.reader);
    const std::uint32_t producer = lane.producer();
    const std::uint64_t length = row.length();
    std::size_t n = shown.messages;
    for (; row.left() != 0 && n != budget; ++n) {
      sink(n, Shown{{row.data(), length}, {}, producer});
      row.keep();
    }
    shown.bytes += (n - shown.messages) * length;
    shown.messages = n;
  }
  template <class Sink>
  static Found show_other(InLane& lane, Showing& shown, Sink& sink) {
    Shown other;
    const Found found = look_at_other(lane, other);
    if (found != Found::kSome) return found;
    sink(shown.messages++, static_cast<const Shown&>(other));
    shown.bytes += other.data.size();
    return found;
  }
  static Found look_at_other(InLane& lane, Shown& shown);

  NextAnswer& next_;
  ShownRows<InLane> rows_;
};

}  // namespace comch::transport::shm
