// Consumer: the receiving end of the fast path.
//
// A consumer belongs to one Connection (or MsgQ, see create()) and posts buffers; a Producer on the
// other side sends into the next one posted, and the data lands in the buffer itself.
//
//   auto consumer = Consumer::create(connection, *map).value();
//   consumer->configure_receive(64,
//       [](ReceiveTask& task) { use(task.buffer()->contents()); ...; task.submit(); },
//       [](ReceiveTask& task) { task.free(); });
//   engine->connect(*consumer);
//   consumer->start();                  // kStarting, until the other side knows of it
//   ...                                 // kRunning:
//   for (Buffer* buffer : buffers) consumer->allocate_receive(buffer).value()->submit();
//
// or, for code that wants no callback per message, in arrays:
//
//   consumer->post(buffers);
//   std::size_t count = consumer->poll(received);     // and engine->progress() now and then
//
// or, for small messages that need no buffer at all, looked at where they lie:
//
//   consumer->set_way(DataWay::kView);                // before start()
//   std::size_t count = consumer->poll_views(views);
//   ...
//   consumer->release_views(count);
//
// Threads: a consumer lives on the thread of its ProgressEngine, which need not be the
// connection's; create() and destroy() run where the connection does. Starting, ending and
// the loss of the peer need both engines to be progressed; messages need only this one.
//
// Order: buffers are filled in the order they were posted; messages of one producer complete
// in the order they were sent. Those of different producers have no order between them.
//
// Lifetime: a consumer outlives its tasks and is outlived by its memory map. Its connection may end
// before it is destroyed: it starts no more then (start() answers connection_reset). stop() hands
// out what has arrived and returns every other posted buffer through the error callback with
// `shutdown`; the loss of the peer does so with `connection_reset`. What was handed over is its
// producer's again then, which hears `connection_reset`: it is still told of, but its bytes may
// change, and are not to be used (hold() and give_back() do no harm). A producer that was copying
// into a buffer just then may write to it until it hears of the end, so that bytes which matter
// should not be put there before the other side's on_consumer().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "comch/buffer.h"
#include "comch/connection.h"
#include "comch/context.h"
#include "comch/memory_map.h"
#include "comch/result.h"
#include "comch/task.h"

#pragma GCC visibility push(default)
namespace comch {

class MsgQ;

enum class ProducerId : std::uint32_t {};  // Unique per connection and side.

// How data comes into the buffers of a consumer.
//   kMapped  the other side has mapped the memory map and copies into the buffer: one copy
//   kStaged  through memory that both sides map; this side makes the second copy
//   kCma     the kernel copies (process_vm_writev), where it lets the other side do that
//   kView    into no buffer: messages of at most 112 bytes with their immediate data, of which
//            the length counts rounded up to a multiple of 8. They are looked at where they lie
//            (Consumer::poll_views()). Nothing is posted, and the memory map is not used; tasks()
//            is how many messages of one producer may be unreleased
enum class DataWay : std::uint8_t { kAuto = 0, kMapped = 1, kStaged = 2, kCma = 3, kView = 4 };
std::string_view name(DataWay way);  // "auto", "mapped", "staged", "cma", "view"

// A message that was not copied: it stays in the producer's memory, which is the consumer's to
// read (and write, if the producer's map allows it) until give_back(), or until the end of one of
// the two begins: the consumer's stop(), its producer's abort(), or the loss of the peer.
struct HandedOver {
  std::span<std::byte> bytes;
  ProducerId producer{};
  std::uint32_t handle = 0;
  explicit operator bool() const { return !bytes.empty(); }
};

// What else is done between two calls of Consumer::poll() that bring nothing.
//   kAlone        nothing that matters. Where each message is answered, poll() may look up to
//                 0.15 us behind the moment at which what was sent is where the peer can see it:
//                 whoever looks while the peer writes delays it by more than that
//   kAmongOthers  other consumers, sockets or timers are looked at, so that poll() comes late as
//                 it is
enum class Polling : std::uint8_t { kAlone, kAmongOthers };

// What Consumer::hold() answers: a message that was handed over, for who reads it on.
struct Held {
  std::shared_ptr<const void> memory;  // As long as anybody has it, the bytes are mapped.
  // Of set_descriptors_kept(): the descriptor of the memfd that the bytes lie in, open for reading
  // as long as they are mapped, and not to be closed; and where in it, in bytes, the first one is.
  // Any thread may pread(2) it. The memfd is sealed against shrinking, so that no read is short.
  int descriptor = -1;  // -1: it was not kept.
  std::uint64_t offset = 0;
};

// One posted buffer, or, without a buffer, the wish for immediate data only.
class ReceiveTask : public Task {
 public:
  // Posts the room behind the buffer's data. Until exactly one callback brings the task back
  // the buffer is the consumer's. In callbacks posts are collected and published together.
  // bad_state: the task is posted already, or free; its buffer is posted by another one; the
  // consumer is idle or starting.
  Status submit() override = 0;

