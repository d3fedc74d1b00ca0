// bell_model: a bell between a thread that publishes and a thread that sleeps, always guarded,
// in every interleaving and with every value that the memory model allows a load to see. A
// lost wake-up is a deadlock, which the checker reports.
#include "exploration.h"
#include "relacy_machine.h"

namespace comch::model {
namespace {

using Bell = shm::Bell<RelacyMachine>;
using Sleeper = shm::BellSleeper<RelacyMachine>;
using Ringer = shm::BellRinger<RelacyMachine>;

// What the ringer wakes the sleeper with: an eventfd that the sleeper reads empty before it
// asks to be rung again, so that no old ring can stand in for a lost one.
class Wakeup {
 public:
  void init() { count_.init(false, 0, 10, $); }
  void deinit() { count_.deinit($); }
  void ring() { count_.signal($); }
  void drain() {
    while (count_.wait(true, false, $) == rl::sema_wakeup_reason_success) continue;
  }
  void sleep() { count_.wait(false, false, $); }

 private:
  rl::semaphore<Wakeup> count_;
};

// Ways to be woken, as CounterModel has them: by other means,
struct Otherwise : Wakeup {
  void ring(Ringer&) { Wakeup::ring(); }
  void ask(Sleeper&) {}
  void sleep(const Bell&) { Wakeup::sleep(); }
};

// and by the word. The kernel of a sleeper that waits for it and for a descriptor compares the word
// and goes to sleep in one step; who wakes it comes ahead of that or behind it.
class ByWord {
 public:
  void init() {}
  void deinit() {}
  void ring(Ringer& ringer) {
    const bool by_word = ringer.raise();
    lock_.lock($);
    if (!by_word) readable_ = true;
    woken_.notify_all($);
    lock_.unlock($);
  }
  void drain() {}
  void ask(Sleeper& sleeper) { value_ = sleeper.ask_for_word(); }
  void sleep(const Bell& bell) {
    lock_.lock($);
    if (!readable_ && bell.rings.fetch() == value_) woken_.wait(lock_, $);
    readable_ = false;
    lock_.unlock($);
  }

 private:
  rl::mutex lock_;
  rl::condition_variable_any woken_;
  bool readable_ = false;    // Behind lock_.
  std::uint32_t value_ = 0;  // The sleeper's.
};

// The bell alone: a count is published, the sleeper sleeps until it has seen the last one. `Way` is
// how it is woken.
template <std::uint64_t kLast, class Way>
struct CounterModel : rl::test_suite<CounterModel<kLast, Way>, 2> {
  Bell bell;
  RelacyAtomic<std::uint64_t> published;
  Way way;

  void before() { way.init(); }
  void after() { way.deinit(); }
  void thread(unsigned index) { index == 0 ? publish() : sleep(); }

  void publish() {
    Ringer ringer(bell);
    for (std::uint64_t n = 1; n <= kLast; ++n) {
      published.store(n, std::memory_order_release);
      if (ringer.should_ring()) way.ring(ringer);
    }
  }

  void sleep() {
    Sleeper sleeper(bell);
    for (std::uint64_t seen = 0; seen < kLast;) {
      const std::uint64_t now = published.load(std::memory_order_acquire);
      if (now != seen) {
        seen = now;
        continue;
      }
      way.drain();
      RL_ASSERT(!sleeper.arm());
      way.ask(sleeper);
      if (published.load(std::memory_order_acquire) == seen) way.sleep(bell);
      sleeper.disarm();
    }
  }
};

// Two bells around a ring of one message: the receiver sleeps for data, the sender for room.
struct RingModel : rl::test_suite<RingModel, 2> {
  static constexpr std::uint32_t kCapacity = 32;
  static constexpr std::uint64_t kMessages = 3;

  shm::RingShared<RelacyMachine> shared;
  std::array<RelacyWord, kCapacity / 8> data;
  Wakeup data_came;
  Wakeup room_came;

  void before() {
    data_came.init();
    room_came.init();
  }
  void after() {
    data_came.deinit();
    room_came.deinit();
  }
  void thread(unsigned index) { index == 0 ? send() : receive(); }

  void send() {
    shm::RecordSender<RelacyMachine> sender(shared, data.data(), kCapacity, 0, 1);
    Ringer data_bell(shared.data_bell);
    Sleeper space_bell(shared.space_bell);
    for (std::uint64_t n = 0; n < kMessages;) {
      if (sender.push({})) {
        ++n;
        if (data_bell.should_ring()) data_came.ring();
        continue;
      }
      room_came.drain();
      RL_ASSERT(!space_bell.arm());
      if (!sender.has_room(0)) room_came.sleep();
      space_bell.disarm();
    }
  }

  void receive() {
    shm::RecordReceiver<RelacyMachine> receiver(shared, data.data(), kCapacity, 0, 1);
    Ringer space_bell(shared.space_bell);
    Sleeper data_bell(shared.data_bell);
    for (std::uint64_t n = 0; n < kMessages;) {
      std::uint32_t size = 0;
      const shm::Look look = receiver.look(nullptr, size);
      RL_ASSERT(look != shm::Look::kBroken);
      if (look == shm::Look::kMessage) {
        receiver.pop();
        ++n;
        if (receiver.flush() && space_bell.should_ring()) room_came.ring();
        continue;
      }
      data_came.drain();
      RL_ASSERT(!data_bell.arm());
      if (!receiver.ready()) data_came.sleep();
      data_bell.disarm();
    }
  }
};

}  // namespace
}  // namespace comch::model

int main(int count, char** arguments) {
  using namespace comch::model;
  return explore<InFull<"a bell and a count of one, in full", CounterModel<1, Otherwise>>,
                 AtRandom<"a bell and a count of three", CounterModel<3, Otherwise>>,
                 Bounded<"a word and a count of one, four preemptions", CounterModel<1, ByWord>, 4>,
                 AtRandom<"a word and a count of three", CounterModel<3, ByWord>>,
                 AtRandom<"two bells and a ring", RingModel>>(count, arguments, 200'000);
}
