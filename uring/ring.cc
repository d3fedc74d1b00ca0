// Ring: see ring.h. What is here is what a machine does not know: threads, the engine, waiting.
#include "comch/uring/ring.h"

#include <algorithm>
#include <bit>
#include <new>
#include <tuple>
#include <utility>

#include "fork_mark.h"
#include "kernel_io.h"
#include "kernel_wait.h"
#include "machine.h"
#include "spin.h"

namespace comch::uring {

using Nanoseconds = std::chrono::nanoseconds;
using Clock = std::chrono::steady_clock;
using Bytes = std::span<const std::byte>;

namespace {

// What tells threads apart that live at the same time, without a call.
const void* this_thread() { return __builtin_thread_pointer(); }

}  // namespace

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): declared in the order of their lives.
class Ring::Core {
 public:
  // Producers keep the handler after the ring is gone.
  struct Returns {
    Core* core;
  };

  Core(Ring& ring, ProgressEngine& engine, std::unique_ptr<KernelWait> wait, ForkMark mark,
       const Options& options)
      : io({.transfers = 2 * options.transfers,
            .without_ring = options.without_kernel_ring,
            .without_registration = options.without_registration}),
        machine(ring.queues_, ring.multishots_, io, options.transfers),
        kernel(std::move(wait)),
        spin(options.spin),
        returns(std::make_shared<Returns>(this)),
        queues_(ring.queues_),
        engine_(engine),
        mark_(std::move(mark)) {}
  ~Core() {
    returns->core = nullptr;
    if (!mark_.is_forked()) return;
    kernel->forget();
    machine.forget();
  }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  bool is_callers() const { return this_thread() == thread_ && !mark_.is_forked(); }
  std::unexpected<Error> refusal() const {
    if (this_thread() != thread_) {
      return fail(Errc::not_permitted, "a ring is used by the thread that made it");
    }
    return fail(Errc::not_permitted, "the ring is the process's that forked this one");
  }

  bool look() {
    machine.look();
    // Messages need no engine; what else happens does. It is not urgent to a few microseconds.
    const bool due = machine.control().is_waiting() || ++looks_ % kLooksPerProgress == 0;
    if (due && progress()) machine.look();
    return queues_.ready() != 0;
  }

  Result<std::uint32_t> wait(std::uint32_t count, Nanoseconds timeout) {
    if (in_callback) return fail(Errc::bad_state, "a callback of the engine must not wait");
    const Clock::time_point began = Clock::now();
    const Nanoseconds budget = spin.budget();
    for (;;) {
      look();
      const bool others = kernel->has_completions();
      if (others || queues_.ready() >= count) return waited(began, count);
      const Nanoseconds passed = Clock::now() - began;
      if (passed >= timeout) return timed_out();
      if (passed < budget) continue;
      if (progress()) continue;
      if (Status s = sleep(timeout == Nanoseconds::max() ? timeout : timeout - passed); !s) {
        return std::unexpected(s.error());
      }
    }
  }

  KernelIo io;
  Machine<CoreKinds> machine;
  std::unique_ptr<KernelWait> kernel;
  Spin spin;
  std::shared_ptr<Returns> returns;
  bool in_callback = false;  // Of the engine's.

 private:
  static constexpr std::uint32_t kLooksPerProgress = 256;

  // The engine's callbacks may submit, and finish control operations.
  bool progress() {
    in_callback = true;
    const bool did = engine_.progress();
    in_callback = false;
    // Consumers end in there, and nowhere else.
    machine.receiving().look_for_ends();
    machine.begin_due();
    return did;
  }

  std::uint32_t waited(Clock::time_point began, std::uint32_t count) {
    if (count != 0) spin.learn(Clock::now() - began);
    return queues_.ready();
  }
  Result<std::uint32_t> timed_out() const {
    if (queues_.ready() != 0) return queues_.ready();
    return fail(Errc::time_out, "nothing has completed in time");
  }

  // The order that loses nothing: ask the engine to tell, look once more, sleep.
  Status sleep(Nanoseconds most) {
    machine.arm();
    if (Status s = engine_.request_notification(); !s) return s;
    Status slept;
    if (!machine.look()) {
      // Of a ring that is lost nothing can be waited for, only looked at.
      if (io.is_lost()) most = std::min<Nanoseconds>(most, std::chrono::milliseconds(1));
      slept = kernel->sleep(until_due(most),
                            {.ring_fd = io.ring_fd(), .descriptors = io.descriptors()});
    }
    if (Status s = engine_.clear_notification(); !s) return s;
    return slept;
  }
  std::optional<Nanoseconds> until_due(Nanoseconds most) const {
    const std::optional<std::uint64_t> due = machine.next_due_ns();
    if (due) {
      const std::uint64_t now = CoreKinds::now_ns();
      const std::uint64_t left = *due > now ? *due - now : 0;
      if (left < static_cast<std::uint64_t>(most.count())) {
        return Nanoseconds(static_cast<Nanoseconds::rep>(left));
      }
    }
    if (most == Nanoseconds::max()) return std::nullopt;
    return most;
  }

