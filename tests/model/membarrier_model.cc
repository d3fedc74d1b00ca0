// membarrier_model: a bell whose ringer leaves out its fence, in every interleaving of a
// machine with store buffers.
//
// Relacy knows the language's memory model, in which membarrier does not exist; so this is a
// machine of our own. A thread's store waits in its processor's store buffer before the other
// side can see it, until a full fence empties the buffer, or membarrier from the other side,
// or the processor at any moment. And the compiler may hold a store of the ringer's back past
// the load behind it, out of membarrier's reach, where no fence of any kind forbids it. A load
// sees the thread's own last store, else memory. (x86 is such a machine; where stores may also
// overtake each other the proof in bell.h holds too: each side stores one word ahead of its
// fence.)
//
// The explorer runs the program again and again, each time making one other choice than
// before, until there is none; a run that comes to a state where another has been ends there: each
// choice is which thread does its next access, which buffer lets go its oldest store, or whether
// the compiler holds a store back. RING_HEADER may name a header with a planted mistake.
#include <ucontext.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#ifndef RING_HEADER
#define RING_HEADER "shm/bell.h"
#endif
#include RING_HEADER

namespace comch::model {
namespace {

// The choices of one run: those of the run before up to a point, there the next one.
class Choices {
 public:
  // A number below `count`.
  std::size_t choose(std::size_t count) {
    if (at_ == made_.size()) made_.push_back({0, count});
    return made_[at_++].chosen;
  }

  // Whether this run has left the path of the one before.
  bool is_new() const { return at_ == made_.size(); }

  // Whether some run has been in this state.
  bool seen(const std::vector<std::uint64_t>& state) { return !states_.insert(state).second; }

  // Begins the next run; false when every choice has been made.
  bool next() {
    at_ = 0;
    while (!made_.empty() && made_.back().chosen + 1 == made_.back().count) made_.pop_back();
    if (made_.empty()) return false;
    ++made_.back().chosen;
    return true;
  }

 private:
  struct Choice {
    std::size_t chosen;
    std::size_t count;
  };
  std::vector<Choice> made_;
  std::size_t at_ = 0;
  std::set<std::vector<std::uint64_t>> states_;
};

constexpr std::size_t kWords = 2;    // The bell, and what it is rung for.
constexpr std::size_t kThreads = 2;  // 0 the ringer, 1 the sleeper.

struct Store {
  std::size_t word;
  std::uint64_t value;
};

struct Thread {
  ucontext_t context{};
  std::vector<char> stack = std::vector<char>(64U << 10U);
  std::function<void()> body;
  std::optional<Store> held;          // Held back by the compiler.
  std::deque<Store> buffer;           // The processor's, oldest first.
  std::vector<std::uint64_t> loaded;  // All it knows: a thread is a function of its loads.
  std::uint64_t turns = 0;
  bool done = false;
  bool asleep = false;
};

// One run of the two threads. There is one machine at a time.
class StoreBufferMachine {
 public:
  static StoreBufferMachine* now;

  StoreBufferMachine(Choices& choices, std::function<void()> ringer, std::function<void()> sleeper)
      : choices_(choices) {
    threads_[0].body = std::move(ringer);
    threads_[1].body = std::move(sleeper);
    now = this;
  }

  // Answers whether both came to their end, or to a state of another run; a sleeper that
  // nobody wakes does not.
  bool run() {
    for (Thread& thread : threads_) start(thread);
    for (;;) {
      std::array<std::size_t, 2 * kThreads> moves{};
      std::size_t count = 0;
      for (std::size_t n = 0; n < kThreads; ++n) {
        if (!threads_[n].done && !(threads_[n].asleep && !rung_)) moves[count++] = 2 * n;
        if (!threads_[n].buffer.empty()) moves[count++] = 2 * n + 1;
      }
      if (count == 0) return threads_[0].done && threads_[1].done;
      if (choices_.is_new() && choices_.seen(state())) return true;
      const std::size_t move = moves[choices_.choose(count)];
      Thread& thread = threads_[move / 2];
      if (move % 2 == 0) {
        step(thread);
      } else {
        write_one(thread);
      }
    }
  }

  // What the threads do. Each waits here until it is its turn.
  std::uint64_t load(std::size_t word) {
    turn();
    const std::uint64_t value = visible(word);
    threads_[current_].loaded.push_back(value);
    return value;
  }

  // Not seen by anyone yet, so it need not be this thread's turn; nor for an empty fence.
  void store(std::size_t word, std::uint64_t value) {
    Thread& self = threads_[current_];
    release(self);
    if (current_ == 0 && choices_.choose(2) == 1) {
      self.held = Store{word, value};
    } else {
      self.buffer.push_back({word, value});
    }
  }

  void light_fence() { release(threads_[current_]); }

  void full_fence() {
    release(threads_[current_]);
    if (!threads_[current_].buffer.empty()) turn();
    drain(threads_[current_]);
  }

  // A full fence here, and one in the ringer between two accesses of its program: what its
  // compiler holds back is of another place of that program, and stays.
  void membarrier() {
    turn();
    drain(threads_[1]);
    drain(threads_[0]);
  }

  void ring() {
    release(threads_[current_]);  // No compiler moves a store past a system call.
    turn();
    rung_ = true;
  }

  void sleep() {
    threads_[current_].asleep = true;
    turn();
    threads_[current_].asleep = false;
    rung_ = false;
  }

  void forget_old_rings() { rung_ = false; }

