// TaskLane: comch's fast path with a task and a callback for each message.
//
// One way there are always more messages to send, and the sender says so, unless it is to send each
// by itself, as one that is answered is.
//
// The receiver's callback looks at the message and posts its buffer again; in a round trip it is
// posted when the message is answered.
//
// Threads, errors: as lane.h.
#pragma once

#include <utility>
#include <vector>

#include "bench/fast/fast_ends.h"
#include "bench/fast/task_sender.h"
#include "bench/peers/last_message.h"
#include "bench/peers/reading.h"

namespace comch::bench {

template <std::uint32_t kDepth, bool kCooperative, DataWay kWay = DataWay::kAuto,
          Handing kHanding = Handing::kTogether>
class TaskLane {
 public:
  explicit TaskLane(const Workload& workload)
      : plan_(workload, kDepth), answers_(workload.shape == Shape::kRoundTrip), read_(workload) {
    plan_.cooperative = kCooperative;
    plan_.way = kWay;
  }

  class Sender {
   public:
    explicit Sender(const TaskLane& lane)
        : sender_(engine_of_process(), lane.plan_.depth, lane.answers_ ? Handing::kEach : kHanding),
          end_(lane.plan_, [this](Producer& producer) { sender_.configure(producer); }) {
      sender_.begin(end_.producer(), end_.source(), end_.consumer());
    }
    ~Sender() { sender_.end(); }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void send() { sender_.send(); }
    void send_last() {
      sender_.drain();
      end_with(end_.message());
      sender_.send();
      sender_.drain();
    }

    ProducerEnd& end() { return end_; }

   private:
    TaskSender sender_;
    ProducerEnd end_;
  };

  class Receiver {
   public:
    explicit Receiver(const TaskLane& lane)
        : answers_(lane.answers_),
          read_(lane.read_),
          end_(lane.plan_, [&](Consumer& consumer) { configure(consumer, lane.plan_.depth); }) {
      for (Buffer* buffer : end_.buffers()) {
        need(need(end_.consumer().allocate_receive(buffer), "a task")->submit(), "to post");
      }
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      if (answered_ != nullptr) post(*std::exchange(answered_, nullptr));
      while (arrived_ == taken_) engine_.progress();
      ++taken_;
      return !(ended_ && arrived_ == taken_);
    }

   private:
    void configure(Consumer& consumer, std::uint32_t tasks) {
      need(consumer.configure_receive(
               tasks, [this](ReceiveTask& task) { take(task); },
               [](ReceiveTask& task) { std::ignore = task.free(); }),
           "receive tasks");
    }
    void take(ReceiveTask& task) {
      ++arrived_;
      const std::span<const std::byte> message = task.buffer()->contents();
      read_(message);
      if (is_last(message)) ended_ = true;
      if (answers_) {
        answered_ = &task;
      } else {
        post(task);
      }
    }
    static void post(ReceiveTask& task) {
      task.buffer()->reset_data_length();
      need_each(task.submit(), "to post");
    }

    ProgressEngine& engine_ = engine_of_process();
    const bool answers_;
    const Reading read_;
    ReceiveTask* answered_ = nullptr;  // Not posted again yet.
    std::uint64_t arrived_ = 0;
    std::uint64_t taken_ = 0;
    bool ended_ = false;
    ConsumerEnd end_;
  };

  const FastPlan& plan() const { return plan_; }

 private:
  FastPlan plan_;
  bool answers_;  // What is received.
  Reading read_;
};

}  // namespace comch::bench
