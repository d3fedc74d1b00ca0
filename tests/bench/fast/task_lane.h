// TaskLane: comch's fast path with a task and a callback for each message.
//
// One way there are always more messages to send, and the sender says so, unless it is to send each
// by itself, as one that is answered is.
//
// The receiver's callback looks at the message and posts its buffer again; in a round trip it is
// posted when the message is answered. The sender's gives the task back for the next message.
//
// Threads, errors: as lane.h.
#pragma once

#include <utility>
#include <vector>

#include "bench/fast/fast_ends.h"
#include "bench/peers/last_message.h"

namespace comch::bench {

enum class Handing : std::uint8_t { kTogether, kEach };

template <std::uint32_t kDepth, bool kCooperative, DataWay kWay = DataWay::kAuto,
          Handing kHanding = Handing::kTogether>
class TaskLane {
 public:
  explicit TaskLane(const Workload& workload)
      : plan_(workload, kDepth), answers_(workload.shape == Shape::kRoundTrip) {
    plan_.cooperative = kCooperative;
    plan_.way = kWay;
  }

  class Sender {
   public:
    explicit Sender(const TaskLane& lane)
        : tasks_(lane.plan_.depth),
          has_more_(kHanding == Handing::kTogether && !lane.answers_),
          end_(lane.plan_, [this](Producer& producer) { configure(producer); }) {
      for (std::uint32_t n = 0; n < tasks_; ++n) {
        idle_.push_back(
            need(end_.producer().allocate_send(end_.source(), {}, end_.consumer()), "a task"));
      }
    }
    ~Sender() {
      for (ProducerTask* task : idle_) std::ignore = task->free();
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void send() {
      while (idle_.empty()) engine_.progress();
      ProducerTask* const task = idle_.back();
      idle_.pop_back();
      if (has_more_ && task->try_submit_more()) return;
      while (true) {
        const Status sent = task->submit();
        if (sent) return;
        if (sent.error().code != Errc::again) need(sent, "to send");
        engine_.progress();
      }
    }
    void send_last() {
      drain();
      end_with(end_.message());
      send();
      drain();
    }

   private:
    void configure(Producer& producer) {
      need(producer.configure_send(
               tasks_, [this](ProducerTask& task) { idle_.push_back(&task); },
               [](ProducerTask& task) { need(task.status(), "a send"); }),
           "send tasks");
      idle_.reserve(tasks_);
    }
    void drain() {
      while (idle_.size() < tasks_) engine_.progress();
    }

    const std::uint32_t tasks_;
    const bool has_more_;
    ProgressEngine& engine_ = engine_of_process();
    std::vector<ProducerTask*> idle_;
    ProducerEnd end_;
  };

  class Receiver {
   public:
    explicit Receiver(const TaskLane& lane)
        : answers_(lane.answers_),
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
      if (is_last(task.buffer()->contents())) ended_ = true;
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
    ReceiveTask* answered_ = nullptr;  // Not posted again yet.
    std::uint64_t arrived_ = 0;
    std::uint64_t taken_ = 0;
    bool ended_ = false;
    ConsumerEnd end_;
  };

 private:
  FastPlan plan_;
  bool answers_;  // What is received.
};

}  // namespace comch::bench
