// Producer: the sending end of the fast path.
//
// A producer belongs to one Connection (or MsgQ, see create()) and sends into the buffers that
// consumers of the other side have posted, each consumer by its id (Server::on_consumer() tells
// of them).
//
//   auto producer = Producer::create(connection).value();
//   producer->configure_send(64, [](ProducerTask& task) { task.free(); }, ...);
//   engine->connect(*producer);
//   producer->start();                                             // kRunning at once
//   ProducerTask* task = producer->allocate_send(buffer, {}, consumer).value();
//   if (Status s = task->submit(); !s) ...                         // again: nothing posted
//
// or, without tasks and callbacks, many at a time:
//
//   std::size_t sent = producer->send(consumer, messages).value();
//
// or in place: reserve() lends the next posted buffer itself, to be written and committed; and
// hand_over() passes a buffer of this side, which comes back when the consumer is done with it.
//
// Threads: a producer lives on the thread of its ProgressEngine, which need not be the
// connection's; create() and destroy() run where the connection does. Make one producer
// per thread rather than share one.
//
// Order: sends to one consumer arrive and complete in the order they were submitted.
//
// Completion means: the data is in the posted buffer (or in memory the consumer's process
// will copy it from) and the consumer will be told even if this process dies now.
//
// Lifetime: a producer outlives its tasks. Its connection may end before it is destroyed: it starts
// no more then (start() answers connection_reset). stop() finishes what was submitted, as long as
// the consumer keeps up, and waits, however long it takes, until all that was handed over has come
// back; the loss of the peer returns every task with connection_reset. abort(), also after stop(),
// returns all at once: a message that the consumer was copying itself (see set_cooperative_size())
// may still arrive there, with the bytes that the memory has then, and it may still be reading a
// buffer that was handed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "comch/buffer.h"
#include "comch/connection.h"
#include "comch/consumer.h"
#include "comch/context.h"
#include "comch/result.h"
#include "comch/task.h"

#pragma GCC visibility push(default)
namespace comch {

class MsgQ;
class ShownFile;

class ProducerTask : public Task {
 public:
  // Sends the buffer's data into the next buffer that the consumer has posted. It comes back
  // through exactly one callback, from progress(); until then the buffer keeps its reference, and
  // its data must not change. On an error the task stays the caller's and nothing was sent:
  // again: the consumer has nothing posted, or other producers of this process hold what it has;
  // this clears without progress of this one.
  // invalid_value: no such consumer; the data is longer than the room of the posted buffer
  // (which stays posted), or the immediate data than the consumer takes, or both together than
  // what a consumer of the way DataWay::kView looks at.
  // bad_state: the task is submitted already, or free; the producer is idle.
  // connection_reset: the peer is gone. shutdown: the producer is stopping.
  // full: the consumer has Producer::kMaxProducers already. no_memory, operating_system: what the
  // first message to a consumer needs was not to be had.
  Status submit() override = 0;
  // Messages of data alone that fit a slot of the lane (112 bytes) are held, while their buffers
  // are known to be posted: up to 64, and no more than a quarter of what the consumer posts. Of
  // several producers of this process to the consumer each takes the buffers first, up to 16, and
  // no more than its part of that quarter; the others have what it did not use when it sends what
  // it holds. Longer ones, of 8 KiB at most, are copied at once, and the consumer sees up to 16 of
  // them together, if nobody else of this process sends to it. Any other is submitted at once.
  bool try_submit_more() override = 0;

  // Each: bad_state: it is submitted.
  Status set_buffer(const Buffer* buffer);  // Null: immediate data alone.
  // Copied by submit(); until then the bytes are the caller's to keep.
  Status set_immediate(std::span<const std::byte> immediate);
  Status set_consumer(ConsumerId consumer);

  const Buffer* buffer() const;
  std::span<const std::byte> immediate() const;
  ConsumerId consumer() const;

 protected:
  ProducerTask() = default;
  ~ProducerTask() = default;
};

// One message of an array. `data` may be any memory.
struct Outgoing {
  std::span<const std::byte> data;
  std::span<const std::byte> immediate;
};

// Messages of data alone whose places and sizes are in records of the caller's, which lie `stride`
// bytes apart: `data` and `size` are in the first one.
struct OutgoingRecords {
  const std::byte* const* data = nullptr;
  const std::uint64_t* size = nullptr;
  std::size_t stride = 0;
  std::size_t count = 0;

  // Of the n-th.
  std::span<const std::byte> operator[](std::size_t n) const {
    return {*in_record(data, n), *in_record(size, n)};
  }

