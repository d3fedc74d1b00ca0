// Fast ends: who waits for whom, and how everything ends.
#include "bench/fast/fast_ends.h"

#include <tuple>

#include "bench/processes.h"
#include "support/deadline.h"

namespace comch::bench {
namespace {

void run_until(const std::function<bool()>& condition, const char* what) {
  const bool done = test::eventually([&] {
    engine_of_process().progress();
    return condition();
  });
  if (!done) throw std::runtime_error(std::string(what) + " does not happen");
}

// Nothing is sent on the control path.
template <class Endpoint>
void configure_control(Endpoint& endpoint) {
  const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  need(endpoint.configure_send(1, free_task, free_task), "send tasks");
  need(endpoint.on_message([](Connection&, std::span<const std::byte>) { return Receipt::kTaken; }),
       "a receive callback");
  need(engine_of_process().connect(endpoint), "the engine");
}

}  // namespace

ProgressEngine& engine_of_process() {
  static const std::unique_ptr<ProgressEngine> engine = need(ProgressEngine::create(), "an engine");
  return *engine;
}

void start(Producer& producer, const FastPlan& plan, ProgressEngine& engine) {
  need(producer.set_lane_size(plan.lane_size), "lanes");
  need(producer.set_cooperative_size(plan.cooperative ? Producer::kDefaultCooperative : 0),
       "who copies");
  need(engine.connect(producer), "the engine");
  need(producer.start(), "to start the producer");
}

void end(Context* context, ProgressEngine& engine) {
  if (context == nullptr || context->state() == ContextState::kIdle) return;
  std::ignore = context->abort();
  for (int turns = 0; turns < 1'000'000 && context->state() != ContextState::kIdle; ++turns) {
    engine.progress();
  }
}

void configure_no_tasks(Producer& producer) {
  const auto free_task = [](ProducerTask& task) { std::ignore = task.free(); };
  need(producer.configure_send(1, free_task, free_task), "send tasks");
}

void configure_no_tasks(Consumer& consumer, std::uint32_t depth) {
  const auto free_task = [](ReceiveTask& task) { std::ignore = task.free(); };
  need(consumer.configure_receive(depth, free_task, free_task), "receive tasks");
}

FastMemory::FastMemory(std::size_t bytes, std::size_t buffers)
    : map_(need(MemoryMap::create(), "a memory map")),
      inventory_(need(BufferInventory::create(buffers), "an inventory")) {
  need(map_->allocate(bytes), "memory");
  need(map_->set_permissions(Access::kLocalReadWrite | Access::kPciReadWrite), "permissions");
  need(map_->add_device(need(Device::open_first(Side::kHost), "a device")), "the device");
  need(map_->start(), "to start the memory map");
  touch_pages(range());
  need(inventory_->start(), "to start the inventory");
}

FastMemory::~FastMemory() {
  std::ignore = BufferInventory::destroy(inventory_);
  std::ignore = MemoryMap::destroy(map_);
}

Buffer* FastMemory::room(std::size_t offset, std::size_t bytes) {
  return need(inventory_->get_by_address(*map_, range().subspan(offset, bytes)), "a buffer");
}

Buffer* FastMemory::data(std::size_t offset, std::size_t bytes) {
  return need(inventory_->get_by_data(*map_, range().subspan(offset, bytes)), "a buffer");
}

ConsumerEnd::ConsumerEnd(const FastPlan& plan, const std::function<void(Consumer&)>& configure)
    : memory_(plan.depth * plan.bytes, plan.depth) {
  auto device = need(Device::open_first(Side::kDpu), "a device");
  auto representor = need(Representor::open_first(device), "a representor");
  server_ = need(Server::create(device, representor, plan.server), "a server");
  configure_control(*server_);
  need(server_->on_connection([this](Connection& connection, bool) { connection_ = &connection; },
                              [](Connection&, bool) {}),
       "connection callbacks");
  const auto ignore = [](Connection&, ConsumerId) {};
  need(server_->on_consumer(ignore, ignore), "consumer callbacks");
  need(server_->start(), "to start the server");
  run_until([this] { return connection_ != nullptr; }, "a connection");

  consumer_ = need(Consumer::create(*connection_, memory_.map()), "a consumer");
  configure(*consumer_);
  need(consumer_->set_way(plan.way), "the way of its data");
  need(engine_of_process().connect(*consumer_), "the engine");
  need(consumer_->start(), "to start the consumer");
  run_until([this] { return consumer_->state() == ContextState::kRunning; },
            "the consumer's start");
  for (std::uint32_t n = 0; n < plan.depth; ++n) {
    buffers_.push_back(memory_.room(n * plan.bytes, plan.bytes));
  }
}

ConsumerEnd::~ConsumerEnd() {
  end(consumer_.get(), engine_of_process());
  end(server_.get(), engine_of_process());
  consumer_.reset();
  for (Buffer* buffer : buffers_) std::ignore = buffer->drop_reference();
}

ProducerEnd::ProducerEnd(const FastPlan& plan, const std::function<void(Producer&)>& configure)
    : memory_(plan.bytes, 1), source_(memory_.data(0, plan.bytes)) {
  connect(plan);
  producer_ = need(Producer::create(connection()), "a producer");
  configure(*producer_);
  start(*producer_, plan, engine_of_process());
  run_until([this] { return consumer_ != ConsumerId{}; }, "a consumer");
  run_until([this] { return producer_->has_space(consumer_); }, "room for a message");
}

// Again and again: the other process may not have its server yet.
void ProducerEnd::connect(const FastPlan& plan) {
  client_ = need(Client::create(need(Device::open_first(Side::kHost), "a device"), plan.server),
                 "a client");
  configure_control(*client_);
  need(client_->on_consumer([this](Connection&, ConsumerId id) { consumer_ = id; },
                            [](Connection&, ConsumerId) {}),
       "consumer callbacks");
  const auto is_running = [this] {
    if (client_->state() == ContextState::kIdle) std::ignore = client_->start();
    return client_->state() == ContextState::kRunning;
  };
  run_until(is_running, "a connection");
}

ProducerEnd::~ProducerEnd() {
  end(producer_.get(), engine_of_process());
  end(client_.get(), engine_of_process());
  producer_.reset();
  std::ignore = source_->drop_reference();
}

}  // namespace comch::bench
