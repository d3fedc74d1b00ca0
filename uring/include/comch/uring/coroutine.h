// AwaitableRing: operations of a Ring that coroutines wait for.
//
//   using namespace comch::uring;
//   uring::Task echo(AwaitableRing& ring, Source& from, comch::Buffer& buffer, Destination& to) {
//     for (;;) {
//       const Completion received = co_await ring.receive(from, buffer);
//       if (received.res < 0) co_return;
//       co_await ring.send(to, received.contents());
//       buffer.reset_data_length();
//     }
//   }
//   ...
//   AwaitableRing awaitable(*ring);
//   echo(awaitable, *from, *buffer, *to);           // Runs until it waits for the first time.
//   while (awaitable.waiting() != 0) awaitable.turn(1s);
//
// A coroutine may be of any type; what leaves one that is resumed here, or a function of a
// multishot operation, by an exception, ends the program (std::terminate()).
//
// Many coroutines wait side by side; what they begin in one turn is submitted together. Nothing is
// allocated but the coroutines themselves. An operation that finds no place in the ring waits for
// one, in line: for the next turn when as many as the ring's entries are prepared, and when all
// places of the completion queue are held, until one is free.
//
// A multishot operation has no coroutine of its own: each of its completions is told to a function,
// which may begin one. (One that looked at a completion while it awaits others would hold back the
// places of all that come behind it, its own among them, and so might wait for itself.)
//
//   Multishot messages(awaitable, [&](Submission& s) { s.prep_post_recv_multishot(*from, pool); },
//                      [&](const Completion& c) { if (c.res >= 0) answer(copy(c.contents())); });
//
// Threads: the ring's. Order: as the ring's operations; who waits is resumed in the order of the
// completions. Lifetime: the ring outlives this, and this whatever waits through it: bring
// operations to their end, as without coroutines, before it goes. Immediate data of a completion
// is valid until the next co_await; everything else as long as it would be without coroutines.
#pragma once

#include <bit>
#include <cassert>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>

#include "comch/uring/ring.h"

namespace comch::uring {

// A coroutine that nobody waits for: it begins at once, and is gone when it returns. An exception
// that leaves it ends the program, as one that leaves a thread does.
struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    [[noreturn]] void unhandled_exception() { std::terminate(); }
  };
};

class AwaitableRing {
  // Who is told how an operation ended, that was begun here.
  class Waiter {
   public:
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

   protected:
    explicit Waiter(AwaitableRing& ring) : ring_(ring) {}
    virtual ~Waiter() = default;
    virtual void prepare(Submission& submission) = 0;
    virtual void complete(const Completion& completion) = 0;

    AwaitableRing& ring_;

   private:
    friend class AwaitableRing;
    Waiter* next_ = nullptr;  // In line for a place.
  };
  // It lies in the frame of its coroutine.
  template <class Prepare>
  class Operation final : public Waiter {
   public:
    Operation(AwaitableRing& ring, Prepare prepare) : Waiter(ring), prepare_(std::move(prepare)) {}

    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) {
      coroutine_ = coroutine;
      this->ring_.begin(*this);
    }
    Completion await_resume() const { return completion_; }

   private:
    void prepare(Submission& submission) override { prepare_(submission); }
    void complete(const Completion& completion) override {
      completion_ = completion;
      coroutine_.resume();
    }

