// Sibling: what its thread does.
#include "bench/fast/sibling.h"

#include "bench/fast/task_sender.h"
#include "bench/placement.h"

namespace comch::bench {

Sibling::Sibling(ProducerEnd& beside, const FastPlan& plan, int processor)
    : consumer_(beside.consumer()),
      producer_(need(Producer::create(beside.connection()), "a producer")),
      thread_([this, plan, processor] { run(plan, processor); }) {}

Sibling::~Sibling() {
  finishing_ = true;
  if (thread_.joinable()) thread_.join();
}

void Sibling::finish() {
  finishing_ = true;
  thread_.join();
  if (error_) std::rethrow_exception(error_);
}

void Sibling::run(const FastPlan& plan, int processor) {
  try {
    run_on(processor);
    send(plan);
  } catch (...) {
    error_ = std::current_exception();
  }
}

void Sibling::send(const FastPlan& plan) {
  const auto engine = need(ProgressEngine::create(), "an engine");
  FastMemory memory(plan.bytes, 1);
  Buffer* const message = memory.data(0, plan.bytes);
  TaskSender sender(*engine, plan.depth, Handing::kTogether);
  sender.configure(*producer_);
  start(*producer_, plan, *engine);
  sender.begin(*producer_, message, consumer_);
  while (!finishing_.load(std::memory_order_relaxed)) sender.send();
  sender.drain();
  sender.end();
  end(producer_.get(), *engine);
  need(message->drop_reference(), "to let go of the message");
}

}  // namespace comch::bench
