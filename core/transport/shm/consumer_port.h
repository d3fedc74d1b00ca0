// ConsumerPort: a consumer's end of the fast path in shared memory: it posts buffers and takes
// what the lanes of the other side's producers bring.
//
//   port->post(index, offset, capacity);  port->publish();
//   port->poll(64, [](const Arrival& arrival) { ... });
//
// It alone decides what a producer may do: which buffers are posted, how long they are, and
// where. A producer that says anything else loses its whole process this consumer.
//
//   kOpening --Accepted--> kOpen --close(), or its line ends, or a lie--> kClosed
//
// Threads: the reactor's. Lifetime: `memory` and the hub outlive it. Closed, it still hands out
// what has arrived.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "os/fd.h"
#include "os/memfd.h"
#include "os/packet.h"
#include "os/window.h"
#include "shm/bell.h"
#include "shm/posted_ring.h"
#include "shm/posted_table.h"
#include "transport/passage.h"
#include "transport/port_owner.h"
#include "transport/reactor.h"
#include "transport/shm/hub.h"
#include "transport/shm/in_lane.h"

namespace comch::transport::shm {

// A message: its data is in the posted buffer `index`, or where `handed` says.
struct Arrival {
  std::uint16_t index = 0;
  Passage passage = Passage::kNone;
  std::uint32_t producer = 0;
  std::uint64_t length = 0;              // Bytes put into the posted buffer.
  std::span<const std::byte> immediate;  // Valid until the index is posted again.
  std::span<std::byte> handed;
  std::uint32_t handle = 0;
};

// A message of data alone, as most are; handed out in registers.
struct PlainArrival {
  std::uint16_t index = 0;
  Passage passage = Passage::kNone;
  std::uint32_t producer = 0;
  std::uint64_t length = 0;

  operator Arrival() const {
    return {.index = index,
            .passage = passage,
            .producer = producer,
            .length = length,
            .immediate = {},
            .handed = {}};
  }
};

// A message that is looked at where it lies. The producer can still change the bytes.
struct Shown {
  std::span<const std::byte> data;
  std::span<const std::byte> immediate;
  std::uint32_t producer = 0;
};

class ConsumerPort final : public Readiness {
 public:
  struct Setup {
    std::uint32_t depth = 0;
    std::uint32_t immediate_max = 0;
    wire::Way way = wire::Way::kStaged;
    std::span<std::byte> memory;
    const os::Fd* memfd = nullptr;  // kMapped.
    std::uint64_t memfd_offset = 0;
  };

  // connection_reset, full: see Hub::enter(). operating_system, no_memory: see sys.
  static Result<std::unique_ptr<ConsumerPort>> open(Reactor& reactor,
                                                    const std::shared_ptr<Hub>& hub,
                                                    const Setup& setup, ConsumerPortOwner& owner);
  struct Parts {
    comch::shm::PostedLayout layout;
    os::Mapping posted;
    os::Fd line;
  };
  ConsumerPort(Reactor& reactor, std::shared_ptr<Hub> hub, const Setup& setup,
               ConsumerPortOwner& owner, Parts parts, bool own_membarrier);
  ~ConsumerPort();

  std::uint32_t id() const { return id_; }
  std::uint32_t posted() const { return table_.posted(); }
  bool closed() const { return state_ == State::kClosed; }
  std::uint64_t wakes_received() const { return wakes_received_; }

  // The caller has checked that the room lies in the memory; without one the capacity is 0 and
  // the offset kNoBuffer. `name` is the caller's, below names(), and not posted; the other side has
  // another one for it.
  void post(std::uint16_t name, std::uint64_t offset, std::uint64_t capacity) {
    Posting posting(*this);
    posting.post(posting.choose(), name, offset, capacity);
  }
  std::uint32_t names() const { return parts_.layout.slots; }
  // The same in a loop. A caller without names of its own takes those that the other side has:
  // choose(), of the next post, and free.
  class Posting {
   public:
    explicit Posting(ConsumerPort& port) : port_(port), walk_(port.writer_) {
      port.unheard_ = true;
    }
    std::uint16_t choose() const { return port_.table_.choose(walk_.next_slot()); }
    void post(std::uint16_t index, std::uint16_t name, std::uint64_t offset,
              std::uint64_t capacity) {
      port_.table_.post(index, name, offset, capacity);
      walk_.post(index, offset, capacity);
    }

   private:
    ConsumerPort& port_;
    comch::shm::PostedWriter<>::Walk walk_;
  };
  // What was posted can be sent to from here on.
  void publish() {
    if (unheard_) publish_and_tell();
  }

