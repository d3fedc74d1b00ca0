// Traffic: see traffic.h.
#include "system/fast/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace comch::test {
namespace {

// Immediate data differs from the data it comes with.
constexpr std::uint64_t kImmediate = 0x1'0000'0000'0000;

bool run_until_idle(ProgressEngine& engine, Context& context) {
  if (context.state() != ContextState::kIdle) std::ignore = context.stop();
  return until(engine, [&] { return context.state() == ContextState::kIdle; });
}

}  // namespace

std::size_t longest(const Plan& plan) { return std::ranges::max(plan, {}, &Message::size).size; }

std::uint64_t seed_of(ProducerId producer, std::size_t place) {
  return (static_cast<std::uint64_t>(producer) << 32U) + place;
}

// --- Receiver ----------------------------------------------------------------------------

Receiver::Receiver(Connection& connection, ProgressEngine& engine, Plan plan,
                   const Options& options)
    : engine_(engine),
      plan_(std::move(plan)),
      options_(options),
      own_(options.rooms != nullptr
               ? nullptr
               : std::make_unique<Rooms>(options.depth, longest(plan_), options.kind)),
      rooms_(own_ ? *own_ : *options.rooms),
      consumer_(Consumer::create(connection, rooms_.map()).value()) {
  consumer_
      ->configure_receive(
          options.depth, [this](ReceiveTask& task) { hear(task); },
          [this](ReceiveTask& task) { end(task); })
      .value();
  consumer_->set_immediate_size(Consumer::kMaxImmediate).value();
  consumer_->set_way(options.way).value();
  engine.connect(*consumer_).value();
}

Receiver::~Receiver() {
  if (consumer_->state() != ContextState::kIdle) std::ignore = consumer_->abort();
  EXPECT_TRUE(stop()) << "its tasks do not come back";
  EXPECT_TRUE(Consumer::destroy(consumer_));
}

bool Receiver::start() {
  if (!consumer_->start()) return false;
  if (!until(engine_, [&] { return consumer_->state() != ContextState::kStarting; })) return false;
  if (consumer_->state() != ContextState::kRunning) return false;
  for (std::size_t n = 0; n < options_.depth; ++n) {
    ReceiveTask* task = consumer_->allocate_receive(rooms_.empty(n)).value();
    if (!task->submit()) return false;
  }
  return true;
}

bool Receiver::stop() { return run_until_idle(engine_, *consumer_); }

bool Receiver::as_planned(const ReceiveTask& task) {
  const std::size_t place = next_[task.producer()]++;
  const Message& message = plan_[place % plan_.size()];
  const std::uint64_t seed = seed_of(task.producer(), place);
  return task.length() == message.size && task.buffer()->data_length() == message.size &&
         task.immediate().size() == message.immediate && holds(task.buffer()->contents(), seed) &&
         holds(task.immediate(), seed + kImmediate);
}

void Receiver::hear(ReceiveTask& task) {
  ++heard_;
  if (!as_planned(task)) ++wrong_;
  then_heard(task);
  task.buffer()->reset_data_length();
  if (options_.repost) {
    EXPECT_TRUE(task.submit());
  } else {
    std::ignore = task.buffer()->drop_reference();
    std::ignore = task.free();
  }
}

void Receiver::end(ReceiveTask& task) {
  returned_.push_back(task.status());
  std::ignore = task.buffer()->drop_reference();
  std::ignore = task.free();
}

// --- Sender ------------------------------------------------------------------------------

Sender::Sender(Connection& connection, ProgressEngine& engine, Plan plan, const Options& options)
    : engine_(engine),
      plan_(std::move(plan)),
      options_(options),
      own_(options.rooms != nullptr
               ? nullptr
               : std::make_unique<Rooms>(options.window, longest(plan_), options.kind)),
      rooms_(own_ ? *own_ : *options.rooms),
      producer_(Producer::create(connection).value()),
      filled_(options.rooms != nullptr) {
  const auto back = [this](ProducerTask& task) { come_back(task); };
  producer_->configure_send(static_cast<std::uint32_t>(options.window), back, back).value();
  producer_->set_cooperative_size(options.cooperative).value();
  producer_
      ->on_space([this](Producer&, ConsumerId) {
        ++spaces_;
        pump();
      })
      .value();
  engine.connect(*producer_).value();
  for (std::size_t n = 0; n < options.window; ++n) free_.push_back(n);
}

Sender::~Sender() {
  if (producer_->state() != ContextState::kIdle) std::ignore = producer_->abort();
  EXPECT_TRUE(stop()) << "its tasks do not come back";
  EXPECT_TRUE(Producer::destroy(producer_));
}

std::string Sender::why() const {
  if (refusal_) return "refused: " + describe(*refusal_);
  return failed_.empty() ? "under way" : "failed: " + describe(failed_.front());
}

bool Sender::start() { return producer_->start().has_value(); }
bool Sender::stop() { return run_until_idle(engine_, *producer_); }

void Sender::send_to(std::vector<ConsumerId> consumers) {
  consumers_ = std::move(consumers);
  pump();
}

void Sender::pump() {
  while (!refusal_ && next_ < total() && !free_.empty() && send_next()) {
  }
}

// False: not now; something will call pump() again.
bool Sender::send_next() {
  const std::size_t place = next_ / consumers_.size();
  const Message& message = plan_[place % plan_.size()];
  const ConsumerId to = consumers_[next_ % consumers_.size()];
  const std::size_t room = free_.front();
  const std::uint64_t seed = seed_of(producer_->id(), place);
  if (!filled_) fill(rooms_.bytes(room).first(message.size), seed);
  filled_ = true;
  std::array<std::byte, Consumer::kMaxImmediate> immediate{};
  fill(std::span(immediate).first(message.immediate), seed + kImmediate);
  Buffer* buffer = message.size == 0 ? nullptr : rooms_.data(room, message.size);
  const Result<ProducerTask*> task =
      producer_->allocate_send(buffer, std::span(immediate).first(message.immediate), to);
  const bool is_held = task && options_.together && (*task)->try_submit_more();
  Status submitted;
  if (!task) submitted = std::unexpected(task.error());
  if (task && !is_held) submitted = (*task)->submit();
  if (submitted) {
    (*task)->set_user_data({.value = room});
    free_.pop_front();
    filled_ = false;
    ++next_;
    ++in_flight_;
    return true;
  }
  if (buffer != nullptr) std::ignore = buffer->drop_reference();
  if (task) std::ignore = (*task)->free();
  if (submitted.error().code != Errc::again) {
    refusal_ = submitted.error();
  } else if (const Status asked = producer_->request_space(to); !asked) {
    refusal_ = asked.error();
  }
  return false;
}

void Sender::come_back(ProducerTask& task) {
  --in_flight_;
  const Status status = task.status();
  if (status) {
    ++sent_;
  } else {
    failed_.push_back(status.error());
  }
  free_.push_back(task.user_data().value);
  if (task.buffer() != nullptr) std::ignore = const_cast<Buffer*>(task.buffer())->drop_reference();
  std::ignore = task.free();
  if (status) pump();
}

}  // namespace comch::test