    Prepare prepare_;
    std::coroutine_handle<> coroutine_;
    Completion completion_;
  };
  auto cancel_of(Waiter& waiter) {
    return operation([target = std::bit_cast<std::uint64_t>(&waiter)](Submission& submission) {
      submission.prep_cancel(target);
    });
  }
  template <class Prepare, class Visit>
  friend class Multishot;

 public:
  explicit AwaitableRing(Ring& ring) : ring_(ring) {}
  AwaitableRing(const AwaitableRing&) = delete;
  AwaitableRing& operator=(const AwaitableRing&) = delete;

  // Each is to be awaited where it is made, and answers the operation's Completion. What is named
  // belongs to the operation until then; see Submission for what each of them does.
  auto send(Destination& to, std::span<const std::byte> data,
            std::span<const std::byte> immediate = {}) {
    return operation([=, &to](Submission& s) { s.prep_send_imm(to, data, immediate); });
  }
  auto receive(Source& from, Buffer& buffer) {
    return operation([&](Submission& s) { s.prep_post_recv(from, &buffer); });
  }
  auto hand_over(Destination& to, Buffer& buffer) {
    return operation([&](Submission& s) { s.prep_hand_over(to, buffer); });
  }
  auto reserve(Destination& to) {
    return operation([&](Submission& s) { s.prep_reserve(to); });
  }
  auto commit(Destination& to, const Loan& loan, std::size_t length) {
    return operation([=, &to](Submission& s) { s.prep_commit(to, loan, length); });
  }
  auto ctrl_send(Control& to, std::span<const std::byte> message) {
    return operation([=, &to](Submission& s) { s.prep_ctrl_send(to, message); });
  }
  auto ctrl_receive(Control& from, std::span<std::byte> into) {
    return operation([=, &from](Submission& s) { s.prep_ctrl_recv(from, into); });
  }
  auto sleep(std::chrono::nanoseconds time) {
    return operation([=](Submission& s) { s.prep_timeout(time); });
  }
  // Ends one that another coroutine awaits, where that has made it by name:
  //   auto night = ring.sleep(8h);        // In the one; what is named stays until it is resumed.
  //   const Completion woken = co_await night;
  //   co_await ring.cancel(night);        // In the other, as Submission::prep_cancel() answers.
  template <class Prepare>
  auto cancel(Operation<Prepare>& awaited) {
    return cancel_of(awaited);
  }
  // Any other that has one completion: `prepare` is called with a Submission, at the latest in a
  // later turn. Its user_data and flags are not to be touched.
  template <class Prepare>
  Operation<Prepare> operation(Prepare prepare) {
    return Operation<Prepare>(*this, std::move(prepare));
  }

  // Submits, also what waits in line as far as there are places, waits until something completes,
  // and resumes who waited for that. Answers how many were resumed; 0 when the time has passed.
  // Errors: as Ring::submit_and_wait() but time_out. bad_state: it was called from what it resumes.
  // A ring that is used without coroutines as well reaps by itself, and calls resume() for what
  // this one has begun.
  Result<std::uint32_t> turn(std::chrono::nanoseconds timeout) {
    if (is_turning_) return fail(Errc::bad_state, "turn() waits for who calls it");
    if (Status s = begin_waiting(); !s) return std::unexpected(s.error());
    const auto ready = ring_.submit_and_wait(1, timeout);
    if (!ready && ready.error().code != Errc::time_out) return ready;
    is_turning_ = true;
    const std::uint32_t count = ring_.for_each([this](const Completion& c) { resume(c); });
    ring_.advance(count);
    is_turning_ = false;
    return count;
  }
  void resume(const Completion& completion) noexcept {
    if ((completion.flags & kMore) == 0) --waiting_;
    std::bit_cast<Waiter*>(completion.user_data)->complete(completion);
  }
  // How many operations are not complete.
  std::size_t waiting() const { return waiting_; }

 private:
  void begin(Waiter& waiter) {
    ++waiting_;
    if (first_ == nullptr && try_begin(waiter)) return;
    (first_ == nullptr ? first_ : last_->next_) = &waiter;
    last_ = &waiter;
  }
  bool try_begin(Waiter& waiter) {
    Submission* const submission = ring_.get();
    if (submission == nullptr) return false;
    waiter.prepare(*submission);
    submission->user_data = std::bit_cast<std::uint64_t>(&waiter);
    return true;
  }
  // Submits in between, as long as that makes places: what is under way may wait for who is still
  // in line.
  Status begin_waiting() {
    while (first_ != nullptr) {
      if (!try_begin(*first_)) {
        if (auto submitted = ring_.submit(); !submitted) return std::unexpected(submitted.error());
        if (!try_begin(*first_)) return {};
      }
      first_ = first_->next_;
    }
    return {};
  }

  Ring& ring_;
  Waiter* first_ = nullptr;  // In line for a place in the ring.
  Waiter* last_ = nullptr;   // Means something while there is a first one.
  std::size_t waiting_ = 0;
  bool is_turning_ = false;
};

// A multishot operation, from when it is made on. `visit` is called with each completion, in
// turn(); what it shows is valid until `visit` returns. `prepare` is called with a Submission, at
// the latest in a later turn; its user_data and flags are not to be touched.
//
// Lifetime: it stays until the completion without kMore, which says why it ended: is_over().
template <class Prepare, class Visit>
class Multishot final : AwaitableRing::Waiter {
 public:
  Multishot(AwaitableRing& ring, Prepare prepare, Visit visit)
      : Waiter(ring), prepare_(std::move(prepare)), visit_(std::move(visit)) {
    ring.begin(*this);
  }
  ~Multishot() override { assert(is_over_); }

  bool is_over() const { return is_over_; }
  // To be awaited: the completion of the cancel. The operation's own comes by itself.
  auto cancel() { return this->ring_.cancel_of(*this); }

 private:
  void prepare(Submission& submission) override { prepare_(submission); }
  void complete(const Completion& completion) override {
    is_over_ = (completion.flags & kMore) == 0;
    visit_(completion);
  }

  Prepare prepare_;
  Visit visit_;
  bool is_over_ = false;
};

}  // namespace comch::uring
