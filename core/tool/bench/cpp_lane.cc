// CppLane: makes its parts, and hands them to whoever's thread it is.
#include "tool/bench/cpp_lane.h"

#include <array>
#include <tuple>
#include <utility>

namespace comch::tool {
namespace {

// Of a consumer that is used by arrays a look is poll(); the engine, which has the changes of
// state, is asked once in so many.
constexpr unsigned kLooksOfArrays = 64;

DataWay data_way(Way way) {
  switch (way) {
    case Way::kMapped:
      return DataWay::kMapped;
    case Way::kStaged:
      return DataWay::kStaged;
    case Way::kCma:
      return DataWay::kCma;
    default:
      return DataWay::kAuto;
  }
}

Outcome<> started(Context& context, const char* what) {
  auto state = context.start();
  if (state) return {};
  // The advice for not_supported is about devices; here it is the way that is not to be had.
  if (state.error().code != Errc::not_supported) return complain(what, state.error());
  return complain(std::string(what) + ": " + state.error().what +
                  "; --way auto takes a way that works here");
}

}  // namespace

Outcome<std::unique_ptr<Lane>> CppLane::create(Connection& connection,
                                               const std::shared_ptr<Device>& device,
                                               const FastPlan& plan, Depth depth) {
  std::unique_ptr<CppLane> lane(new CppLane(plan));
  if (auto made = lane->make(connection, device, depth); !made) {
    return complain("cannot make a producer and a consumer", made.error());
  }
  return lane;
}

Status CppLane::make(Connection& connection, const std::shared_ptr<Device>& device, Depth depth) {
  auto engine = ProgressEngine::create();
  if (!engine) return std::unexpected(engine.error());
  engine_ = std::move(*engine);
  turn_ = std::make_unique<Turn<ProgressEngine>>(*engine_, plan_.waiting);
  for (auto [memory, buffers] : {std::pair{&posted_, depth.posted}, {&sources_, depth.sent}}) {
    auto made = Memory::create(buffers, plan_.size, plan_.memory, device);
    if (!made) return std::unexpected(made.error());
    *memory = std::move(*made);
  }
  sender_ = Sender::create(plan_.way, plan_.by, depth.sent);
  receiver_ = Receiver::create(plan_.by, {plan_.size, plan_.reads});

  auto producer = Producer::create(connection);
  if (!producer) return std::unexpected(producer.error());
  producer_ = std::move(*producer);
  auto consumer = Consumer::create(connection, posted_->map());
  if (!consumer) return std::unexpected(consumer.error());
  consumer_ = std::move(*consumer);
  Status status = sender_->configure(*producer_);
  if (status) status = producer_->on_space([](Producer&, ConsumerId) {});
  if (status) status = receiver_->configure(*consumer_, depth.posted);
  if (status) status = consumer_->set_way(data_way(plan_.way));
  if (status) status = engine_->connect(*producer_);
  if (status) status = engine_->connect(*consumer_);
  return status;
}

CppLane::~CppLane() {
  if (consumer_) std::ignore = Consumer::destroy(consumer_);
  if (producer_) std::ignore = Producer::destroy(producer_);
}

Outcome<> CppLane::start() {
  if (auto done = started(*producer_, "cannot start a producer"); !done) return done;
  return started(*consumer_, "cannot start a consumer");
}

Outcome<> CppLane::begin() {
  Status status = sender_->begin(*producer_, sources_->buffers());
  if (status) status = receiver_->begin(*consumer_, posted_->buffers());
  if (!status) return complain("cannot post buffers", status.error());
  return {};
}

Outcome<> CppLane::stop() {
  sender_->end();
  for (Context* context :
       {static_cast<Context*>(producer_.get()), static_cast<Context*>(consumer_.get())}) {
    if (context->state() == ContextState::kIdle) continue;
    if (auto state = context->stop(); !state) return complain("cannot stop", state.error());
  }
  return {};
}

bool CppLane::idle() {
  std::array<Buffer*, 64> returned;
  if (plan_.by == By::kArrays) std::ignore = consumer_->take_back(returned);
  return producer_->state() == ContextState::kIdle && consumer_->state() == ContextState::kIdle;
}

Outcome<std::size_t> CppLane::send(ConsumerId to, std::size_t most) {
  auto sent = sender_->send(to, most);
  if (!sent) return complain("cannot send", sent.error());
  return *sent;
}

Outcome<bool> CppLane::sent_all() {
  auto done = sender_->done();
  if (!done) return complain("cannot send", done.error());
  return *done;
}

Outcome<std::size_t> CppLane::take(std::span<ProducerId> from) {
  auto taken = receiver_->take(from);
  if (!taken) return complain("cannot receive", taken.error());
  return *taken;
}

void CppLane::wait() {
  const bool engine_is_needed = plan_.by == By::kTasks || plan_.waiting == Waiting::kSleep;
  if (engine_is_needed || ++looks_ % kLooksOfArrays == 0) (*turn_)();
}

void CppLane::wait_for_space(std::span<const ConsumerId> consumers) {
  if (plan_.waiting == Waiting::kSleep) {
    for (ConsumerId consumer : consumers) std::ignore = producer_->request_space(consumer);
  }
  (*turn_)();
}

}  // namespace comch::tool