  // Hands at most `budget` messages to `sink`, each as an Arrival or a PlainArrival, lanes taking
  // turns. True: something happened, which may be a part of a long message.
  template <class Sink>
  bool poll(std::size_t budget, Sink&& sink) {
    bool did = false;
    const std::size_t lanes = lanes_.size();
    for (std::size_t turn = 0; turn < lanes && budget != 0; ++turn) {
      if (first_ >= lanes) first_ = 0;
      // Where there is one lane there is no other to have a turn.
      const std::size_t share = lanes == 1 ? budget : std::min(budget, kTurn);
      std::size_t left = share;
      did = poll_lane(*lanes_[first_++], left, sink) || did;
      budget -= share - left;
    }
    if (sweep_) [[unlikely]]
      sweep();
    return did;
  }

  // For a port of the way kView, instead of post() and poll(). Shows at most `budget` messages of
  // one lane to `sink`, lanes taking turns, and answers how many; each stays as it is until it is
  // released.
  template <class Sink>
  std::size_t view(std::size_t budget, Sink&& sink) {
    std::size_t shown = 0;
    const std::size_t lanes = lanes_.size();
    for (std::size_t turn = 0; turn < lanes && shown == 0; ++turn) {
      if (first_ >= lanes) first_ = 0;
      shown = view_lane(*lanes_[first_++], budget, sink);
    }
    if (sweep_) [[unlikely]]
      sweep();
    return shown;
  }
  // Of the messages shown, the `count` oldest are done with. False: there are not so many.
  bool release(std::size_t count);
  std::size_t shown() const { return shown_; }  // Not released.

  // False: it is not held, or its producer is gone.
  bool give_back(std::uint32_t producer, std::uint32_t handle);

  // Ends it; what is posted comes back through take_back().
  void close();
  // Reads what the other side has said so far: a message that has arrived may be in a lane whose
  // announcement nobody has read yet.
  void catch_up() {
    for (std::size_t n = 0; n < kMaxLanes && read_line(); ++n) continue;
  }
  // Takes back every posted index; for a closed port whose lanes are empty.
  template <class Each>
  void take_back(Each&& each) {
    table_.complete_all(std::forward<Each>(each));
  }

  // For the engine's source; see engine/source.h.
  bool arm() { return sleeper_.arm(); }
  bool ready() const;
  // Whether a lane that can be read holds something. Nothing may come of it: half a message, of
  // a producer that is gone.
  bool has_message() const;
  void disarm() { sleeper_.disarm(); }
  void relax() {
    if (may_relax_) sleeper_.relax();
  }

  void on_readable() override;

 private:
  enum class State : std::uint8_t { kOpening, kOpen, kClosed };
  enum class Step : std::uint8_t { kNothing, kPart, kArrival, kBroken };
  static constexpr std::size_t kTurn = 32;  // Messages of one lane before the next has its turn.
  static constexpr std::size_t kMaxLanes = 1024;
  // Messages of one lane that were shown in a row.
  struct Kept {
    InLane* lane = nullptr;
    std::size_t count = 0;
  };
  static constexpr std::size_t kMaxKept = 64;

  Kept& last_kept() { return kept_[(kept_first_ + kept_count_ - 1) % kMaxKept]; }
  const Kept& last_kept() const { return kept_[(kept_first_ + kept_count_ - 1) % kMaxKept]; }
  void announce(const Setup& setup, os::Fd posted, os::Fd line, os::Fd memory);
  void publish_and_tell();

