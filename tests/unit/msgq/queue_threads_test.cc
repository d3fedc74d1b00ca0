// Four producers and four consumers of a MsgQ, each with a thread of its own, in both
// directions: nothing is lost, nothing comes twice, and each producer's messages come in order.
// Run it under TSan, too.
#include <array>
#include <atomic>
#include <cstring>
#include <iostream>
#include <random>
#include <thread>

#include "unit/dpa/ends.h"

namespace comch::test {
namespace {

constexpr std::uint32_t kEnds = 4;
constexpr std::uint32_t kMessages = 1500;            // Of each producer to each consumer.
constexpr std::uint32_t kTotal = kEnds * kMessages;  // To each consumer.
constexpr std::uint32_t kDepth = 8;

struct Message {
  std::uint32_t producer = 0;  // From 0.
  std::uint32_t number = 0;    // For this consumer.
};

Message message_of(std::span<const std::byte> immediate) {
  Message message;
  EXPECT_EQ(immediate.size(), sizeof(message));
  std::memcpy(&message, immediate.data(), std::min(immediate.size(), sizeof(message)));
  return message;
}

// What one consumer has heard.
struct Log {
  void hear(std::span<const std::byte> immediate) {
    const Message message = message_of(immediate);
    EXPECT_EQ(message.number, next.at(message.producer)++) << "of producer " << message.producer;
    ++heard;
  }
  std::array<std::uint32_t, kEnds> next{};
  std::atomic<std::uint32_t> heard{0};
};

// The order in which one producer serves the consumers: some number of each, in turns.
class Plan {
 public:
  explicit Plan(std::uint64_t seed) : random_(seed) {}
  // A consumer that has not had all its messages; kEnds: all have.
  std::uint32_t next() {
    const auto first = static_cast<std::uint32_t>(random_() % kEnds);
    for (std::uint32_t n = 0; n < kEnds; ++n) {
      if (sent.at((first + n) % kEnds) < kMessages) return (first + n) % kEnds;
    }
    return kEnds;
  }
  std::array<std::uint32_t, kEnds> sent{};

 private:
  std::mt19937_64 random_;
};

struct QueueThreadsTest : QueueTest {
  QueueThreadsTest() { std::cout << "seed " << run_seed << std::endl; }

  // Sends by `send`, which says whether the message was taken, until the plan is done.
  template <class Send, class Idle>
  void carry_out(std::uint32_t producer, const std::array<ConsumerId, kEnds>& to, Send&& send,
                 Idle&& idle) {
    Plan plan(run_seed + producer);
    for (std::uint32_t n = plan.next(); n != kEnds && !deadline.passed(); n = plan.next()) {
      const Message message{producer, plan.sent.at(n)};
      if (send(to.at(n), std::as_bytes(std::span(&message, 1)))) {
        ++plan.sent.at(n);
      } else {
        idle();
      }
    }
  }
  void expect_all() {
    for (const Log& log : logs) {
      EXPECT_EQ(log.heard, kTotal);
      for (const std::uint32_t next : log.next) EXPECT_EQ(next, kMessages);
    }
  }