  Queues& queues_;
  ProgressEngine& engine_;
  const ForkMark mark_;
  const void* const thread_ = this_thread();
  std::uint32_t looks_ = 0;
};

// --- Making one ------------------------------------------------------------------------------

namespace {

// Memory that is not there is an error as any other.
template <class Make>
auto unless_no_memory(Make&& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return fail(Errc::no_memory, "there is no memory for the ring");
  }
}

}  // namespace

Result<std::unique_ptr<Ring>> Ring::create(ProgressEngine& engine, const Options& options) {
  if (options.entries == 0 || options.entries > kMaxEntries) {
    return fail(Errc::invalid_value, "entries are 1 to 32,768");
  }
  if (options.transfers > kMaxTransfers) {
    return fail(Errc::invalid_value, "transfers are at most 4,096");
  }
  const std::uint32_t entries = std::bit_ceil(options.entries);
  if (options.completions > kMaxCompletions ||
      (options.completions != 0 && options.completions < options.entries)) {
    return fail(Errc::invalid_value, "completions are as many as entries, or more");
  }
  const std::uint32_t slots =
      options.completions == 0 ? 2 * entries : std::bit_ceil(options.completions);
  return unless_no_memory([&]() -> Result<std::unique_ptr<Ring>> {
    Result<ForkMark> mark = ForkMark::create();
    if (!mark) return std::unexpected(mark.error());
    auto kernel = KernelWait::create(
        engine.event_fd(), {.join = options.join,
                            .entries = options.kernel_entries,
                            .without_ring = options.without_kernel_ring,
                            .without_timeout_argument = options.without_timeout_argument});
    if (!kernel) return std::unexpected(kernel.error());
    std::unique_ptr<Ring> ring(new Ring(entries, slots));
    ring->core_ =
        std::make_unique<Core>(*ring, engine, std::move(*kernel), std::move(*mark), options);
    return ring;
  });
}

Ring::Ring(std::uint32_t entries, std::uint32_t slots) : queues_(entries, slots) {}
Ring::~Ring() = default;

Features Ring::features() const {
  return {.kernel_ring = core_->kernel->ring() != nullptr,
          .joined = core_->kernel->is_joined(),
          .timeout_argument = core_->kernel->has_timeout_argument(),
          .learns = core_->spin.learns(),
          .transfer_ring = core_->io.has_ring(),
          .registered_files = core_->io.registers_files(),
          .registered_memory = core_->io.registers_memory()};
}

// --- Ends ------------------------------------------------------------------------------------

Status Ring::prepare(Producer& producer) {
  const auto free_task = [](ProducerTask& task) { std::ignore = task.free(); };
  if (Status s = producer.configure_send(1, free_task, free_task); !s) return s;
  return producer.on_returned([returns = core_->returns](Producer& from, Buffer& buffer) {
    if (returns->core != nullptr) returns->core->machine.sending().on_returned(from, buffer);
  });
}

Status Ring::prepare(Consumer& consumer, std::uint32_t tasks) {
  const auto free_task = [](ReceiveTask& task) { std::ignore = task.free(); };
  return consumer.configure_receive(tasks, free_task, free_task);
}

// What a server and a client have in common.
template <class Endpoint>
Status Ring::prepare_endpoint(Endpoint& endpoint) {
  const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  if (Status s = endpoint.configure_send(1, free_task, free_task); !s) return s;
  const auto deliver = [returns = core_->returns](Connection& from, Bytes message) {
    if (returns->core == nullptr) return Receipt::kKeep;
    return returns->core->machine.control().on_message(from, message);
  };
  if (Status s = endpoint.on_message(deliver); !s) return s;
  const auto appeared = [returns = core_->returns, &endpoint](Connection& c, ConsumerId consumer) {
    if (returns->core == nullptr) return;
    returns->core->machine.accepting().on_consumer(&endpoint, c, consumer);
  };
  return endpoint.on_consumer(appeared, [](Connection&, ConsumerId) {});
}

