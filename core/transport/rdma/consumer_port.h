// ConsumerPort: a consumer's end of the fast path between machines: it writes what is posted to
// the other machine's board and takes what the lanes of its producers bring.
//
//   port->post(index, offset, capacity);  port->publish();
//   port->poll(64, [](const Arrival& arrival) { ... });
//
// It alone decides which buffers are posted, how long they are, and where; a producer that says
// anything else loses its machine this consumer.
//
//   kOpening --board--> kOpen --close(), or the connection ends, or a lie--> kClosed
//
// While messages come and the producers have at least half of what they may have, posts are held
// back and written together: one work request for many. A poll() that finds nothing writes them,
// and so does falling asleep.
//
// Threads: the reactor's. Lifetime: `memory` and the hub outlive it. Closed, it still hands out
// what has arrived.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "os/event.h"
#include "shm/posted_table.h"
#include "transport/map_life.h"
#include "transport/passage.h"
#include "transport/port_owner.h"
#include "transport/rdma/hub.h"
#include "transport/reactor.h"
#include "transport/taken.h"

namespace comch::transport::rdma {

// A message: its data is in the posted buffer `index`.
struct Arrival {
  std::uint16_t index = 0;
  Passage passage = Passage::kNone;
  std::uint32_t producer = 0;
  std::uint64_t length = 0;
  std::span<const std::byte> immediate;  // Valid until the index is posted again.
};

class ConsumerPort final : public Alarm {
 public:
  struct Setup {
    std::uint32_t depth = 0;
    std::uint32_t immediate_max = 0;
    MapLife* map = nullptr;
  };

  // connection_reset, full: see Hub::enter(). no_memory: the map cannot be registered (see
  // RLIMIT_MEMLOCK). operating_system: see sys.
  static Result<std::unique_ptr<ConsumerPort>> open(Reactor& reactor,
                                                    const std::shared_ptr<Hub>& hub,
                                                    const Setup& setup, ConsumerPortOwner& owner);
  struct Parts {
    os::Event rings;
    std::unique_ptr<Link> line;
    Pinned posts;
    wire::RdmaConsumer terms;
  };
  ConsumerPort(Reactor& reactor, std::shared_ptr<Hub> hub, std::span<std::byte> memory,
               ConsumerPortOwner& owner, Parts parts);
  ~ConsumerPort();

  std::uint32_t id() const { return local_->terms.id; }
  std::uint32_t posted() const { return table_.posted(); }
  bool closed() const { return state_ == State::kClosed; }
  std::uint64_t wakes_received() const { return wakes_received_; }

  // The caller has checked that the room lies in the memory; without one the capacity is 0 and
  // the offset kNoBuffer. `index` is not posted.
  void post(std::uint16_t index, std::uint64_t offset, std::uint64_t capacity);
  std::uint32_t names() const { return static_cast<std::uint32_t>(entries_.size()); }
  // The same in a loop, for a caller without names of its own, who takes choose().
  class Posting {
   public:
    explicit Posting(ConsumerPort& port) : port_(port) {}
    std::uint16_t choose() const {
      return port_.table_.choose(static_cast<std::uint16_t>(port_.written_ % port_.names()));
    }
    void post(std::uint16_t index, std::uint16_t /*name*/, std::uint64_t offset,
              std::uint64_t capacity) {
      port_.post(index, offset, capacity);
    }

   private:
    ConsumerPort& port_;
  };
  // There is nothing that posts of one capacity have in common here.
  template <class Next>
  std::size_t post_alike(std::uint64_t /*capacity*/, std::size_t /*most*/, Next&& /*next*/) {
    return 0;
  }
  // What was posted can be sent to from here on, or soon: see above.
  void publish() {
    if (held() != 0) publish_some();
  }

  // Hands at most `budget` messages to `sink`, lanes taking turns: sink(n, arrival) of the n-th.
  template <class Sink>
  Taken poll(std::size_t budget, Sink sink) {
    look_after_links();
    std::size_t count = 0;
    const std::size_t lanes = lanes_.size();
    for (std::size_t turn = 0; turn < lanes && count < budget; ++turn) {
      if (first_ >= lanes) first_ = 0;
      const std::size_t until = lanes == 1 ? budget : std::min(budget, count + kTurn);
      count = poll_lane(*lanes_[first_++].lane, count, until, sink);
    }
    busy_ = count != 0;
    if (!busy_) settle();
    return {.messages = count, .any = busy_};
  }
  // As the carrier in shared memory has it, where a look costs the writer.
  template <class Sink>
  Taken poll_twice(std::size_t budget, bool /*alone*/, Sink sink) {
    return poll(budget, sink);
  }

