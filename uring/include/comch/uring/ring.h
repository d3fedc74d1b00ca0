// Ring: comch's fast path and control path, used as io_uring is used: operations are prepared,
// submitted together, and reaped together; messages, files, sockets and timers end one wait.
//
//   auto ring = Ring::create(*engine).value();
//   ring->prepare(*producer); engine->connect(*producer); producer->start();
//   Destination* to = ring->register_destination(*producer, consumer_id).value();
//   for (auto& message : messages) ring->get()->prep_send(*to, message);
//   ring->submit();                                  // One publication, no system call.
//   ring->submit_and_wait(1, 100ms);                 // Sleeps in io_uring_enter() if it must.
//   std::uint32_t seen = ring->for_each([](const Completion& c) { use(c); });
//   ring->advance(seen);
//
// Who knows liburing knows this:
//   io_uring_queue_init      Ring::create()             io_uring_submit_and_wait_timeout
//   io_uring_get_sqe         get()                                       submit_and_wait()
//   io_uring_prep_...        Submission::prep_...()     io_uring_peek_cqe         peek()
//   io_uring_sqe_set_data64  Submission::user_data      io_uring_peek_batch_cqe   peek_batch()
//   io_uring_sqe_set_flags   Submission::flags          io_uring_for_each_cqe     for_each()
//   io_uring_submit          submit()                   io_uring_cq_advance       advance()
//   io_uring_register_files  register_...()             io_uring_sq_space_left    space()
//
// The completion queue cannot overflow: every operation holds a place in it from get() until
// advance(), a multishot one as many as it has buffers; get() answers null when none is left.
//
// Threads: one, the one that made the ring: submit() and submit_and_wait() from another, or in a
// process that was forked since, answer not_permitted. The other calls do not look who calls. A
// process that was forked must not make them, for it may have none of the shared memory, and dies;
// it may destroy the ring.
//
// A wait sleeps over messages that its ring does not take: what has come when all views of a
// prep_view_multishot() are shown, which waits for an advance(); messages of another ring of the
// engine, or of a consumer that is polled without one. It says so to the engine, and leaves it with
// ProgressEngine::heed_all().
//
// Order: see Submission. Lifetime: the engine and an io_uring that is joined outlive the ring, and
// so does every end that is registered, unless it is unregistered first. What is in flight when a
// ring is destroyed stays with its end: posted buffers come back by Consumer::take_back(). Reads
// and writes of files and sockets are ended, and what they read into is the next send's.
//
// Not here: the calls of a Consumer or Producer that do the same without a ring (post(), poll(),
// send()) must not be used on one that is registered.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "comch/client.h"
#include "comch/connection.h"
#include "comch/consumer.h"
#include "comch/producer.h"
#include "comch/progress_engine.h"
#include "comch/result.h"
#include "comch/server.h"
#include "comch/uring/file_use.h"
#include "comch/uring/queues.h"

struct io_uring;
struct io_uring_cqe;

#pragma GCC visibility push(default)
namespace comch::uring {

// What is in use; all of it works without each of these.
struct Features {
  bool kernel_ring = false;  // Waits are in io_uring_enter(); else in poll(), and kernel() is null.
  bool joined = false;       // The kernel ring is the application's.
  // The time to wait is an argument of io_uring_enter() (from Linux 5.11 on); else a wait ends by
  // a timer descriptor that the kernel ring polls.
  bool timeout_argument = false;
  bool learns = false;         // How long to spin ahead of a sleep is learned from recent waits.
  bool transfer_ring = false;  // Files and sockets go through an io_uring; else poll() and read().
  bool registered_files = false;   // register_file() tells the kernel, too; else this side alone.
  bool registered_memory = false;  // register_memory() is to be had.
  // A wait is for words that peers change, too, by FUTEX_WAIT (from Linux 6.7 on): few connections
  // and consumers, those that were busy last. Others, and all else that ends a wait, come through
  // ProgressEngine::event_fd().
  bool futex = false;
};

class Ring {
 public:
  struct Options {
    std::uint32_t entries = 256;    // Operations between two submit()s, rounded up to a power of 2.
    std::uint32_t completions = 0;  // Operations in flight or not advanced over. 0: 2 * entries.
    // An application's ring to wait in, which outlives this Ring, and in which nothing that drains
    // is under way already: see kernel(). Its completions are left alone and end the wait; one of
    // this Ring's may be among them: see claim(). One that completes only
    // while its thread is in the kernel (IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN) is
    // entered when it says so, with IORING_SETUP_TASKRUN_FLAG; without, every 64th time that waits
    // look, and when one has no time left. With DEFER_TASKRUN, while transfers are moved without
    // an io_uring, a wait looks at it every millisecond. Before Linux 6.0 the end of this Ring
    // submits what is prepared in it.
    io_uring* join = nullptr;
    std::uint32_t kernel_entries = 64;  // Of a kernel ring that is not joined: 1 to 32,768.
    // Operations on files and sockets under way at a time, in each direction; more wait. 0: there
    // are to be none.
    std::uint32_t transfers = 64;
    // How long to look for completions before sleeping. Empty: learned; 0: not at all.
    std::optional<std::chrono::nanoseconds> spin = std::nullopt;
    // What the kernel has and is to be done without.
    bool without_kernel_ring = false;
    bool without_timeout_argument = false;
    bool without_futex = false;
    bool without_registration = false;
  };
  static constexpr std::uint32_t kMaxTransfers = 4096;
  static constexpr std::uint32_t kMaxEntries = 32'768;
  static constexpr std::uint32_t kMaxCompletions = 1U << 20U;

