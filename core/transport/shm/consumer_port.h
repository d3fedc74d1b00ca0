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
#include <memory>
#include <span>
#include <vector>

#include "base/pause.h"
#include "os/fd.h"
#include "os/memfd.h"
#include "os/packet.h"
#include "shm/bell.h"
#include "shm/posted_ring.h"
#include "transport/gap.h"
#include "transport/patience.h"
#include "transport/port_owner.h"
#include "transport/reactor.h"
#include "transport/shm/arrival.h"
#include "transport/shm/doorbell.h"
#include "transport/shm/hub.h"
#include "transport/shm/in_lane.h"
#include "transport/shm/intake.h"
#include "transport/shm/peer_files.h"
#include "transport/shm/peer_maps.h"
#include "transport/shm/showcase.h"
#include "transport/sign.h"
#include "transport/taken.h"

namespace comch::transport::shm {

class ConsumerPort final : public Readiness, private Intake::Host {
 public:
  struct Setup {
    std::uint32_t depth = 0;
    std::uint32_t immediate_max = 0;
    wire::Way way = wire::Way::kStaged;
    std::span<std::byte> memory;
    const os::Fd* memfd = nullptr;  // kMapped.
    std::uint64_t memfd_offset = 0;
    Descriptors descriptors = Descriptors::kClosed;  // Of the maps that it is shown.
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
  std::uint32_t posted() const { return intake_.table().posted(); }
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
    std::uint16_t choose() const { return port_.intake_.table().choose(walk_.next_slot()); }
    void post(std::uint16_t index, std::uint16_t name, std::uint64_t offset,
              std::uint64_t capacity) {
      port_.intake_.table().post(index, name, offset, capacity);
      walk_.post(index, offset, capacity);
    }

   private:
    ConsumerPort& port_;
    comch::shm::PostedWriter<>::Walk walk_;
  };
  // Goes on with posts of one capacity, at most `most`: next(name) answers the offset, or kNoBuffer
  // if the next one is another. The name is that of the other side, unless the caller sets its own.
  // Answers how many it has posted; perhaps none, and the next one takes post() or a Posting.
  template <class Next>
  [[gnu::always_inline]] std::size_t post_alike(std::uint64_t capacity, std::size_t most,
                                                Next next) {
    comch::shm::PostedTable& table = intake_.table();
    const auto put = [&table, capacity, next](std::uint16_t name) mutable {
      const std::uint16_t index = name;
      const std::uint64_t offset = table.posted(index) ? comch::shm::kNoBuffer : next(name);
      if (offset != comch::shm::kNoBuffer) table.put(index, name, offset, capacity);
      return offset;
    };
    const std::size_t posted = writer_.post_alike(capacity, most, put);
    table.count_put(posted);
    return posted;
  }
  // What was posted can be sent to from here on.
  void publish() {
    if (unheard_) publish_and_tell();
  }

  // Hands at most `budget` messages, not 0, to `sink`, lanes taking turns: sink(n, message) of the
  // n-th, an Arrival or a PlainArrival. For the engine: one, where that awaits an answer.
  template <class Sink>
  [[gnu::always_inline]] Taken poll(std::size_t budget, Sink sink) {
    return poll(reactor_.gap().budget(budget), sink, Intake::kLookOnce);
  }
  // The same of a caller that polls by itself, and not through its engine: behind a look that finds
  // nothing there is one more, and a gap between them. More of them, as Patience has, gain nothing
  // in so short a call. `alone`: it does nothing else meanwhile, so that it may look late.
  template <class Sink>
  [[gnu::always_inline]] Taken poll_twice(std::size_t budget, bool alone, Sink sink) {
    const auto now = [this] { return reactor_.now_ns(); };
    gap_.polls(now, [this] { return has_message(); });
    gap_.await(reactor_.next_answer().slot(), alone);
    const Taken taken = poll(gap_.budget(budget), sink, &gap_);
    gap_.polled(taken.any, now);
    return taken;
  }

