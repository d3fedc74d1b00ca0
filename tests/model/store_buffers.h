// StoreBuffers: a machine with store buffers for two threads, and the explorer of all that it
// may do; for protocols that stand on membarrier, which the language's memory model lacks.
//
// A thread's store waits in its processor's buffer before the other can see it, until a full
// fence or a compare-and-swap empties the buffer, or membarrier from the other thread, or the
// processor at any moment. And the compiler may hold a store back past the loads behind it, out
// of membarrier's reach, up to a light fence or another store. A load sees the thread's own
// last store, else memory. (x86 is such a machine.) A thread may also sleep until it is rung for.
//
// The explorer runs the program again and again, each time making one other choice than before,
// until there is none; a run that comes to a state where another has been ends there.
#pragma once

#include <ucontext.h>

#include <array>
#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace comch::model {

// Which stores the compiler is modelled to hold back; all of them would be too many runs.
// kUnordered       those without an order, of both threads.
// kAllOfTheFirst   even a release, for only what stands before that stays before it.
enum class HeldBack : std::uint8_t { kUnordered, kAllOfTheFirst };

// kStuck: a thread sleeps, and nobody is left to ring.
// kKnown: the run has come to a state of another one, and says nothing new.
enum class RunEnd : std::uint8_t { kDone, kStuck, kKnown };

class StoreBuffers {
 public:
  static inline StoreBuffers* now = nullptr;  // There is one machine at a time.
  static constexpr std::size_t kWords = 64;

  // What one run after another chose.
  struct Path {
    struct Choice {
      std::size_t chosen, count;
    };
    std::vector<Choice> made;
    std::size_t at = 0;
    std::set<std::vector<std::uint64_t>> states;

    std::size_t choose(std::size_t count) {
      if (at == made.size()) made.push_back({0, count});
      return made[at++].chosen;
    }
    bool next() {
      at = 0;
      while (!made.empty() && made.back().chosen + 1 == made.back().count) made.pop_back();
      if (made.empty()) return false;
      ++made.back().chosen;
      return true;
    }
  };

  explicit StoreBuffers(Path& path, HeldBack held_back = HeldBack::kUnordered)
      : path_(path), held_back_(held_back) {
    now = this;
  }
  ~StoreBuffers() { now = nullptr; }
  StoreBuffers(const StoreBuffers&) = delete;
  StoreBuffers& operator=(const StoreBuffers&) = delete;

  // Outside of run() words are plain memory: for what goes before and comes after.
  std::size_t make_word(std::uint64_t value) {
    memory_[words_] = value;
    return words_++;
  }

  RunEnd run(std::function<void()> first, std::function<void()> second) {
    threads_[0].body = std::move(first);
    threads_[1].body = std::move(second);
    running_ = true;
    for (Thread& thread : threads_) start(thread);
    for (;;) {
      std::array<std::size_t, 4> moves{};
      std::size_t count = 0;
      for (std::size_t n = 0; n < threads_.size(); ++n) {
        if (!threads_[n].done && !(threads_[n].asleep && !rung_)) moves[count++] = 2 * n;
        if (!threads_[n].buffer.empty()) moves[count++] = 2 * n + 1;
      }
      if (count == 0) break;
      if (path_.at == path_.made.size() && !path_.states.insert(state()).second) {
        return RunEnd::kKnown;
      }
      const std::size_t move = moves[path_.choose(count)];
      Thread& thread = threads_[move / 2];
      if (move % 2 == 0) {
        step(thread);
      } else {
        write_one(thread);
      }
    }
    running_ = false;
    return threads_[0].done && threads_[1].done ? RunEnd::kDone : RunEnd::kStuck;
  }

  std::uint64_t load(std::size_t word) {
    if (!running_) return memory_[word];
    turn();
    const std::uint64_t value = visible(word);
    self().loaded.push_back(value);
    return value;
  }

  void store(std::size_t word, std::uint64_t value, std::memory_order order) {
    if (!running_) {
      memory_[word] = value;
      return;
    }
    release(self());
    if (may_be_held(order) && path_.choose(2) == 1) {
      self().held = Store{word, value};
    } else {
      self().buffer.push_back({word, value});
    }
  }

  bool swap(std::size_t word, std::uint64_t& expected, std::uint64_t desired) {
    if (running_) {
      release(self());
      turn();
      drain(self());
    }
    const std::uint64_t was = memory_[word];
    if (running_) self().loaded.push_back(was);
    if (was == expected) {
      memory_[word] = desired;
      return true;
    }
    expected = was;
    return false;
  }

