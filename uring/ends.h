// Ends: what operations name: a consumer of the other side, a consumer of this side, a connection;
// each with what waits for it.
//
// `Kinds` says what producers, consumers and connections are: CoreKinds those of comch, a test's
// own those that fail as they are told. Calls go straight to them: no table of functions.
//
// Threads: the ring's. Lifetime: from Ring::register_...() to unregister(). Errors: none.
#pragma once

#include <time.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "comch/connection.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "comch/uring/completion.h"
#include "op_list.h"

namespace comch::uring {

class KernelIo;

struct CoreKinds {
  using Io = KernelIo;
  using Producer = comch::Producer;
  using Consumer = comch::Consumer;
  using Connection = comch::Connection;
  // As an application sees it.
  static comch::Connection* shown(Connection& connection) { return &connection; }
  static std::uint64_t now_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
  }
};

// What a public pointer points to; which Kinds it is of, the ring that made it knows.
class Destination {};
class Source {};
class Control {};
class Listener {};

template <class Kinds>
struct DestinationOf : Destination {
  DestinationOf(Kinds::Producer& through, ConsumerId to) : producer(through), consumer(to) {}

  typename Kinds::Producer& producer;
  const ConsumerId consumer;
  OpList waiting;                  // For a posted buffer, or behind one that does.
  OpList commits;                  // Behind a long message; they need no posted buffer.
  OpList copied;                   // Fetched into memory of this side; they are sent as it is.
  OpList handed_over;              // Not given back yet.
  Operation* under_way = nullptr;  // A long message that is being copied.
  std::uint32_t unshared = 0;      // Files that are to be read by this side alone first.
  PeerMemory memory;               // Held from the first transfer into it on, or registered.
  std::uint32_t fetching = 0;      // Transfers that are in the kernel.
  bool registered = false;         // The memory.
  bool stalled = false;            // One of the lists but handed_over is not empty.
  bool held_up = false;            // The first that waits, by transfers and loans of this side: no
                                   // room is awaited.
};

// A pool of a multishot receive.
struct Pool {
  Operation* op = nullptr;  // Null: there is none, or it is over but for `queued`.
  // The counts are not side by side: they would be read as one, which waits for both of the stores
  // that they were written by.
  std::uint32_t posted = 0;  // Buffers that the consumer has.
  bool refilling = false;    // It is neither cancelled nor over.
  std::uint32_t queued = 0;  // Buffers of completions that are not advanced over.
  bool is_of_none = false;   // It posts no buffers, for immediate data alone.
  std::uint64_t begun = 0;   // Buffers posted, again and again, by this and by former pools.
};

// A multishot view.
struct Views {
  Operation* op = nullptr;   // Null: there is none, or it is over but for what is `shown`.
  std::uint32_t places = 0;  // Of completions.
  std::uint32_t shown = 0;   // That are not advanced over.
};

template <class Kinds>
struct SourceOf : Source {
  explicit SourceOf(Kinds::Consumer& c) : consumer(c) {}

  typename Kinds::Consumer& consumer;
  std::uint32_t number = 0;  // By which the pool's completions name it.
  OpList posted;             // Of one message each, in the order they were posted.
  Pool pool;
  Views views;
  bool has_posted() const { return !posted.empty() || pool.posted != 0; }
};

template <class Kinds>
struct ControlOf : Control {
  explicit ControlOf(Kinds::Connection& c) : connection(c) {}

  typename Kinds::Connection& connection;
  OpList sends;
  OpList receives;
  Listener* listener = nullptr;  // That it came from; else the application registered it.
  std::int64_t ended = 0;        // The result of what comes too late: the connection is no more.
};

template <class Kinds>
struct ListenerOf : Listener {
  struct Arrival {
    enum What : std::uint8_t { kConnection, kConsumer, kEnd };
    What what = kConnection;
    ControlOf<Kinds>* control = nullptr;  // Null: a consumer of a connection that it has not.
    Kinds::Connection* connection = nullptr;
    ConsumerId consumer{};
  };

  explicit ListenerOf(const void* e) : endpoint(e) {}

  const void* const endpoint;
  Operation* op = nullptr;      // Null: nothing is to be shown.
  Completion* shown = nullptr;  // Not advanced over.
  Arrival::What shows{};        // In there.
  std::deque<Arrival> arrivals;
  std::vector<ControlOf<Kinds>*> controls;  // Of its connections.
};

}  // namespace comch::uring