  // For a port of the way kView, instead of post() and poll(). Shows at most `budget` messages of
  // one lane, lanes taking turns: sink(n, shown) of the n-th. Each stays as it is until it is
  // released.
  template <class Sink>
  Showing view(std::size_t budget, Sink sink) {
    const auto now = [this] { return reactor_.now_ns(); };
    gap_.polls(now, [this] { return has_message(); });
    if (gap_.is_far()) [[unlikely]]
      gap_.await(reactor_.next_answer().slot(), true);
    Patience& patience = reactor_.patience();
    const Showing shown = patience.look(this, [&] { return view_once(budget, sink); });
    if (shown) patience.received(this);
    gap_.polled(static_cast<bool>(shown), now);
    if (sweep_) [[unlikely]]
      sweep();
    return shown;
  }
  // Of the messages shown, the `count` oldest are done with. False: there are not so many.
  bool release(std::size_t count) { return showcase_.release(count); }
  std::size_t shown() const { return showcase_.shown(); }  // Not released.

  // Ends the use of what was handed over; `at` lies in it. False: it is not held, or its producer
  // is gone; the memory may go all the same.
  bool give_back(std::uint32_t producer, std::uint32_t handle, const std::byte* at);
  std::size_t maps() const { return maps_.mapped(); }  // Of the peer's.
  // Keeps memory that was handed over mapped, if this port is no more, too. Null: it is none.
  std::shared_ptr<const PeerMap::Memory> hold(std::span<const std::byte> bytes) const {
    return maps_.hold(bytes);
  }

  // Ends it; what is posted comes back through take_back().
  void close();
  // Reads what the other side has said so far: a message that has arrived may be in a lane whose
  // announcement nobody has read yet.
  void catch_up() {
    for (std::size_t n = 0; n < kMaxLanes && read_line(); ++n) continue;
  }
  // Takes back every posted index; for a closed port whose lanes are empty. What comes all the
  // same, of a producer that had not heard of the end, has nowhere to go and is no lie.
  template <class Each>
  void take_back(Each&& each) {
    over_ = true;
    for (const std::unique_ptr<InLane>& lane : lanes_) lane->shut = true;
    intake_.table().complete_all(std::forward<Each>(each));
  }

  // For the engine's source; see engine/source.h.
  bool arm() { return sleeper_.arm(); }
  WakeWord ask_for_word() { return shm::ask_for_word(sleeper_); }
  bool ready() const;
  // Whether a lane that can be read holds something. Nothing may come of it: half a message, of
  // a producer that is gone.
  bool has_message() const;
  void disarm() { sleeper_.disarm(); }
  void relax() {
    if (may_relax_) sleeper_.relax();
  }

  // By which poll() is told from one that would find nothing, until the owner is woken or polls.
  Sign sign() const;

  void on_readable() override;

 private:
  enum class State : std::uint8_t { kOpening, kOpen, kClosed };
  static constexpr std::size_t kTurn = 64;  // Messages of one lane before the next has its turn.
  static constexpr std::size_t kParts = 4;  // Of long messages, one of a lane, in one poll().
  static constexpr std::size_t kMaxLanes = 1024;

  void announce(const Setup& setup, os::Fd posted, os::Fd line, os::Fd memory);
  void publish_and_tell();