  // For words whose interleavings are not the question: they change at once, together with
  // the access before.
  std::uint64_t load_at_once(std::size_t word) {
    if (running_) self().loaded.push_back(memory_[word]);
    return memory_[word];
  }
  void store_at_once(std::size_t word, std::uint64_t value) { memory_[word] = value; }

  void light_fence() {
    if (running_) release(self());
  }

  void full_fence() {
    if (!running_) return;
    release(self());
    turn();
    drain(self());
  }

  // Wakes the thread that sleeps, or the next one that does.
  void ring() {
    release(self());  // No compiler moves a store past a system call.
    turn();
    rung_ = true;
  }

  void sleep() {
    self().asleep = true;
    turn();
    self().asleep = false;
    rung_ = false;
  }

  void forget_old_rings() { rung_ = false; }

  // A full fence in every thread, between two accesses of its program: what a compiler holds
  // back is of another place of that program, and stays.
  void membarrier() {
    turn();
    for (Thread& thread : threads_) drain(thread);
  }

 private:
  struct Store {
    std::size_t word;
    std::uint64_t value;
  };
  struct Thread {
    ucontext_t context{};  // Where it begins;
    std::jmp_buf at{};     // where it is, from then on. It saves no signals: no system call.
    bool begun = false;
    std::function<void()> body;
    std::optional<Store> held;          // Held back by the compiler.
    std::deque<Store> buffer;           // The processor's, oldest first.
    std::vector<std::uint64_t> loaded;  // All it knows: a thread is a function of its loads.
    std::uint64_t turns = 0;
    bool done = false;
    bool asleep = false;
  };

  // Kept from run to run: making them anew is most of the cost.
  static inline std::array<std::array<char, 64U << 10U>, 2> stacks;

  Thread& self() { return threads_[current_]; }

  static void enter() {
    now->self().body();
    now->release(now->self());
    now->self().done = true;
    _longjmp(now->scheduler_, 1);
  }

  void start(Thread& thread) {
    getcontext(&thread.context);
    auto& stack = stacks[static_cast<std::size_t>(&thread - threads_.data())];
    thread.context.uc_stack.ss_sp = stack.data();
    thread.context.uc_stack.ss_size = stack.size();
    makecontext(&thread.context, &StoreBuffers::enter, 0);
    step(thread);  // To its first access.
  }

  bool may_be_held(std::memory_order order) const {
    if (held_back_ == HeldBack::kUnordered) return order == std::memory_order_relaxed;
    return current_ == 0;
  }

  void step(Thread& thread) {
    current_ = static_cast<std::size_t>(&thread - threads_.data());
    if (_setjmp(scheduler_) != 0) return;
    if (thread.begun) _longjmp(thread.at, 1);
    thread.begun = true;
    setcontext(&thread.context);
  }

  void turn() {
    ++self().turns;
    if (_setjmp(self().at) == 0) _longjmp(scheduler_, 1);
  }

  std::uint64_t visible(std::size_t word) {
    if (self().held && self().held->word == word) return self().held->value;
    for (auto store = self().buffer.rbegin(); store != self().buffer.rend(); ++store) {
      if (store->word == word) return store->value;
    }
    return memory_[word];
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

  std::vector<std::uint64_t> state() const {
    std::vector<std::uint64_t> all(memory_.begin(), memory_.begin() + static_cast<long>(words_));
    all.push_back(rung_ ? 1U : 0U);
    for (const Thread& thread : threads_) {
      const std::uint64_t flags = (thread.done ? 1U : 0U) | (thread.asleep ? 2U : 0U);
      all.insert(all.end(), {thread.turns, flags, thread.held ? thread.held->word : ~0ULL,
                             thread.held ? thread.held->value : ~0ULL});
      for (const Store& store : thread.buffer) all.insert(all.end(), {store.word, store.value});
      all.push_back(~0ULL);
      all.insert(all.end(), thread.loaded.begin(), thread.loaded.end());
      all.push_back(~0ULL);
    }
    return all;
  }

  Path& path_;
  const HeldBack held_back_;
  std::array<Thread, 2> threads_;
  std::array<std::uint64_t, kWords> memory_{};
  std::size_t words_ = 0;
  std::jmp_buf scheduler_{};
  std::size_t current_ = 0;
  bool running_ = false;
  bool rung_ = false;
};

}  // namespace comch::model