Status Ring::prepare(Server& server) {
  const auto came = [returns = core_->returns, &server](Connection& client, bool successful) {
    if (returns->core == nullptr || !successful) return;
    returns->core->machine.accepting().on_connection(&server, client);
  };
  const auto left = [returns = core_->returns, &server](Connection& client, bool) {
    if (returns->core == nullptr) return;
    returns->core->machine.accepting().on_disconnection(&server, client);
  };
  if (Status s = server.on_connection(came, left); !s) return s;
  return prepare_endpoint(server);
}

Status Ring::prepare(Client& client) { return prepare_endpoint(client); }

Result<Destination*> Ring::register_destination(Producer& producer, ConsumerId consumer) {
  return unless_no_memory(
      [&]() -> Result<Destination*> { return core_->machine.sending().add(producer, consumer); });
}

Result<Source*> Ring::register_source(Consumer& consumer) {
  return unless_no_memory(
      [&]() -> Result<Source*> { return core_->machine.receiving().add(consumer); });
}

Result<Control*> Ring::register_control(Connection& connection) {
  return unless_no_memory(
      [&]() -> Result<Control*> { return core_->machine.control().add(connection); });
}

Result<Listener*> Ring::register_listener(const Server& server) {
  return unless_no_memory(
      [&]() -> Result<Listener*> { return core_->machine.accepting().add(&server); });
}

Result<Listener*> Ring::register_listener(const Client& client) {
  return unless_no_memory(
      [&]() -> Result<Listener*> { return core_->machine.accepting().add(&client); });
}

Status Ring::unregister(Destination& destination) {
  auto& end = static_cast<DestinationOf<CoreKinds>&>(destination);
  const PeerMemory memory = end.memory;
  const bool registered = end.registered;
  const Status s = core_->machine.sending().remove(end);
  if (s && registered) core_->io.unregister_memory(memory.bytes);
  core_->machine.begin_due();
  return s;
}

Status Ring::unregister(Source& source) {
  return core_->machine.receiving().remove(static_cast<SourceOf<CoreKinds>&>(source));
}

Status Ring::unregister(Control& control) {
  auto& end = static_cast<ControlOf<CoreKinds>&>(control);
  if (end.listener != nullptr) return fail(Errc::not_permitted, "its listener has the connection");
  core_->machine.control().remove(end);
  core_->machine.begin_due();
  return {};
}

Status Ring::unregister(Listener& listener) {
  return core_->machine.accepting().remove(static_cast<ListenerOf<CoreKinds>&>(listener));
}

Status Ring::register_memory(Destination& destination) {
  auto& end = static_cast<DestinationOf<CoreKinds>&>(destination);
  if (end.registered) return fail(Errc::already_exist, "the memory is registered");
  Result<PeerMemory> memory = end.producer.memory(end.consumer);
  if (!memory) return std::unexpected(memory.error());
  if (Status s = core_->io.register_memory(memory->bytes); !s) return s;
  end.memory = *std::move(memory);
  end.registered = true;
  return {};
}
Status Ring::register_memory(MemoryMap& map) {
  const Result<std::span<std::byte>> range = map.range();
  if (!range) return std::unexpected(range.error());
  return core_->io.register_memory(*range);
}
Status Ring::unregister_memory(MemoryMap& map) {
  const Result<std::span<std::byte>> range = map.range();
  if (!range) return std::unexpected(range.error());
  core_->io.unregister_memory(*range);
  return {};
}
Result<int> Ring::register_file(int fd) { return core_->io.register_file(fd); }
Status Ring::unregister_file(int number) { return core_->io.unregister_file(number); }

Receipt Ring::on_message(Connection& connection, std::span<const std::byte> message) {
  return core_->machine.control().on_message(connection, message);
}

// --- Submitting and reaping ------------------------------------------------------------------

Result<std::uint32_t> Ring::submit() {
  if (!core_->is_callers()) [[unlikely]]
    return core_->refusal();
  const std::uint32_t count = core_->machine.submit();
  if (Status s = core_->kernel->submit(); !s) return std::unexpected(s.error());
  return count;
}

Result<std::uint32_t> Ring::submit_and_wait(std::uint32_t count, Nanoseconds timeout) {
  if (!core_->is_callers()) [[unlikely]]
    return core_->refusal();
  core_->machine.submit();
  if (Status s = core_->kernel->submit(); !s) return std::unexpected(s.error());
  return core_->wait(count, timeout);
}

bool Ring::look() { return core_->look(); }

void Ring::advance_and_refill(std::uint32_t count) { core_->machine.advance(count); }

io_uring* Ring::kernel() { return core_->kernel->ring(); }

bool Ring::claim(io_uring_cqe& completion) { return core_->kernel->claim(completion); }

}  // namespace comch::uring
