// TaskSender: sends a buffer again and again, with a task and a callback for each message.
//
//   TaskSender sender(engine, 256, Handing::kTogether);
//   sender.configure(*producer);                    // Before its start.
//   sender.begin(*producer, buffer, consumer);
//   while (...) sender.send();
//   sender.drain();
//   sender.end();                                   // Ahead of the producer's end.
//
// The callback gives the task back for the next message.
//
// Threads: the engine's. Lifetime: the engine outlives it. Errors: std::runtime_error.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "bench/control_plan.h"
#include "comch/comch.h"

namespace comch::bench {

// Whether there are always more messages to send, and the sender says so.
enum class Handing : std::uint8_t { kTogether, kEach };

class TaskSender {
 public:
  TaskSender(ProgressEngine& engine, std::uint32_t tasks, Handing handing)
      : tasks_(tasks), has_more_(handing == Handing::kTogether), engine_(engine) {}
  TaskSender(const TaskSender&) = delete;
  TaskSender& operator=(const TaskSender&) = delete;

  void configure(Producer& producer) {
    need(producer.configure_send(
             tasks_, [this](ProducerTask& task) { idle_.push_back(&task); },
             [](ProducerTask& task) { need(task.status(), "a send"); }),
         "send tasks");
    idle_.reserve(tasks_);
  }
  void begin(Producer& producer, Buffer* message, ConsumerId consumer) {
    for (std::uint32_t n = 0; n < tasks_; ++n) {
      idle_.push_back(need(producer.allocate_send(message, {}, consumer), "a task"));
    }
  }

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
  // Until all is sent.
  void drain() {
    while (idle_.size() < tasks_) engine_.progress();
  }
  void end() {
    for (ProducerTask* task : idle_) std::ignore = task->free();
  }

 private:
  const std::uint32_t tasks_;
  const bool has_more_;
  ProgressEngine& engine_;
  std::vector<ProducerTask*> idle_;
};

}  // namespace comch::bench
