// Engine: see engine.h.
#include "engine/engine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "os/clock.h"

namespace comch::engine {
namespace {

// Also for whoever throws in a callback: else no call would ever work again.
class InProgress {
 public:
  explicit InProgress(bool& yes) : yes_(yes) { yes_ = true; }
  InProgress(const InProgress&) = delete;
  InProgress& operator=(const InProgress&) = delete;
  ~InProgress() { yes_ = false; }

 private:
  bool& yes_;
};

}  // namespace

using transport::Alarm;

Result<std::unique_ptr<Engine>> Engine::create() {
  Result<KernelWatch> kernel = KernelWatch::create();
  if (!kernel) return std::unexpected(kernel.error());
  Result<os::Event> wake = os::Event::create();
  if (!wake) return std::unexpected(wake.error());
  Result<os::Timer> timer = os::Timer::create();
  if (!timer) return std::unexpected(timer.error());
  auto engine = std::make_unique<Engine>(std::move(*kernel), std::move(*wake), std::move(*timer));
  const int wake_fd = engine->self_wake_.event.fd().get();
  const int timer_fd = engine->clock_.timer.fd().get();
  if (Status s = engine->kernel_.watch(wake_fd, engine->self_wake_, KernelWatch::Meaning::kWakeUp);
      !s) {
    return std::unexpected(s.error());
  }
  if (Status s = engine->kernel_.watch(timer_fd, engine->clock_, KernelWatch::Meaning::kWakeUp);
      !s) {
    return std::unexpected(s.error());
  }
  return engine;
}

Engine::Engine(KernelWatch kernel, os::Event wake, os::Timer timer)
    : kernel_(std::move(kernel)), self_wake_(std::move(wake)), clock_(std::move(timer)) {}

Engine::~Engine() {
  for (ContextCore* context : contexts_) context->cut_off();
}

Status Engine::connect(ContextCore& context) {
  if (is_away()) return refuse_away();
  if (context.engine() != nullptr) {
    return fail(Errc::not_permitted, "the context is connected to a progress engine already");
  }
  if (!context.idle()) return fail(Errc::bad_state, "the context is not idle");
  contexts_.push_back(&context);
  context.set_engine(this);
  return {};
}

void Engine::disconnect(ContextCore& context) {
  context.unlink();
  context.set_engine(nullptr);
  std::erase(contexts_, &context);
}

// Without a way to answer an error.
bool Engine::refuse_progress() const {
  if (is_away()) static_cast<void>(refuse_away());
  return false;
}

bool Engine::progress() {
  if (in_progress_ || is_away()) [[unlikely]]
    return refuse_progress();
  if (requested_) [[unlikely]]
    take_back_request();
  bool did = false;
  {
    const InProgress under_way(in_progress_);
    did = work();
  }
  if (!after_progress_.empty()) [[unlikely]]
    run_after_progress();
  return did;
}

bool Engine::work() {
  // Memory first: who was woken by a message answers it before he asks the kernel why he woke.
  bool did = false;
  if (woken_ || still_armed_) [[unlikely]] {
    did = work_after_sleep();
  } else {
    did = work_in_memory();
    if (--calls_left_ == 0) did = look_if_due() || did;
  }
  return did || look_again();
}

bool Engine::work_after_sleep() {
  const bool did = work_in_memory();
  // Why it woke can be asked when what it woke for is answered: in the next call. Peers that ring
  // meanwhile do so once, as the sources are not armed anew.
  if (std::exchange(woken_, false) && did) return true;
  if (still_armed_) disarm();
  return (--calls_left_ == 0 && look_if_due()) || did;
}

// By the sources alone.
bool Engine::look_again() {
  return patience().look_again(this, [this] { return poll_sources(); });
}

void Engine::take_back_request() { std::ignore = clear_notification(); }

Status Engine::after_progress(std::function<void()> work) {
  if (!in_progress_) return fail(Errc::bad_state, "no progress() is under way; do it now");
  after_progress_.push_back(std::move(work));
  return {};
}

void Engine::run_after_progress() {
  for (const std::function<void()>& work : std::exchange(after_progress_, {})) work();
}

bool Engine::work_in_memory() {
  const bool did = !busy_.empty() && work_on_contexts();
  if (did) patience().answered();
  await_answer();
  return poll_sources() || did;
}

// Whoever polls by himself has a Gap of his own. Within a cache so much is done between a message
// and the next look that it is late as it is; what is awaited is taken alone there, too.
void Engine::await_answer() {
  gap().polls([this] { return now_ns(); }, [this] { return sources_.any_ready(); });
  gap().await(patience().is_near(this) ? next_answer().slot() : nullptr, gap().is_far());
}

bool Engine::poll_sources() {
  const bool did = sources_.poll();
  if (did) {
    patience().received(this);
    gap().polled(true, [this] { return now_ns(); });
  }
  return did;
}

bool Engine::look_if_due() {
  const std::uint64_t now = os::monotonic_ns();
  const std::uint64_t since = now - last_look_ns_;
  // Loops look every n-th call, with n such that it comes to look_every_ns_; one that has become
  // slower than that looks every time from here on.
  const bool due = since >= look_every_ns_;
  if (!due) {
    calls_between_looks_ = std::min(calls_between_looks_ * 2, kMaxCallsBetweenLooks);
  } else if (since >= 2 * look_every_ns_) {
    calls_between_looks_ = 1;
  } else {
    calls_between_looks_ = std::max(calls_between_looks_ / 2, 1u);
  }
  calls_left_ = calls_between_looks_;
  left_off_ = false;
  if (!due || !look(now)) return false;
  if (!left_off_) work_in_memory();
  return true;
}

bool Engine::look(std::uint64_t now) {
  last_look_ns_ = now;
  bool did = kernel_.look();
  did = alarms_.ring(now) || did;
  look_every_ns_ = did ? kLookEvery_ns : std::min(look_every_ns_ * 2, kLookSeldom_ns);
  looks_since_request_ = std::min(looks_since_request_ + 1, kLooksUntilRelaxed);
  if (now - last_settle_ns_ >= kSettleEvery_ns) {
    last_settle_ns_ = now;
    sources_.settle(looks_since_request_ == kLooksUntilRelaxed);
  }
  return did;
}

bool Engine::work_on_contexts() {
  // What asks for work from here on has its turn in the next call.
  const ContextCore* const last = busy_.back();
  bool did = false;
  for (const ContextCore* done = nullptr; done != last;) {
    ContextCore* const context = busy_.pop_front();
    did = context->work() || did;
    done = context;
  }
  return did;
}

void Engine::enqueue(ContextCore& context) {
  busy_.push_back(context);
  if (requested_) self_wake_.event.signal();
}

void Engine::make_hot(Source& source) {
  sources_.make_hot(source);
  if (requested_) self_wake_.event.signal();
}

void Engine::set_alarm(Alarm& alarm, std::uint64_t due_ns) {
  alarms_.set(alarm, due_ns);
  if (requested_ && due_ns < clock_.set_to_ns) self_wake_.event.signal();
}

std::uint64_t Engine::now_ns() const { return os::monotonic_ns(); }

Status Engine::request_notification() {
  const Result<std::size_t> requested = request({});
  return requested ? Status{} : std::unexpected(requested.error());
}

Result<std::size_t> Engine::request(std::span<WakeWord> words) {
  if (is_away()) return refuse_away();
  if (still_armed_) disarm();
  requested_ = true;
  looks_since_request_ = 0;
  clock_.set(alarms_.next_ns());
  SourceList::Words asked{.room = words};
  if (sources_.arm_all(asked) || !busy_.empty()) self_wake_.event.signal();
  return asked.count;
}

Status Engine::clear_notification() {
  if (is_away()) return refuse_away();
  still_armed_ = still_armed_ || requested_;
  requested_ = false;
  // What woke the caller is most likely the kernel's: the next progress() asks it, or the one
  // behind it when there is news in memory.
  woken_ = true;
  last_look_ns_ = 0;
  look_every_ns_ = kLookEvery_ns;
  calls_left_ = 1;
  calls_between_looks_ = 1;
  return {};
}

void Engine::disarm() {
  still_armed_ = false;
  sources_.disarm_all();
}

void Engine::heed(ContextCore& context) {
  Source* const source = context.source();
  if (source != nullptr && context.engine() == this) sources_.heed(*source);
}

bool Engine::spin_until(std::uint64_t end_ns) {
  // The clock costs as much as several empty calls, so it is read every eighth.
  do {
    for (int calls = 0; calls < 8; ++calls) {
      if (progress()) return true;
    }
  } while (os::monotonic_ns() < end_ns);
  return false;
}

bool Engine::wait(std::chrono::nanoseconds timeout, std::chrono::nanoseconds spin) {
  if (in_progress_ || is_away()) return refuse_progress();
  const std::uint64_t start = os::monotonic_ns();
  const auto end = start + static_cast<std::uint64_t>(std::max<std::int64_t>(timeout.count(), 0));
  const auto spin_end = start + static_cast<std::uint64_t>(std::max<std::int64_t>(spin.count(), 0));
  if (spin_until(std::min(end, spin_end))) return true;
  for (;;) {
    const std::uint64_t now = os::monotonic_ns();
    if (now >= end) return false;
    std::ignore = request_notification();
    kernel_.sleep(std::chrono::nanoseconds(end - now));
    std::ignore = clear_notification();
    if (progress()) return true;
  }
}

std::size_t Engine::tasks_in_flight() const {
  std::size_t sum = 0;
  for (const ContextCore* context : contexts_) sum += context->in_flight();
  return sum;
}

}  // namespace comch::engine