 private:
  template <class Member>
  const Member* in_record(const Member* first, std::size_t n) const {
    return reinterpret_cast<const Member*>(reinterpret_cast<const char*>(first) + n * stride);
  }
};

// A posted buffer of the other side, lent to be written in place. The room stays writable until the
// loan is ended or the producer is idle, also when its consumer goes; then it is to be abandoned.
struct Loan {
  std::span<std::byte> room;
  ConsumerId consumer{};
  std::uint32_t handle = 0;
};

// A loan whose room holds a message of `length` bytes.
struct FilledLoan {
  Loan loan;
  std::size_t length = 0;
  std::span<const std::byte> immediate{};
};

// A consumer's memory as it is mapped here; it stays mapped as long as this is held.
struct PeerMemory {
  std::span<std::byte> bytes;
  std::shared_ptr<const void> hold;
};

// Counts since the producer was started.
struct ProducerCounters {
  std::uint64_t sent_messages = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t inline_messages = 0;
  std::uint64_t mapped_messages = 0;
  std::uint64_t staged_messages = 0;
  std::uint64_t cma_messages = 0;
  std::uint64_t cooperative_messages = 0;  // Copied or read by both sides.
  std::uint64_t loaned_messages = 0;
  std::uint64_t handed_over_messages = 0;
  std::uint64_t nothing_posted = 0;  // Sends answered `again` because nothing was posted.
  std::uint64_t wakes_sent = 0;
};

class Producer : public Context {
 public:
  using Handler = std::function<void(ProducerTask&)>;
  using SpaceHandler = std::function<void(Producer&, ConsumerId)>;
  using ReturnHandler = std::function<void(Producer&, ConsumerId, Buffer&, const Status&)>;
  static constexpr std::uint32_t kMaxTasks = 8192;
  static constexpr std::uint32_t kMaxProducers = 1024;  // Of one side of a connection.
  static constexpr std::uint32_t kMaxLoans = 32;        // At a time, of one consumer.
  // Together, of one consumer on another machine: they are pinned here.
  static constexpr std::size_t kMaxLoanBytes = std::size_t{256} << 20U;
  static constexpr std::uint32_t kMaxHandedOver = 1024;  // At a time, to one consumer.
  static constexpr std::size_t kDefaultCooperative = std::size_t{64} << 10U;
  static constexpr std::size_t kDefaultStaging = std::size_t{1} << 20U;
  static constexpr std::uint32_t kSmallLane = 64;

  // bad_state: the connection is not established.
  static Result<std::unique_ptr<Producer>> create(Connection& connection);
  // The CPU's end of a MsgQ. It sends immediate data alone: data is answered invalid_value,
  // reserve() and hand_over() not_supported; no peer can be lost.
  // bad_state: the MsgQ is not started. not_permitted: its producers run on the accelerator.
  // full: it has MsgQ::max_producers().
  static Result<std::unique_ptr<Producer>> create(MsgQ& queue);
  // in_use: it is not idle, and unchanged. invalid_value: null.
  static Status destroy(std::unique_ptr<Producer>& producer);

  // start(): full: the connection has kMaxProducers. Others: Context.
  //
  // Configuration. bad_state: not idle. invalid_value: 0, above the limit, or no callback.
  Status configure_send(std::uint32_t tasks, Handler sent, Handler failed);
  // Called from progress() after request_space(), once. Optional.
  Status on_space(SpaceHandler handler);
  // Called from progress(), once for each buffer that was handed over to this consumer: it has
  // given it back, or the status says why it never will. Its reference is the caller's again.
  // Mandatory before hand_over(). connection_reset: the consumer is gone, or the peer. shutdown:
  // the producer was aborted.
  Status on_returned(ReturnHandler handler);
  // Messages from here on are copied by both sides, while the consumer polls and the message
  // lies in a memory map that it may map. 0: none are. At least 8 KiB.
  Status set_cooperative_size(std::size_t bytes);
  // Memory per consumer that cannot be mapped, through which data is staged: 64 KiB to 1 GiB.
  Status set_staging_size(std::size_t bytes);
  // Messages to one consumer that it has not looked at yet; more are answered `again`, even if
  // it has posted more. 0, the default: as many as it posts at most. A few (kSmallLane) stay in
  // the caches, which small messages sent one by one are a quarter faster for; batches want
  // twice as many as are sent at once. At least 2, rounded down to a power of two.
  Status set_lane_size(std::uint32_t messages);

  std::uint32_t tasks() const;
  ProducerId id() const;
  // Of one that has a connection: queue() is null. Not to be asked for when that is over; see its
  // lifetime.
  Connection& connection() const;
  MsgQ* queue() const;
  ProducerCounters counters() const;

  // Tasks. `buffer` may be null: immediate data alone.
  // bad_state: not running or stopping. no_memory: every task is out. invalid_value: the buffer
  // is not lent; immediate data above Consumer::kMaxImmediate.
  Result<ProducerTask*> allocate_send(const Buffer* buffer, std::span<const std::byte> immediate,
                                      ConsumerId consumer);

