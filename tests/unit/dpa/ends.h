// Ends: an accelerator, MsgQs on it, and the ends of both kinds, each of which writes down what
// happens to it, for tests of what goes on between them.
//
//   struct EchoTest : QueueTest {};
//   auto queue = make_queue(Direction::kToAccelerator);
//   DeviceConsumer there(*queue, {.posted = 4});
//   CpuProducer here(*engine, *queue);
//   ASSERT_TRUE(here.send("hello", there.id()));
//   EXPECT_EQ(there.get(), "hello");
//
// Device calls are for kernels *and any other thread*: most tests make them themselves.
//
// Threads: the test's. Lifetime: ends are outlived by their queue, and all of them by the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "comch/comch.h"
#include "support/deadline.h"
#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch::test {

enum class Direction : std::uint8_t { kToAccelerator, kToCpu };

inline constexpr ConsumerId kFirst{1};  // The first consumer of every MsgQ.

template <class Object>
void end(std::unique_ptr<Object>& object) {
  std::ignore = object->stop();
  EXPECT_TRUE(Object::destroy(object));
}

struct QueueTest : testing::Test {
  struct Limits {
    std::uint32_t consumers = 1;
    std::uint32_t producers = 1;
  };
  QueueTest() { accelerator->start().value(); }
  ~QueueTest() override { EXPECT_TRUE(dpa::Accelerator::destroy(accelerator)); }

  // A started MsgQ, which stops when it goes.
  struct Stop {
    void operator()(MsgQ* queue) const {
      std::unique_ptr<MsgQ> owned(queue);
      end(owned);
    }
  };
  using Queue = std::unique_ptr<MsgQ, Stop>;
  Queue make_queue(Direction direction, const Limits& limits) {
    std::unique_ptr<MsgQ> queue = MsgQ::create(host()).value();
    if (direction == Direction::kToAccelerator) {
      queue->set_accelerator_consumer(*accelerator).value();
    } else {
      queue->set_accelerator_producer(*accelerator).value();
    }
    queue->set_max_consumers(limits.consumers).value();
    queue->set_max_producers(limits.producers).value();
    queue->start().value();
    return Queue(queue.release());
  }
  Queue make_queue(Direction direction) { return make_queue(direction, Limits()); }

  RuntimeDirectory runtime;
  std::unique_ptr<dpa::Accelerator> accelerator = dpa::Accelerator::create(host()).value();
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
};

// --- On the CPU --------------------------------------------------------------------------

class CpuConsumer {
 public:
  struct Options {
    std::uint32_t tasks = 4;
    std::uint32_t immediate = MsgQ::kMaxImmediate;
    std::uint32_t posted = 0;
    bool again = false;  // Each task is posted again as soon as it has come.
  };
  CpuConsumer(ProgressEngine& engine, MsgQ& queue, const Options& options)
      : engine_(engine), consumer_(Consumer::create(queue).value()) {
    const auto received = [this, again = options.again](ReceiveTask& task) {
      texts.push_back(text_of(task.immediate()));
      producers.push_back(task.producer());
      if (again) {
        EXPECT_TRUE(task.submit());
      } else {
        EXPECT_TRUE(task.free());
      }
    };
    const auto failed = [this](ReceiveTask& task) {
      returned.push_back(task.status());
      EXPECT_TRUE(task.free());
    };
    consumer_->configure_receive(options.tasks, received, failed).value();
    consumer_->set_immediate_size(options.immediate).value();
    engine.connect(*consumer_).value();
    EXPECT_EQ(consumer_->start().value(), ContextState::kRunning);
    post(options.posted);
  }
  CpuConsumer(ProgressEngine& engine, MsgQ& queue) : CpuConsumer(engine, queue, Options()) {}
  ~CpuConsumer() {
    std::ignore = consumer_->stop();
    EXPECT_TRUE(until(engine_, [&] { return consumer_->state() == ContextState::kIdle; }));
    EXPECT_TRUE(Consumer::destroy(consumer_));
  }
  CpuConsumer(const CpuConsumer&) = delete;
  CpuConsumer& operator=(const CpuConsumer&) = delete;

  Consumer* operator->() const { return consumer_.get(); }
  ConsumerId id() const { return consumer_->id(); }
  void post(std::uint32_t count = 1) {
    for (; count != 0; --count) {
      EXPECT_TRUE(consumer_->allocate_receive(nullptr).value()->submit());
    }
  }
  // Whether so many messages have come before the deadline.
  bool has(std::size_t count) {
    return until(engine_, [&] { return texts.size() >= count; });
  }

  std::vector<std::string> texts;
  std::vector<ProducerId> producers;  // Of each text.
  std::vector<Status> returned;       // Of tasks that came back empty.

 private:
  ProgressEngine& engine_;
  std::unique_ptr<Consumer> consumer_;
};