  const std::uint64_t run_seed = seed();
  const Deadline deadline{patience() * 3};
  std::array<Log, kEnds> logs;
};

TEST_F(QueueThreadsTest, LoseNothingOnTheWayToTheAccelerator) {
  const Queue queue =
      make_queue(Direction::kToAccelerator, {.consumers = kEnds, .producers = kEnds});
  std::array<std::unique_ptr<dpa::Thread>, kEnds> threads;
  std::array<std::unique_ptr<DeviceConsumer>, kEnds> consumers;
  std::array<ConsumerId, kEnds> ids{};
  for (std::uint32_t n = 0; n < kEnds; ++n) {
    threads[n] = dpa::Thread::create(*accelerator).value();
    threads[n]
        ->set_kernel([&, n](dpa::Run&) {
          DeviceConsumer& there = *consumers[n];
          std::uint32_t count = 0;
          while (const dpa::ReceiveElement* element = there.arrivals->get_completion()) {
            logs[n].hear(element->immediate);
            ++count;
          }
          EXPECT_TRUE(there.arrivals->acknowledge(count));
          EXPECT_TRUE(there.arrivals->request_notification());
          EXPECT_TRUE(there.consumer->ack(count));
        })
        .value();
    threads[n]->start().value();
    consumers[n] = std::make_unique<DeviceConsumer>(
        *queue,
        DeviceConsumer::Options{
            .receives = kDepth, .elements = kDepth, .posted = kDepth, .thread = threads[n].get()});
    ids[n] = consumers[n]->id();
  }
  for (auto& thread : threads) thread->run().value();
  {
    std::vector<std::jthread> producers;
    for (std::uint32_t n = 0; n < kEnds; ++n) {
      producers.emplace_back([&, n] {
        const auto own = ProgressEngine::create().value();
        CpuProducer here(*own, *queue);
        carry_out(
            n, ids,
            [&](ConsumerId to, std::span<const std::byte> immediate) {
              const std::array outgoing{Outgoing{{}, immediate}};
              return here->send(to, outgoing).has_value();
            },
            [&] { own->progress(); });
      });
    }
  }
  for (const Log& log : logs) {
    EXPECT_TRUE(eventually([&] { return log.heard == kTotal; }, deadline)) << log.heard;
  }
  for (auto& thread : threads) thread->stop().value();
  for (auto& consumer : consumers) consumer.reset();
  for (auto& thread : threads) EXPECT_TRUE(dpa::Thread::destroy(thread));
  expect_all();
}

TEST_F(QueueThreadsTest, LoseNothingOnTheWayToTheCpu) {
  const Queue queue = make_queue(Direction::kToCpu, {.consumers = kEnds, .producers = kEnds});
  std::array<std::atomic<std::uint32_t>, kEnds> ids{};
  std::atomic<bool> all_sent{false};
  {
    std::vector<std::jthread> consumers;
    for (std::uint32_t n = 0; n < kEnds; ++n) {
      consumers.emplace_back([&, n] {
        const auto own = ProgressEngine::create().value();
        auto here = Consumer::create(*queue).value();
        here->configure_receive(
                kDepth,
                [&](ReceiveTask& task) {
                  logs[n].hear(task.immediate());
                  EXPECT_TRUE(task.submit());
                },
                [](ReceiveTask& task) { EXPECT_TRUE(task.free()); })
            .value();
        own->connect(*here).value();
        here->start().value();
        for (std::uint32_t task = 0; task < kDepth; ++task) {
          here->allocate_receive(nullptr).value()->submit().value();
        }
        ids[n] = static_cast<std::uint32_t>(here->id());
        EXPECT_TRUE(until(*own, [&] { return logs[n].heard == kTotal; }, deadline));
        // A producer may be in the middle of its last call.
        EXPECT_TRUE(until(*own, [&] { return all_sent.load(); }, deadline));
        std::ignore = here->stop();
        EXPECT_TRUE(until(*own, [&] { return here->state() == ContextState::kIdle; }));
        EXPECT_TRUE(Consumer::destroy(here));
      });
    }
    std::array<ConsumerId, kEnds> to{};
    for (std::uint32_t n = 0; n < kEnds; ++n) {
      ASSERT_TRUE(eventually([&] { return ids[n] != 0; }));
      to[n] = ConsumerId{ids[n].load()};
    }
    std::vector<std::unique_ptr<DeviceProducer>> producers;
    for (std::uint32_t n = 0; n < kEnds; ++n) {
      producers.push_back(std::make_unique<DeviceProducer>(
          *accelerator, *queue, DeviceProducer::Options{.sends = kDepth}));
    }
    EXPECT_TRUE(accelerator->launch(kEnds, [&](dpa::Run& run) {
      carry_out(
          run.rank(), to,
          [&](ConsumerId id, std::span<const std::byte> immediate) {
            return producers[run.rank()]->producer->post_immediate(id, immediate).has_value();
          },
          [] { std::this_thread::yield(); });
    }));
    all_sent = true;
    consumers.clear();
    producers.clear();
  }
  expect_all();
}

// Consumers come and go while producers send to them: every message that was delivered is heard.
TEST_F(QueueThreadsTest, HearWhatWasDeliveredWhenConsumersComeAndGo) {
  const Queue queue = make_queue(Direction::kToAccelerator, {.consumers = 1, .producers = 2});
  std::atomic<std::uint32_t> id{0};
  std::atomic<bool> over{false};
  std::array<std::atomic<std::uint32_t>, 2> sent{};
  std::uint32_t heard = 0;
  {
    std::vector<std::jthread> producers;
    for (std::uint32_t n = 0; n < 2; ++n) {
      producers.emplace_back([&, n] {
        const auto own = ProgressEngine::create().value();
        CpuProducer here(*own, *queue);
        const std::array outgoing{Outgoing{{}, bytes("x")}};
        while (!over && !deadline.passed()) {
          if (here->send(ConsumerId{id.load()}, outgoing)) ++sent[n];
          std::this_thread::yield();
        }
      });
    }
    auto arrivals = dpa::ConsumerCompletion::create().value();
    arrivals->set_max_receives(kDepth).value();
    arrivals->start().value();
    const auto take = [&] {
      if (arrivals->get_completion() == nullptr) return false;
      ++heard;
      EXPECT_TRUE(arrivals->acknowledge(1));
      return true;
    };
    bool came = true;  // Behind their deadline producers send no more, and nothing would come.
    for (int round = 0; came && round < 200; ++round) {
      auto consumer = dpa::Consumer::create(*queue).value();
      consumer->set_max_receives(kDepth).value();
      consumer->set_completion(*arrivals, 0).value();
      consumer->start().value();
      id = static_cast<std::uint32_t>(consumer->id());
      consumer->ack(kDepth).value();
      came = eventually(take);
      EXPECT_TRUE(came) << "in round " << round;
      end(consumer);
      // A consumer that has left, with messages to be got, is one of those that there may be.
      while (take()) continue;
    }
    over = true;
    producers.clear();
    while (take()) continue;
    end(arrivals);
  }
  EXPECT_EQ(heard, sent[0] + sent[1]);
}

// The same from the accelerator, where messages are held: what was completed well was heard, and
// what was lost is said to be.
TEST_F(QueueThreadsTest, CompleteWellWhatWasHeardWhenConsumersComeAndGo) {
  const Queue queue = make_queue(Direction::kToCpu, {.consumers = 1, .producers = 2});
  std::atomic<std::uint32_t> id{0};
  std::atomic<bool> over{false};
  std::array<std::unique_ptr<DeviceProducer>, 2> producers;
  std::array<std::uint32_t, 2> sent{};
  std::array<std::uint32_t, 2> well{};
  std::array<std::uint32_t, 2> lost{};
  const auto collect = [&](std::uint32_t n) {
    while (producers[n]->get()) ++(producers[n]->last.status ? well[n] : lost[n]);
  };
  for (auto& producer : producers) {
    producer = std::make_unique<DeviceProducer>(
        *accelerator, *queue, DeviceProducer::Options{.sends = kDepth, .elements = kDepth});
  }
  std::uint32_t heard = 0;
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t n = 0; n < 2; ++n) {
      threads.emplace_back([&, n] {
        while (!over && !deadline.passed()) {
          if (producers[n]->post("x", ConsumerId{id.load()}, {.report = true, .user_data = 0})) {
            ++sent[n];
          }
          collect(n);
          std::this_thread::yield();
        }
      });
    }
    bool came = true;
    for (int round = 0; came && round < 200; ++round) {
      CpuConsumer here(*engine, *queue, {.tasks = 3, .posted = 3});
      id = static_cast<std::uint32_t>(here.id());
      came = here.has(1);
      EXPECT_TRUE(came) << "in round " << round;
      std::ignore = here->stop();
      EXPECT_TRUE(until(*engine, [&] { return here->state() == ContextState::kIdle; }));
      heard += static_cast<std::uint32_t>(here.texts.size());
    }
    over = true;
  }
  for (std::uint32_t n = 0; n < 2; ++n) {
    collect(n);
    EXPECT_EQ(sent[n], well[n] + lost[n]);
  }
  EXPECT_EQ(heard, well[0] + well[1]);
}

}  // namespace
}  // namespace comch::test