  template <class Sink>
  [[gnu::always_inline]] Taken poll(std::size_t budget, Sink sink, Gap* gap) {
    // Where there is one lane there is no other to have a turn.
    const Taken taken = only_ != nullptr ? take_from(*only_, 0, budget, gap, sink)
                                         : take_in_turns(budget, gap, sink);
    if (sweep_) [[unlikely]]
      sweep();
    return taken;
  }
  template <class Sink>
  [[gnu::noinline]] Taken take_in_turns(std::size_t budget, Gap* gap, Sink sink) {
    if (gap != Intake::kLookOnce && is_quiet()) gap->rest();
    Taken all;
    std::size_t parts = 0;
    const std::size_t lanes = lanes_.size();
    for (std::size_t turn = 0; turn < lanes && all.messages < budget && parts < kParts; ++turn) {
      if (first_ >= lanes) first_ = 0;
      const std::size_t until = std::min(budget, all.messages + kTurn);
      const Taken taken =
          take_from(*lanes_[first_++], all.messages, until, Intake::kLookOnce, sink);
      if (taken.any && taken.messages == all.messages) ++parts;
      all = {.messages = taken.messages, .any = all.any || taken.any};
    }
    return all;
  }
  // What a lane has, from the `first`-th message of the poll on, `until` so many are taken.
  template <class Sink>
  [[gnu::always_inline]] Taken take_from(InLane& lane, std::size_t first, std::size_t until,
                                         Gap* gap, Sink sink) {
    const auto [count, found] = intake_.take(lane, first, until, gap, sink);
    if (found != Found::kSome) [[likely]]
      settle(lane, found);
    return {.messages = count, .any = found == Found::kSome};
  }
  template <class Sink>
  Showing view_once(std::size_t budget, Sink sink) {
    Showing shown;
    const std::size_t lanes = lanes_.size();
    for (std::size_t turn = 0; turn < lanes && !shown; ++turn) {
      if (first_ >= lanes) first_ = 0;
      InLane& lane = *lanes_[first_++];
      const Showcase::Got got = showcase_.show(lane, budget, sink);
      shown = got.shown;
      if (!shown) settle(lane, got.found);
    }
    return shown;
  }
  bool has_work(InLane& lane) const;
  // Nothing would come of poll() now.
  bool is_quiet() const {
    for (const std::unique_ptr<InLane>& lane : lanes_) {
      if (lane->heeded || lane->reader.ready()) return false;
    }
    return !sweep_;
  }
  // A lane in which nothing was found.
  void settle(InLane& lane, Found found) {
    if (found == Found::kBroken || lane.heeded) [[unlikely]]
      end(lane, found);
  }
  void end(InLane& lane, Found found);
  void sweep();

  // One packet of the line; false: there is none now, or never again.
  bool read_line();
  Error why_over(const Result<os::Packet>& last) const;
  // Memory or a file that a message speaks of. Its announcement was sent ahead of the message, so
  // that it has come by now, but perhaps it is not read. Null: there is none.
  PeerMap* map_of(std::uint32_t number) override;
  const os::PeerFile* file_of(std::uint32_t number) override;
  template <class Find>
  auto find_announced(const Find& find);
  void post_again(std::uint16_t index, const Intake::Entry& entry) override;
  void heard(const wire::FastPacket& said, os::Packet& packet);
  Status add_lane(const wire::Lane& lane, std::span<os::Fd> fds);
  Status add_file(const wire::File& file, os::Packet& packet);
  Status end_map(const wire::MapEnd& end);
  std::uint64_t ends_passed() const;
  void unmap_passed();
  InLane* lane_of(std::uint32_t producer);
  void note_only_lane() { only_ = lanes_.size() == 1 ? lanes_.front().get() : nullptr; }
  void lose(const Error& error);

  Reactor& reactor_;
  const std::shared_ptr<Hub> hub_;
  ConsumerPortOwner& owner_;
  const std::uint32_t id_;
  const std::uint32_t depth_;
  const std::uint32_t immediate_max_;
  const bool views_;
  const bool own_membarrier_;
  const Parts parts_;
  State state_ = State::kOpening;
  bool may_relax_ = false;
  bool unheard_ = false;  // Something was posted that no producer was told of.
  bool sweep_ = false;    // A lane is over, or a map has ended and not every lane has passed it.
  bool over_ = false;     // All was taken back: no lane is read any more.
  bool line_over_ = false;
  comch::shm::PostedWriter<> writer_;
  Intake intake_;
  comch::shm::BellSleeper<comch::shm::FastMachine> sleeper_;
  std::vector<std::unique_ptr<InLane>> lanes_;
  InLane* only_ = nullptr;  // Of lanes_, if there is but one.
  std::size_t first_ = 0;   // Whose turn it is.
  Showcase showcase_;
  Gap gap_;  // Of who polls by itself.
  PeerMaps maps_;
  PeerFiles files_;
  std::uint64_t passed_ = 0;  // The ends of maps_ that all lanes had passed at the last look.
  std::uint64_t wakes_received_ = 0;
};

}  // namespace comch::transport::shm