 private:
  static void enter() {
    StoreBufferMachine& machine = *now;
    machine.threads_[machine.current_].body();
    machine.release(machine.threads_[machine.current_]);
    machine.threads_[machine.current_].done = true;
  }

  void start(Thread& thread) {
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.data();
    thread.context.uc_stack.ss_size = thread.stack.size();
    thread.context.uc_link = &scheduler_;
    makecontext(&thread.context, &StoreBufferMachine::enter, 0);
    step(thread);  // To its first access.
  }

  void step(Thread& thread) {
    current_ = static_cast<std::size_t>(&thread - threads_.data());
    swapcontext(&scheduler_, &thread.context);
  }

  // What the thread whose turn it is sees in a word.
  std::uint64_t visible(std::size_t word) const {
    const Thread& self = threads_[current_];
    if (self.held && self.held->word == word) return self.held->value;
    for (auto store = self.buffer.rbegin(); store != self.buffer.rend(); ++store) {
      if (store->word == word) return store->value;
    }
    return memory_[word];
  }

  std::vector<std::uint64_t> state() const {
    std::vector<std::uint64_t> all(memory_.begin(), memory_.end());
    all.push_back(rung_ ? 1 : 0);
    for (const Thread& thread : threads_) {
      const std::uint64_t flags = (thread.done ? 1U : 0U) | (thread.asleep ? 2U : 0U);
      all.insert(all.end(), {thread.turns, flags, thread.held ? thread.held->value : ~0ULL});
      for (const Store& store : thread.buffer) all.insert(all.end(), {store.word, store.value});
      all.push_back(~0ULL);
      all.insert(all.end(), thread.loaded.begin(), thread.loaded.end());
      all.push_back(~0ULL);
    }
    return all;
  }

  void turn() {
    ++threads_[current_].turns;
    swapcontext(&threads_[current_].context, &scheduler_);
  }

  // The compiler lets go of what it held back, at a place of its own in the program.
  void release(Thread& thread) {
    if (!thread.held) return;
    turn();
    thread.buffer.push_back(*thread.held);
    thread.held.reset();
  }

  void write_one(Thread& thread) {
    memory_[thread.buffer.front().word] = thread.buffer.front().value;
    thread.buffer.pop_front();
  }

  void drain(Thread& thread) {
    while (!thread.buffer.empty()) write_one(thread);
  }

  Choices& choices_;
  std::array<Thread, kThreads> threads_;
  std::array<std::uint64_t, kWords> memory_{};
  ucontext_t scheduler_{};
  std::size_t current_ = 0;
  bool rung_ = false;
};

StoreBufferMachine* StoreBufferMachine::now = nullptr;

// As core/shm/machine.h wants it. The words of a run are numbered as they are made.
struct Machine {
  static inline std::size_t words_made = 0;

  template <class T>
  class Atomic {
   public:
    T load(std::memory_order) const { return StoreBufferMachine::now->load(word_); }
    void store(T value, std::memory_order) { StoreBufferMachine::now->store(word_, value); }

   private:
    std::size_t word_ = words_made++;
  };

  static void full_fence() { StoreBufferMachine::now->full_fence(); }
  static void light_fence() { StoreBufferMachine::now->light_fence(); }
};

// `kLast` publications; the sleeper relaxes its bell after each look that found something,
// where `relaxes` says so, and sleeps whenever it finds nothing.
template <std::uint64_t kLast>
bool one_run(Choices& choices, bool relaxes) {
  Machine::words_made = 0;
  shm::Bell<Machine> bell;
  Machine::Atomic<std::uint64_t> published;
  const auto ringer = [&] {
    shm::BellRinger<Machine> ringing(bell);
    for (std::uint64_t n = 1; n <= kLast; ++n) {
      published.store(n, std::memory_order_release);
      if (ringing.should_ring()) StoreBufferMachine::now->ring();
    }
  };
  const auto sleeper = [&] {
    shm::BellSleeper<Machine> sleeping(bell);
    if (relaxes) sleeping.relax();
    for (std::uint64_t seen = 0; seen < kLast;) {
      StoreBufferMachine::now->forget_old_rings();
      if (sleeping.arm()) StoreBufferMachine::now->membarrier();
      const std::uint64_t found = published.load(std::memory_order_acquire);
      if (found == seen) StoreBufferMachine::now->sleep();
      sleeping.disarm();
      if (found != seen && relaxes) sleeping.relax();
      seen = found;
    }
  };
  StoreBufferMachine machine(choices, ringer, sleeper);
  return machine.run();
}

template <std::uint64_t kLast>
bool no_run_loses_a_wake_up(const char* name, bool relaxes) {
  Choices choices;
  std::uint64_t runs = 0;
  bool held = true;
  do {
    ++runs;
    held = one_run<kLast>(choices, relaxes);
  } while (held && choices.next());
  std::printf("%s: %s after %llu runs\n", name, held ? "no lost wake-up" : "LOST WAKE-UP",
              static_cast<unsigned long long>(runs));
  return held;
}

}  // namespace
}  // namespace comch::model

int main() {
  using namespace comch::model;
  const bool held = no_run_loses_a_wake_up<1>("guarded, one publication", false) &&
                    no_run_loses_a_wake_up<1>("relaxed, one publication", true) &&
                    no_run_loses_a_wake_up<2>("relaxed, two publications", true);
#ifdef EXPECT_KILLED
  std::puts(held ? "the planted mistake SURVIVED" : "the planted mistake was found");
  return held ? 1 : 0;
#else
  return held ? 0 : 1;
#endif
}