  // Arrays. Sends the messages, in order and published together, and answers how many were
  // accepted: fewer when fewer buffers are posted, or one does not fit. 0 is answered for no
  // messages alone: else the error says why the first one was not accepted, as for submit().
  // again, too: it is busy(), or tasks to this consumer are under way; that clears by progress().
  // An accepted message is complete when this returns; only the last one may still be copied
  // from, and then busy() is true: its bytes must not change until it is false again.
  Result<std::size_t> send(ConsumerId consumer, std::span<const Outgoing> messages);
  // The usual message of its own: data alone, to the consumer that was sent to last. True: it is
  // sent, and complete. False: nothing was done, and send() does it, or says why not.
  bool try_send(ConsumerId consumer, std::span<const std::byte> data);
  // The same of some, published together; answers how many are sent, and complete. send() does the
  // next one, or says why not.
  std::size_t try_send(ConsumerId consumer, const OutgoingRecords& messages);
  bool busy(ConsumerId consumer) const;
  // How the last message to this consumer that was busy() ended; in_progress while it is. It stays
  // so until another is; errors are kept of 1,024 consumers. After an error the message has
  // not arrived; but between machines it may have.
  // connection_reset: the consumer is gone, or the peer. shutdown: the producer was aborted.
  // time_out: the consumer made no room for two seconds while the producer stopped.
  // not_permitted, invalid_value, operating_system: the kernel did not copy it; no more is sent to
  // this consumer, and each send says why.
  Status ending(ConsumerId consumer) const;

  // Sends `length` bytes of the file from `offset` on as one message, which both sides read, each a
  // part of it, into the buffer that the consumer has posted. Accepted, it is busy() until it is
  // over, and nothing else is sent to the consumer meanwhile; ending() says how it ended. No disk
  // is waited for: io_failed says that not all of it was in the page cache, or the file is shorter
  // by now. Nothing is sent then, and the buffer is posted again.
  // not_supported: it is below set_cooperative_size(), the file ends before, the end of it is not
  // cached, or the consumer is on another machine, cannot be shown a file, or has its
  // memory not mapped here (see DataWay): send() what was read by other means. Others: as for
  // send().
  Status send_file(ConsumerId consumer, const ShownFile& file, std::uint64_t offset,
                   std::size_t length, std::span<const std::byte> immediate = {});

  // Whether the consumer is there: announced and not gone. It says which one an invalid_value of a
  // send was, and nothing is sent, made or waited for. False also while the producer does not run.
  bool reaches(ConsumerId consumer) const;

  // Asks for one call of on_space, from progress(), as soon as the consumer has something posted
  // and not too much is under way, or nothing can be sent to it at all, which the next send says
  // why. A consumer that ends is told of by on_consumer() alone. invalid_value: no such consumer.
  // bad_state: not running.
  Status request_space(ConsumerId consumer);
  // Whether that is so now; false also for a consumer that does not exist.
  bool has_space(ConsumerId consumer);

  // In place. The loan keeps its posted buffer from other sends until it is committed or
  // abandoned; loans may be committed in any order.
  // again: nothing is posted. full: kMaxLoans, or kMaxLoanBytes. not_supported: the consumer's
  // memory is not mapped here (see DataWay). invalid_value: no such consumer, or it was posted
  // without room. no_memory: of a consumer on another machine, what it has posted is longer than
  // kMaxLoanBytes, or RLIMIT_MEMLOCK; send() needs neither. Others: as for send().
  Result<Loan> reserve(ConsumerId consumer);
  // Sends the first `length` bytes of the room, which are the consumer's from here on. After an
  // error the loan is lent as before.
  // invalid_value: above the room; not a loan. Others: as for send().
  Status commit(const Loan& loan, std::size_t length, std::span<const std::byte> immediate = {});
  // The same of many at a time, with one look at what is posted, and one publish. reserve() answers
  // how many of `loans` it has set, the first ones: as many as there are, and at least one.
  // commit() answers how many are sent, the first ones. Its loans are all of one consumer: it ends
  // ahead of one that is of another. Errors: of the first; none was lent, or sent.
  Result<std::size_t> reserve(ConsumerId consumer, std::span<Loan> loans);
  Result<std::size_t> commit(std::span<const FilledLoan> loans);
  // The posted buffer is free for the next send. invalid_value: not a loan.
  Status abandon(const Loan& loan);

  // Where loans lie. Who has loans written to by others than this thread (a device, the kernel)
  // holds the answer until they are done: the loss of the consumer would unmap it under them.
  // not_supported: it is not mapped here. invalid_value: no such consumer.
  Result<PeerMemory> memory(ConsumerId consumer);

  // Passes the buffer's data by its place alone; no copy at any size. It uses up one posted
  // buffer, which comes back to the consumer empty. The consumer may hold the data as long as it
  // likes: until on_returned() they must not change, and a producer that is stopped is stopping.
  // not_supported: its memory map cannot be shown to the other side, which needs a started map in
  // a sealed memfd with kPciReadOnly or kPciReadWrite. full: kMaxHandedOver, or the
  // consumer knows 256 memory maps that are not stopped. bad_state: there is no on_returned().
  // invalid_value, too: the buffer is not lent, or has no data. Others: as for send(). After an
  // error the buffer is the caller's as before.
  Status hand_over(ConsumerId consumer, Buffer& buffer, std::span<const std::byte> immediate = {});
  std::size_t handed_over() const;  // Not yet returned.

 protected:
  Producer() = default;
};

}  // namespace comch
#pragma GCC visibility pop