  // At most `budget` messages of a lane, which counts them off. True: something happened.
  template <class Sink>
  [[gnu::always_inline]] bool poll_lane(InLane& lane, std::size_t& budget, Sink& sink) {
    const std::size_t before = budget;
    Step step = Step::kArrival;
    while (budget != 0 && step == Step::kArrival) {
      step = take_plain(lane, budget, sink);
      if (step != Step::kPart) continue;  // Something else comes next.
      Arrival arrival;
      step = take_other(lane, arrival);
      if (step != Step::kArrival) break;
      sink(static_cast<const Arrival&>(arrival));
      --budget;
    }
    if (budget == before && step != Step::kPart) [[likely]] {
      if (step == Step::kBroken || lane.ended) [[unlikely]]
        settle(lane, step);
      return false;
    }
    if (lane.reader.flush()) lane.tell();
    return true;
  }
  // Messages of data alone, in the slot or in the posted buffer, as most are. kPart: the next one
  // is another.
  template <class Sink>
  [[gnu::always_inline]] Step take_plain(InLane& lane, std::size_t& budget, Sink& sink) {
    using Plain = comch::shm::LaneReader<>::Plain;
    comch::shm::LaneReader<>::Walk walk(lane.reader);
    for (; budget != 0; --budget) {
      std::uint16_t index = 0;
      std::uint64_t length = 0;
      const Plain found = walk.look(index, length);
      if (found == Plain::kNothing) return Step::kNothing;
      if (found == Plain::kOther) [[unlikely]]
        return Step::kPart;
      const comch::shm::PostedTable::Entry* const entry = table_.find(index, length);
      if (entry == nullptr) [[unlikely]]
        return Step::kBroken;
      const bool in_slot = found == Plain::kInline;
      if (in_slot) walk.copy(memory_.data() + entry->offset, length);
      const std::uint16_t name = entry->name();
      table_.complete(index);
      walk.pass();
      sink(PlainArrival{.index = name,
                        .passage = in_slot ? Passage::kInline : Passage::kDirect,
                        .producer = lane.producer(),
                        .length = length});
    }
    return Step::kArrival;
  }
  template <class Sink>
  std::size_t view_lane(InLane& lane, std::size_t budget, Sink& sink) {
    using Walk = comch::shm::LaneReader<>::Walk;
    std::size_t shown = 0;
    Step step = may_show(lane) ? Step::kArrival : Step::kNothing;
    while (shown != budget && step == Step::kArrival) {
      std::uint16_t index = 0;
      std::uint64_t length = 0;
      auto found = comch::shm::LaneReader<>::Plain::kInline;
      for (Walk walk(lane.reader); shown != budget; ++shown) {
        found = walk.look(index, length);
        if (found != comch::shm::LaneReader<>::Plain::kInline) break;
        sink(Shown{.data = {walk.data(), length}, .immediate = {}, .producer = lane.producer()});
        walk.keep();
      }
      if (shown == budget) break;
      Shown other;
      step = found == comch::shm::LaneReader<>::Plain::kNothing ? Step::kNothing
                                                                : view_other(lane, other);
      if (step != Step::kArrival) break;
      sink(static_cast<const Shown&>(other));
      ++shown;
    }
    if (shown != 0) [[likely]] {
      remember(lane, shown);
    } else if (step == Step::kBroken || lane.ended) [[unlikely]] {
      settle(lane, step);
    }
    return shown;
  }
  Step view_other(InLane& lane, Shown& shown);
  bool may_show(const InLane& lane) const {
    return kept_count_ != kMaxKept || last_kept().lane == &lane;
  }
  void remember(InLane& lane, std::size_t shown);

  Step take_other(InLane& lane, Arrival& arrival);
  Step take_staged(InLane& lane, const comch::shm::LaneRecord& record, std::byte* to);
  Step take_job(InLane& lane, const comch::shm::LaneRecord& record, std::byte* to);
  Step take_hand_over(InLane& lane, const comch::shm::LaneRecord& record, Arrival& arrival);
  void take_immediate(const InLane& lane, const comch::shm::LaneRecord& record, std::uint16_t name);
  bool has_work(InLane& lane) const;
  void settle(InLane& lane, Step step);
  void sweep();

  // One packet of the line; false: there is none now, or never again.
  bool read_line();
  // Memory that a message speaks of. Its announcement was sent ahead of the message, so that it
  // has come by now, but perhaps it is not read. Null: there is none.
  const os::Window* map_of(std::uint32_t number);
  void heard(const wire::FastPacket& packet, std::span<os::Fd> fds);
  Status add_lane(const wire::Lane& lane, std::span<os::Fd> fds);
  Status add_map(const wire::Map& map, std::span<os::Fd> fds);
  InLane* lane_of(std::uint32_t producer);
  void lose(const Error& error);

  Reactor& reactor_;
  const std::shared_ptr<Hub> hub_;
  ConsumerPortOwner& owner_;
  const std::uint32_t id_;
  const std::uint32_t depth_;
  const std::uint32_t immediate_max_;
  const bool views_;
  const bool own_membarrier_;
  const std::span<std::byte> memory_;
  const Parts parts_;
  State state_ = State::kOpening;
  bool may_relax_ = false;
  bool unheard_ = false;  // Something was posted that no producer was told of.
  bool sweep_ = false;    // A lane is over.
  bool line_over_ = false;
  comch::shm::PostedWriter<> writer_;
  std::vector<comch::shm::PostedTable::Entry> entries_;
  comch::shm::PostedTable table_;
  comch::shm::BellSleeper<comch::shm::FastMachine> sleeper_;
  std::vector<std::byte> immediates_;           // immediate_max_ for each name.
  std::vector<std::uint16_t> immediate_sizes_;  // By name.
  std::vector<std::unique_ptr<InLane>> lanes_;
  std::size_t first_ = 0;  // Whose turn it is.
  // What is shown and not released, the oldest first, in a circle.
  std::array<Kept, kMaxKept> kept_;
  std::size_t kept_first_ = 0;
  std::size_t kept_count_ = 0;
  std::size_t shown_ = 0;
  struct Map {
    std::shared_ptr<const void> share;  // Of the addresses.
    os::Window window;
  };
  std::map<std::uint32_t, Map> maps_;
  std::uint64_t wakes_received_ = 0;
};

}  // namespace comch::transport::shm
