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
#include "transport/reactor.h"
#include "transport/shm/hub.h"
#include "transport/shm/in_lane.h"

namespace comch::transport::shm {

// How a message's data came.
enum class Passage : std::uint8_t { kNone, kInline, kDirect, kStaged, kCooperative, kHandOver };
inline constexpr std::size_t kPassages = 6;

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

class ConsumerPortOwner {
 public:
  virtual void on_accepted() = 0;  // The other side knows of it.
  virtual void on_wake() = 0;      // Something may have come.
  // It is kClosed, through no doing of this side.
  virtual void on_lost(const Error& error) = 0;

 protected:
  ~ConsumerPortOwner() = default;
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
  // the offset kNoBuffer. `index` is not posted.
  void post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity) {
    table_.post(index, offset, capacity);
    writer_.post(index, offset, capacity);
    unheard_ = true;
  }
  // What was posted can be sent to from here on.
  void publish() {
    if (unheard_) publish_and_tell();
  }

  // Hands at most `budget` messages to `sink`, lanes taking turns. True: something happened,
  // which may be a part of a long message.
  template <class Sink>
  bool poll(std::size_t budget, Sink&& sink) {
    bool did = false;
    const std::size_t lanes = lanes_.size();
    if (lanes == 1) [[likely]] {
      // Where there is one there is no other to have a turn.
      did = poll_lane(*lanes_.front(), budget, sink);
    } else {
      for (std::size_t turn = 0; turn < lanes && budget != 0; ++turn) {
        if (first_ >= lanes) first_ = 0;
        std::size_t share = std::min(budget, kTurn);
        budget -= share;
        did = poll_lane(*lanes_[first_++], share, sink) || did;
        budget += share;
      }
    }
    if (sweep_) [[unlikely]]
      sweep();
    return did;
  }

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

  void announce(const Setup& setup, os::Fd posted, os::Fd line, os::Fd memory);
  void publish_and_tell();

  // At most `budget` messages of a lane, which counts them off. True: something happened.
  template <class Sink>
  bool poll_lane(InLane& lane, std::size_t& budget, Sink& sink) {
    using Plain = comch::shm::LaneReader<>::Plain;
    const std::size_t before = budget;
    Step step = Step::kArrival;
    while (budget != 0 && step == Step::kArrival) {
      std::uint16_t index = 0;
      std::uint64_t length = 0;
      const Plain found = lane.reader.look_plain(index, length);
      if (found == Plain::kNothing) {
        step = Step::kNothing;
      } else if (found != Plain::kOther) [[likely]] {
        step = take_plain(lane, index, length, found == Plain::kInline, sink);
      } else {
        Arrival arrival;
        step = take_other(lane, arrival);
        if (step == Step::kArrival) sink(static_cast<const Arrival&>(arrival));
      }
      if (step == Step::kArrival) --budget;
    }
    if (budget == before && step != Step::kPart) [[likely]] {
      if (step == Step::kBroken || lane.ended) [[unlikely]]
        settle(lane, step);
      return false;
    }
    if (lane.reader.flush()) lane.tell();
    return true;
  }
  // Data alone, in its slot or in the posted buffer, as most messages are.
  template <class Sink>
  Step take_plain(InLane& lane, std::uint16_t index, std::uint64_t length, bool in_slot,
                  Sink& sink) {
    const comch::shm::PostedTable::Entry* const entry = table_.find(index, length);
    if (entry == nullptr) [[unlikely]]
      return Step::kBroken;
    if (in_slot) lane.reader.copy_plain(memory_.data() + entry->offset, length);
    table_.complete(index);
    lane.reader.pop_plain();
    sink(Arrival{.index = index,
                 .passage = in_slot ? Passage::kInline : Passage::kDirect,
                 .producer = lane.producer(),
                 .length = length,
                 .immediate = {},
                 .handed = {}});
    return Step::kArrival;
  }
  Step take_other(InLane& lane, Arrival& arrival);
  Step take_staged(InLane& lane, const comch::shm::LaneRecord& record, std::byte* to);
  Step take_job(InLane& lane, const comch::shm::LaneRecord& record, std::byte* to);
  Step take_hand_over(InLane& lane, const comch::shm::LaneRecord& record, Arrival& arrival);
  void take_immediate(const InLane& lane, const comch::shm::LaneRecord& record);
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
  std::vector<std::byte> immediates_;           // immediate_max_ for each index.
  std::vector<std::uint16_t> immediate_sizes_;  // By index.
  std::vector<std::unique_ptr<InLane>> lanes_;
  std::size_t first_ = 0;  // Whose turn it is.
  std::map<std::uint32_t, os::Window> maps_;
  std::uint64_t wakes_received_ = 0;
};

}  // namespace comch::transport::shm