  // bad_state: it is posted. invalid_value: not a lent buffer of the consumer's memory map.
  Status set_buffer(Buffer* buffer);
  Buffer* buffer() const;  // Null: immediate data only.

  // Valid in the callback, and until the task is submitted again.
  ProducerId producer() const;
  std::span<const std::byte> immediate() const;
  std::uint64_t length() const;  // Bytes put behind the buffer's data.
  const HandedOver& handed_over() const;

 protected:
  ReceiveTask() = default;
  ~ReceiveTask() = default;
};

// What poll() answers: a posted buffer, filled, and yours again.
struct Received {
  Buffer* buffer = nullptr;              // Null: it was posted without one.
  std::uint64_t length = 0;              // Bytes put behind the buffer's data.
  std::span<const std::byte> immediate;  // Valid until the next poll().
  HandedOver handed_over;
  ProducerId producer{};
};

// A message in a record of the caller's, for who has a queue of them, as comch::uring::Ring has
// completions. Its owner may keep others there, too, that say what they are by their flags.
struct alignas(64) Incoming {
  static constexpr std::uint32_t kHandedOver = 2;

  std::uint64_t user_data = 0;  // As poll() was told.
  std::int64_t res = 0;         // The message's size.
  std::uint32_t flags = 0;      // As poll() was told, and kHandedOver.
  ProducerId producer{};
  union {
    Buffer* buffer = nullptr;  // Filled, and yours again. Null: it was posted without one.
    void* owner;               // Of what is no message of poll().
  };
  union {
    std::byte* bytes = nullptr;  // The message, in the buffer, or where it was handed over.
    const std::byte* view;       // Of what is no message of poll().
    void* subject;               // The same.
  };
  const std::byte* immediate_data = nullptr;  // Valid until the next poll().
  std::uint64_t size = 0;
  std::uint32_t immediate_size = 0;
  std::uint32_t handle = 0;  // Of what was handed over.

  std::span<std::byte> contents() const { return {bytes, size}; }
  // What came beside the message. Empty: nothing.
  std::span<const std::byte> immediate() const { return {immediate_data, immediate_size}; }
  // With kHandedOver: what give_back() wants.
  HandedOver handed_over() const {
    return {.bytes = contents(), .producer = producer, .handle = handle};
  }
};
static_assert(sizeof(Incoming) == 64, "one cache line each");

// A message of the way kView, where it lies: in memory that its producer's process can write. Where
// and how long it is has been checked, and does not change; the bytes can, until it is released,
// if that process breaks the rules. Copy out first what you check and then use.
struct View {
  std::span<const std::byte> data;
  std::span<const std::byte> immediate;
  ProducerId producer{};
};

// Counts since the consumer was started. A callback finds those of its own progress() counted or
// not.
struct ConsumerCounters {
  std::uint64_t received_messages = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t inline_messages = 0;       // That came in the producer's lane.
  std::uint64_t direct_messages = 0;       // That the producer put into the buffer: mapped or cma.
  std::uint64_t staged_messages = 0;       // That were copied twice.
  std::uint64_t cooperative_messages = 0;  // That both sides copied or read.
  std::uint64_t handed_over_messages = 0;  // That were not copied.
  std::uint64_t wakes_received = 0;
};

class Consumer : public Context {
 public:
  using Handler = std::function<void(ReceiveTask&)>;
  static constexpr std::uint32_t kMaxTasks = 8192;
  static constexpr std::uint32_t kMaxImmediate = 256;  // Bytes.
  static constexpr std::uint32_t kDefaultImmediate = 32;
  static constexpr std::uint32_t kMaxConsumers = 1024;  // Of one side of a connection.

  // bad_state: the connection is not established, or the map not started. not_permitted: the
  // map may not be written by the other side (Access::kPciReadWrite).
  static Result<std::unique_ptr<Consumer>> create(Connection& connection, MemoryMap& map);
  // The CPU's end of a MsgQ. It takes immediate data alone, at most MsgQ::kMaxImmediate bytes,
  // and no buffers; it runs at once, and no peer can be lost.
  // bad_state: the MsgQ is not started. not_permitted: its consumers run on the accelerator.
  // full: it has MsgQ::max_consumers().
  static Result<std::unique_ptr<Consumer>> create(MsgQ& queue);
  // in_use: it is not idle, and unchanged. invalid_value: null.
  static Status destroy(std::unique_ptr<Consumer>& consumer);