  // invalid_value: entries or kernel_entries is 0, or something above its maximum, or completions
  // below entries.
  // not_supported: a ring to be joined that nothing else can wait in (IORING_SETUP_IOPOLL), or with
  // completions of several sizes (IORING_SETUP_CQE_MIXED). no_memory: there is none. A kernel that
  // lets this process have no io_uring is no error: features() says so.
  static Result<std::unique_ptr<Ring>> create(ProgressEngine& engine, const Options& options);
  static Result<std::unique_ptr<Ring>> create(ProgressEngine& engine) {
    return create(engine, Options());
  }
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  Features features() const;

  // --- Ends --------------------------------------------------------------------------------
  // Like files of io_uring, what operations name is registered first. These calls allocate; no
  // other does. no_memory: there is none.

  // What a producer or consumer that is used through a ring needs before it is started; other
  // configuration is the application's. bad_state: it is not idle.
  // invalid_value: as Consumer::configure_receive().
  Status prepare(Producer& producer);
  Status prepare(Consumer& consumer, std::uint32_t tasks);
  // Takes every callback of it: its messages go to prep_ctrl_recv(), who comes and goes to
  // prep_accept_multishot(). Of a client only consumers come: register_control() its connection.
  Status prepare(Server& server);
  Status prepare(Client& client);

  Result<Destination*> register_destination(Producer& producer, ConsumerId consumer);
  // already_exist: a consumer is registered once. Says set_polling(): of the only one kAlone, and
  // of several kAmongOthers; so does unregister() of those that are left.
  Result<Source*> register_source(Consumer& consumer);
  Result<Control*> register_control(Connection& connection);
  // Of one that was prepared, before it is started: who came earlier is not told of.
  // already_exist: it is registered.
  Result<Listener*> register_listener(const Server& server);
  Result<Listener*> register_listener(const Client& client);
  // The pointer is dead: what is prepared and names it is to be submitted ahead of this. What a
  // link or a drain still holds back does not begin, and completes with -ECANCELED in its turn; so
  // it is of every end. What waits completes with -ECANCELED.
  // in_use: a hand-over, a long message or a file is under way.
  Status unregister(Destination& destination);
  // in_use: buffers are posted. Stop the consumer, and wait for their completions.
  Status unregister(Source& source);
  // What waits completes with -ENOTCONN after an orderly end, else -ECONNRESET (-ECANCELED: the
  // connection lasts); arrivals name it no more. To be called at the latest by the callback that
  // says it has ended. not_permitted: it came from a listener, which ends it.
  Status unregister(Control& control);
  // in_use: it accepts, or has connections.
  Status unregister(Listener& listener);

  // What registered files that were opened with O_DIRECT are read into and written from, for the
  // kernel to know beforehand: it pins all pages, and saves a look at each whenever a disk is told
  // of them. Transfers of up to 64 KiB use it for any file. Everything works without; what else is
  // copied to or from the page cache, sockets and pipes does, because it is faster so.
  // Of a destination: the consumer's memory, as it is mapped here, until it is unregistered, which
  // is to be done when the consumer is gone. Of a map: before its stop() it is unregistered.
  // not_supported: the kernel has none of it (see Features), or the memory is not mapped here.
  // no_memory: RLIMIT_MEMLOCK does not allow it. full: it makes more than 64 parts of at most
  // 1 GiB. already_exist: it is, or some of it. operating_system: the kernel refuses this memory.
  Status register_memory(Destination& destination);
  Status register_memory(MemoryMap& map);
  Status unregister_memory(MemoryMap& map);
  // A file that operations with kFixedFile name by the number that is answered. It stays open
  // until it is unregistered, whatever becomes of `fd`.
  // full: 256 are. operating_system: it is no descriptor. invalid_value: no such number; of kShown
  // what cannot be. in_use: an operation that was submitted and names it is not over, begun or not.
  Result<int> register_file(int fd, FileUse use = FileUse::kOwn);
  Status unregister_file(int number);