class CpuProducer {
 public:
  CpuProducer(ProgressEngine& engine, MsgQ& queue)
      : engine_(engine), producer_(Producer::create(queue).value()) {
    const auto done = [this](ProducerTask& task) {
      completions.push_back(task.status());
      EXPECT_TRUE(task.free());
    };
    producer_->configure_send(8, done, done).value();
    producer_->on_space([this](Producer&, ConsumerId id) { spaces.push_back(id); }).value();
    engine.connect(*producer_).value();
    EXPECT_EQ(producer_->start().value(), ContextState::kRunning);
  }
  ~CpuProducer() {
    std::ignore = producer_->stop();
    EXPECT_TRUE(until(engine_, [&] { return producer_->state() == ContextState::kIdle; }));
    EXPECT_TRUE(Producer::destroy(producer_));
  }
  CpuProducer(const CpuProducer&) = delete;
  CpuProducer& operator=(const CpuProducer&) = delete;

  Producer* operator->() const { return producer_.get(); }
  ProducerId id() const { return producer_->id(); }
  Status send(std::string_view text, ConsumerId to = kFirst) {
    ProducerTask* task = producer_->allocate_send(nullptr, bytes(text), to).value();
    const Status submitted = task->submit();
    if (!submitted) task->free().value();
    return submitted;
  }

  std::vector<Status> completions;
  std::vector<ConsumerId> spaces;

 private:
  ProgressEngine& engine_;
  std::unique_ptr<Producer> producer_;
};

// --- On the accelerator ------------------------------------------------------------------

// A consumer with a completion context of its own.
class DeviceConsumer {
 public:
  struct Options {
    std::uint32_t receives = 4;
    std::uint32_t elements = 4;
    std::uint32_t immediate = MsgQ::kMaxImmediate;
    std::uint32_t posted = 0;
    std::uint32_t user_data = 0;
    dpa::Thread* thread = nullptr;
  };
  DeviceConsumer(MsgQ& queue, const Options& options)
      : arrivals(dpa::ConsumerCompletion::create().value()),
        consumer(dpa::Consumer::create(queue).value()) {
    arrivals->set_max_receives(options.elements).value();
    if (options.thread != nullptr) arrivals->set_thread(*options.thread).value();
    arrivals->start().value();
    consumer->set_max_receives(options.receives).value();
    consumer->set_immediate_size(options.immediate).value();
    consumer->set_completion(*arrivals, options.user_data).value();
    consumer->start().value();
    if (options.posted != 0) consumer->ack(options.posted).value();
  }
  explicit DeviceConsumer(MsgQ& queue) : DeviceConsumer(queue, Options()) {}
  ~DeviceConsumer() {
    end(consumer);
    end(arrivals);
  }
  DeviceConsumer(const DeviceConsumer&) = delete;
  DeviceConsumer& operator=(const DeviceConsumer&) = delete;

  ConsumerId id() const { return consumer->id(); }
  // The next message, acknowledged.
  std::optional<std::string> get() {
    const dpa::ReceiveElement* element = arrivals->get_completion();
    if (element == nullptr) return std::nullopt;
    std::string text = text_of(element->immediate);
    EXPECT_TRUE(arrivals->acknowledge(1));
    return text;
  }

  std::unique_ptr<dpa::ConsumerCompletion> arrivals;
  std::unique_ptr<dpa::Consumer> consumer;
};

// A producer with a completion context of its own.
class DeviceProducer {
 public:
  struct Options {
    std::uint32_t sends = 4;
    std::uint32_t elements = 4;
    std::uint64_t user_data = 0;
    dpa::Thread* thread = nullptr;
  };
  DeviceProducer(dpa::Accelerator& accelerator, MsgQ& queue, const Options& options)
      : completions(dpa::ProducerCompletion::create(accelerator, options.elements).value()),
        producer(dpa::Producer::create(queue).value()) {
    if (options.thread != nullptr) completions->set_thread(*options.thread).value();
    completions->start().value();
    producer->set_max_sends(options.sends).value();
    producer->set_user_data({.value = options.user_data}).value();
    producer->set_completion(*completions).value();
    producer->start().value();
  }
  DeviceProducer(dpa::Accelerator& accelerator, MsgQ& queue)
      : DeviceProducer(accelerator, queue, Options()) {}
  ~DeviceProducer() {
    end(producer);
    end(completions);
  }
  DeviceProducer(const DeviceProducer&) = delete;
  DeviceProducer& operator=(const DeviceProducer&) = delete;

  ProducerId id() const { return producer->id(); }
  Status post(std::string_view text, ConsumerId to = kFirst, const dpa::Submit& submit = {}) {
    return producer->post_immediate(to, bytes(text), submit);
  }
  // The user data of the next completion, acknowledged.
  std::optional<std::uint64_t> get() {
    const dpa::SendElement* element = completions->get_completion();
    if (element == nullptr) return std::nullopt;
    last = *element;
    EXPECT_TRUE(completions->acknowledge(1));
    return last.user_data;
  }

  std::unique_ptr<dpa::ProducerCompletion> completions;
  std::unique_ptr<dpa::Producer> producer;
  dpa::SendElement last;
};

}  // namespace comch::test