  // Ends it; what is posted comes back through take_back().
  void close();
  // Hears what the other side has said so far.
  void catch_up() { hear(); }
  // Takes back every posted index; for a closed port whose lanes are empty. What comes all the
  // same, of a producer that had not heard of the end, has nowhere to go and is no lie.
  template <class Each>
  void take_back(Each&& each) {
    over_ = true;
    table_.complete_all(std::forward<Each>(each));
  }

  // For the engine's source; see engine/source.h.
  bool arm();
  bool ready();
  bool has_message() const;
  void disarm() { awake_ = true; }
  void relax() {}  // Who polls is not rung for anyway: its last episode is over.

  // A message that was under way when we fell asleep: looks once more.
  void on_alarm() override { owner_.on_wake(); }

 private:
  enum class State : std::uint8_t { kOpening, kOpen, kClosed };
  static constexpr std::size_t kTurn = 32;  // Messages of one lane before the next has its turn.
  static constexpr std::uint32_t kLineSends = 64;
  // bell.h needs the producers to look at their completions; one that does not progress for long
  // makes us wait no longer than this.
  static constexpr std::uint64_t kSecondLook_ns = 5'000'000;

  // The descriptor of a link, or of the news, is readable.
  struct Ear final : Readiness {
    Ear(ConsumerPort& p, Link* l) : port(p), link(l) {}
    void on_readable() override { port.heard(link); }
    ConsumerPort& port;
    Link* const link;  // Null: the hub's news.
  };
  struct Lane {
    std::shared_ptr<InLane> lane;
    std::unique_ptr<Ear> ear;
  };

  // What a lane has, from the `count`-th message of the poll on, `until` so many are taken.
  template <class Sink>
  std::size_t poll_lane(InLane& lane, std::size_t count, std::size_t until, Sink sink) {
    LaneRecord record;
    while (count < until && !over_ && lane.look(record)) {
      const comch::shm::PostedTable::Entry* const entry = check(record);
      if (entry == nullptr) [[unlikely]] {
        cut_off(lane, record.producer);
        break;
      }
      const Arrival arrival = take(lane, record, *entry);
      sink(count++, arrival);
    }
    return count;
  }
  const comch::shm::PostedTable::Entry* check(const LaneRecord& record) const;
  Arrival take(InLane& lane, const LaneRecord& record, const comch::shm::PostedTable::Entry& entry);
  void cut_off(InLane& lane, std::uint32_t producer);

  Status open();
  // Descriptors that the other side has not been told of.
  std::uint32_t held() const { return written_ - told_; }
  void publish_some();
  void write_posts();
  SendRequest next_posts();
  void settle();
  // Completions of what was written, rings, and links that broke.
  void look_after_links();
  void look_after(Link& link);
  void look_after_line();
  void tell_producers();
  void hear();
  void heard(Link* link);
  void adopt(std::shared_ptr<InLane> lane);
  void forget_ended();
  void lose(const Error& error);

  Reactor& reactor_;
  const std::shared_ptr<Hub> hub_;
  ConsumerPortOwner& owner_;
  const std::span<std::byte> memory_;
  const os::Event rings_;
  const std::shared_ptr<LocalConsumer> local_;
  const std::uint32_t slots_;  // Of the board.
  Ear news_ear_{*this, nullptr};
  Ear line_ear_;
  State state_ = State::kOpening;
  bool over_ = false;  // All was taken back: no lane is read any more.
  wire::Target board_;
  std::uint32_t written_ = 0;  // Descriptors ever posted, and
  std::uint32_t told_ = 0;     // of them written to the board.
  bool busy_ = false;          // The last poll() found something.
  bool awake_ = true;          // It polls; nobody was asked to ring.
  Bell bell_;
  std::vector<comch::shm::PostedTable::Entry> entries_;
  comch::shm::PostedTable table_;
  std::vector<std::byte> immediates_;  // immediate_max for each index.
  std::vector<Lane> lanes_;
  std::size_t first_ = 0;  // Whose turn it is.
  std::uint64_t wakes_received_ = 0;
};

}  // namespace comch::transport::rdma
