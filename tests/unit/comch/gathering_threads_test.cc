// Several producers, each on a thread and an engine of its own, send to one consumer in every way
// that takes many posted buffers at once: each message arrives once, whole, in its producer's
// order.
#include <atomic>
#include <iostream>
#include <random>
#include <thread>

#include "support/sanitizers.h"
#include "unit/comch/fast_pair.h"
#include "unit/comch/numbered_messages.h"

namespace comch::test {
namespace {

struct GatheringThreadsTest : ConnectedPair {
  static constexpr std::uint32_t kProducers = 3;
  static constexpr std::uint32_t kMessages = 20'000;  // Of each.
  static constexpr std::uint32_t kDepth = 64;
  static constexpr std::size_t kRoom = 300;
  static constexpr std::uint32_t kTasks = 40;

  // As long as some beside it: a run of messages that are alike, behind some that are not. Some do
  // not fit into a slot.
  static std::string message(std::uint32_t producer, std::uint32_t n) {
    const std::size_t size = n % 64 < 40 ? 12 + n / 64 % 50 : 12 + n * 7 % (kRoom - 12);
    return numbered(producer, n, size);
  }

  GatheringThreadsTest() { std::cout << "COMCH_TEST_SEED=" << random_seed << '\n'; }

  void consume(Consumer& to) {
    arrivals.configure(to, kDepth);
    // TSan takes two maps of one memory for two memories; staged, only one side writes.
    to.set_way(COMCH_THREAD_SANITIZER ? DataWay::kStaged : DataWay::kMapped).value();
    engine->connect(to).value();
    ASSERT_TRUE(to.start());
    ASSERT_TRUE(run_until([&] { return to.state() == ContextState::kRunning; }));
    FastPair::post_rooms(to, rooms, kDepth, kRoom);
    ASSERT_TRUE(run_until([&] { return client.consumers.size() == 1; }));
  }

  // What a producer does on its thread.
  class Sender {
   public:
    Sender(Producer& from, ConsumerId to, std::uint32_t self, std::uint64_t seed)
        : from_(from), to_(to), self_(self), random_(seed) {}

    void run() {
      from_
          .configure_send(
              kTasks, [this](ProducerTask& task) { complete(task); },
              [this](ProducerTask& task) { complete(task); })
          .value();
      engine_->connect(from_).value();
      ASSERT_TRUE(from_.start());
      for (std::uint32_t n = 0; n < kTasks; ++n) {
        idle_.push_back(from_.allocate_send(nullptr, {}, to_).value());
        places_[idle_.back()] = n * kRoom;
      }
      const Deadline deadline(patience() * 2);
      while (next_ != kMessages && !deadline.passed()) {
        const std::uint32_t before = next_;
        send_some();
        if (random_() % 4 == 0) from_.flush();
        // With more threads than processors, another one has what this one waits for.
        if (!engine_->progress() && next_ == before) std::this_thread::yield();
      }
      EXPECT_EQ(next_, kMessages);
      EXPECT_TRUE(until(*engine_, [this] { return idle_.size() == kTasks; }));
      for (ProducerTask* task : idle_) {
        drop_buffer(*task);
        std::ignore = task->free();
      }
      EXPECT_TRUE(from_.stop());
      EXPECT_TRUE(until(*engine_, [this] { return from_.state() == ContextState::kIdle; }));
    }

   private:
    void complete(ProducerTask& task) {
      EXPECT_TRUE(task.status());
      idle_.push_back(&task);
    }
    static void drop_buffer(ProducerTask& task) {
      if (auto* buffer = const_cast<Buffer*>(task.buffer())) std::ignore = buffer->drop_reference();
    }

    void send_some() {
      const std::size_t most = 1 + random_() % 48;
      if (random_() % 3 == 0) return send_array(most);
      const bool more = random_() % 4 != 0;
      for (std::size_t n = 0; n < most && !idle_.empty() && next_ != kMessages; ++n) {
        if (!send_task(more)) return;
      }
    }
    bool send_task(bool more) {
      ProducerTask& task = *idle_.back();
      drop_buffer(task);
      task.set_buffer(data_.data(places_[&task], message(self_, next_))).value();
      idle_.pop_back();
      if (more ? task.try_submit_more() : bool{task.submit()}) {
        ++next_;
        return true;
      }
      idle_.push_back(&task);
      return false;
    }
    void send_array(std::size_t most) {
      if (from_.busy(to_)) return;  // With the texts of the last one.
      texts_.clear();
      std::vector<Outgoing> messages;
      for (std::uint32_t n = next_; n != kMessages && texts_.size() != most; ++n) {
        texts_.push_back(message(self_, n));
      }
      for (const std::string& text : texts_) messages.push_back({bytes(text), {}});
      const Result<std::size_t> sent = from_.send(to_, messages);
      EXPECT_TRUE(sent || sent.error().code == Errc::again);
      next_ += static_cast<std::uint32_t>(sent.value_or(0));
    }

    Producer& from_;
    const ConsumerId to_;
    const std::uint32_t self_;
    std::mt19937_64 random_;
    std::unique_ptr<ProgressEngine> engine_ = ProgressEngine::create().value();
    Memory data_{kTasks * kRoom};
    std::vector<ProducerTask*> idle_;
    std::map<const ProducerTask*, std::size_t> places_;  // Of what each sends, in data_.
    std::vector<std::string> texts_;                     // Of an array that may be under way.
    std::uint32_t next_ = 0;
  };

  const std::uint64_t random_seed = seed();
  Memory rooms{kDepth * kRoom};
  InTheirOrder arrivals{kProducers, message};
};

TEST_F(GatheringThreadsTest, EveryMessageArrivesOnceInItsProducersOrder) {
  auto to = Consumer::create(server.connection(), rooms.map()).value();
  consume(*to);
  std::array<std::unique_ptr<Producer>, kProducers> producers;
  for (auto& one : producers) one = Producer::create(client.connection()).value();
  std::atomic<unsigned> ended = 0;
  std::vector<std::jthread> threads;
  for (std::uint32_t n = 0; n < kProducers; ++n) {
    threads.emplace_back([&, n] {
      Sender(*producers[n], to->id(), n, random_seed + n).run();
      ++ended;
    });
  }
  const Deadline deadline(patience() * 2);
  while (ended != kProducers && !deadline.passed()) {
    if (!engine->progress()) std::this_thread::yield();
  }
  threads.clear();
  EXPECT_TRUE(run_until([&] { return arrivals.count() == std::uint64_t{kProducers} * kMessages; }))
      << arrivals.count() << " have arrived";
  for (auto& one : producers) EXPECT_TRUE(Producer::destroy(one));
  EXPECT_TRUE(to->stop());
  EXPECT_TRUE(run_until([&] { return to->state() == ContextState::kIdle; }));
  EXPECT_TRUE(Consumer::destroy(to));
}

}  // namespace
}  // namespace comch::test