  // The message callback of a server or client whose connections are registered:
  //   server->on_message([&](Connection& c, auto m) { return ring->on_message(c, m); });
  // A message goes to the oldest prep_ctrl_recv(); when there is none, it and what follows stay in
  // the connection's bounded queue until there is. Of a connection that is not registered, kKeep.
  Receipt on_message(Connection& connection, std::span<const std::byte> message);

  // --- Submitting --------------------------------------------------------------------------

  // The next submission, to be prepared; null: `entries` are prepared (submit() first), or all
  // places of the completion queue are held (advance() first).
  Submission* get() { return queues_.get(); }
  // How many get() would answer.
  std::uint32_t space() const { return queues_.space(); }

  // Begins what was prepared, and answers how much that was; also what is prepared in kernel().
  // Neighbouring sends to one destination are published together, as are posts. No system call,
  // unless a peer sleeps, kernel() has submissions, or files and sockets are among it or under way:
  // what those ask of the kernel goes there together.
  // not_permitted: the wrong thread or process; nothing is begun. operating_system: the kernel
  // refused kernel()'s submissions; those of the Ring are begun.
  Result<std::uint32_t> submit();

  // submit(), and until `count` completions are ready; sleeps when there is nothing to do. Also
  // completions of the application's in kernel() end it. Answers how many are ready(), which may
  // be fewer then. A `count` of 0 looks once and does not wait.
  // time_out: the time has passed and nothing is ready. operating_system: the kernel refused to
  // wait (EINTR: a signal); what has completed is ready nevertheless. bad_state: called from a
  // callback of the engine. Others: submit().
  Result<std::uint32_t> submit_and_wait(
      std::uint32_t count, std::chrono::nanoseconds timeout = std::chrono::nanoseconds::max());

  // --- Reaping -----------------------------------------------------------------------------

  // The oldest completion, or null. When none is ready this looks at what has arrived, once, and
  // progresses the engine now and then: a loop of peek() needs no other call.
  const Completion* peek() {
    if (queues_.ready() == 0 && !look()) return nullptr;
    return &queues_.at(0);
  }
  // The oldest ones; answers how many. Looks as peek() does.
  std::uint32_t peek_batch(std::span<const Completion*> out) {
    if (queues_.ready() == 0 && !look()) return 0;
    const auto count =
        out.size() < ready() ? static_cast<std::uint32_t>(out.size()) : queues_.ready();
    for (std::uint32_t n = 0; n < count; ++n) out[n] = &queues_.at(n);
    return count;
  }
  // Calls `visit` with each completion that is ready() now, oldest first, and answers how many:
  // advance() over as many. It does not look; `visit` may get() and submit().
  template <class Visit>
  std::uint32_t for_each(Visit&& visit) {
    const std::uint32_t count = queues_.ready();
    for (std::uint32_t n = 0; n < count; ++n) visit(queues_.at(n));
    return count;
  }
  std::uint32_t ready() const { return queues_.ready(); }
  // The oldest `count` are done with: their places are free, and the buffers of multishot
  // receives posted again. At most ready().
  void advance(std::uint32_t count) {
    if (multishots_ == 0) [[likely]] {
      queues_.advance(count);
    } else if (count != 0) {
      advance_and_refill(count);
    }
  }

  // --- The kernel's ring -------------------------------------------------------------------

  // Where the application's own operations go, joined or not; null: there is none. They complete
  // there, as ever, and end waits of this ring. Those that drain (IOSQE_IO_DRAIN) do not wait for
  // what this Ring has under way there to be woken by: a submit() that finds one, or a wait, ends
  // that first. Because nothing begins behind one that is not over, waits are poll() from then on,
  // and for no words (Features::futex). So they are when more was prepared between two of these
  // calls than the submission queue holds, and it cannot be known. Before Linux 6.0 such an
  // operation waits until this Ring is woken; no wake is missed.
  io_uring* kernel();
  // Whether a completion found in kernel() is this Ring's own; it is not the application's then,
  // which goes on to the next. To be asked of every one that is reaped, because between waits one
  // may come at any time; a Ring that misses one never wakes again.
  bool claim(io_uring_cqe& completion);

 private:
  class Core;
  Ring(std::uint32_t entries, std::uint32_t slots);
  template <class Endpoint>
  Status prepare_endpoint(Endpoint& endpoint);
  bool look();
  void advance_and_refill(std::uint32_t count);

  Queues queues_;
  std::uint32_t multishots_ = 0;  // That hold places of completions.
  std::unique_ptr<Core> core_;
};

}  // namespace comch::uring
#pragma GCC visibility pop