  // start(): full: the connection has kMaxConsumers. Others: Context, and set_way().
  //
  // Configuration. bad_state: not idle. invalid_value: 0, above the limit, or no callback.
  Status configure_receive(std::uint32_t tasks, Handler received, Handler failed);
  Status set_immediate_size(std::uint32_t bytes);  // Bytes a message may bring; 0: none.
  // Default kAuto: mapped where the memory map can be shown to the other side, else staged.
  // start() answers not_supported when a way that was asked for is not to be had; of a MsgQ,
  // which has no data to move, this call does.
  Status set_way(DataWay way);
  // For who does not trust producers with his memory: reading what was handed over in place makes
  // the pages that nobody wrote, on the reader's account, for as long as the producer keeps them;
  // pread(2) of Held::descriptor makes none. Default false. It costs a descriptor for each memory
  // map that is shown to this consumer, which counts as the peer's: whose maps are more than its
  // share of them, as they are of mappings, loses the consumer. not_supported: of a MsgQ.
  Status set_descriptors_kept(bool kept);
  // At any time. Default kAlone; uring::Ring::register_source() says it, too. Of a MsgQ, or between
  // machines, poll() looks at once anyway.
  void set_polling(Polling polling);

  std::uint32_t tasks() const;
  std::uint32_t immediate_size() const;
  DataWay way() const;    // Which is in use, from start() on.
  ConsumerId id() const;  // From start() on; another one after each start.
  // Of one that has a connection: queue() is null. Not to be asked for when that is over; see its
  // lifetime.
  Connection& connection() const;
  MsgQ* queue() const;
  ConsumerCounters counters() const;
  std::size_t posted() const;

  // Tasks.
  // bad_state: not running or stopping. no_memory: every task is out. invalid_value: the buffer
  // is not lent, or not of this consumer's map.
  Result<ReceiveTask*> allocate_receive(Buffer* buffer);

  // Arrays. A consumer is used through tasks or through arrays: what comes first after start()
  // counts, and the other is answered bad_state.
  // Posts the buffers and answers how many: fewer when tasks() are posted, or one is not of
  // the map or posted already; a null pointer posts no buffer. bad_state: not running.
  Result<std::size_t> post(std::span<Buffer* const> buffers);
  // Takes what has arrived, without running a callback; 0: nothing. It may be a part of that, and
  // the next call takes more. All of `out` may be written to, whatever is answered. When the
  // consumer has left kRunning, what is posted comes back with length 0 by take_back().
  std::size_t poll(std::span<Received> out);
  // The same; of each record that is answered all is written.
  std::size_t poll(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags);
  // The buffers of posts that ended without a message: after stop(), or a lost peer.
  std::size_t take_back(std::span<Buffer*> out);

  // Views, of the way kView; post() and tasks are answered not_supported there. A message may be
  // looked at until it is released. Shows what has arrived, of one producer at a time; 0: nothing,
  // or views of 64 producers in turn are kept. After stop(), or the loss of the peer, what has
  // arrived is still shown; the consumer is idle when 0 was answered and every view is released.
  std::size_t poll_views(std::span<View> out);
  // The same; of each record that is answered all is written, `owner` too.
  std::size_t poll_views(std::span<Incoming> out, std::uint64_t user_data, std::uint32_t flags,
                         void* owner);
  // Ends the use of the `count` views that were shown first; their room is the producer's again.
  // invalid_value: more than are kept; none is released. not_supported: of a MsgQ, or of another
  // machine's connection, which have no views.
  Status release_views(std::size_t count);

  // Ends the use of a message that was handed over; also in kStopping.
  // invalid_value: it was given back already, or its producer is gone. Of one whose producer is
  // gone, too, the bytes are not to be read any more: their memory may go with its map.
  Status give_back(const HandedOver& message);
  // Who reads a message on when the consumer is idle holds the answer: as long as he does, its
  // bytes stay mapped. They stay what they are only until it is given back or somebody's end does
  // that: the consumer's, its producer's, the connection's. Then they are the producer's again.
  // invalid_value: it is none of this run.
  Result<Held> hold(const HandedOver& message) const;

 protected:
  Consumer() = default;
};

}  // namespace comch
#pragma GCC visibility pop
