// Consumer and ReceiveTask: the public faces of ConsumerImpl and ReceiveTaskImpl.
#include "comch/consumer.h"

#include "comch/consumer_impl.h"

namespace comch {

std::string_view name(DataWay way) {
  switch (way) {
    case DataWay::kAuto:
      return "auto";
    case DataWay::kMapped:
      return "mapped";
    case DataWay::kStaged:
      return "staged";
    case DataWay::kCma:
      return "cma";
  }
  return "unknown";
}

Result<std::unique_ptr<Consumer>> Consumer::create(Connection& face, MemoryMap& memory) {
  ConnectionImpl& connection = ConnectionImpl::of(face);
  MemoryMapImpl& map = MemoryMapImpl::of(memory);
  if (connection.state() != ConnectionState::kEstablished) {
    return fail(Errc::bad_state, "the connection is not established");
  }
  if (!map.started()) return fail(Errc::bad_state, "the memory map is not started");
  if (!allows(map.permissions(), Access::kPciReadWrite)) {
    return fail(Errc::not_permitted, "the memory map needs Access::kPciReadWrite");
  }
  Result<std::shared_ptr<transport::FastPath>> fast = connection.fast_path();
  if (!fast) return std::unexpected(fast.error());
  // The one carrier there is.
  auto hub = std::static_pointer_cast<transport::shm::Hub>(std::move(*fast));
  return std::make_unique<ConsumerObject>(connection, map, std::move(hub));
}

Status Consumer::destroy(std::unique_ptr<Consumer>& consumer) {
  if (consumer == nullptr) return fail(Errc::invalid_value, "there is no consumer to destroy");
  if (consumer->state() != ContextState::kIdle) {
    return fail(Errc::in_use, "the consumer is not idle; stop it first");
  }
  consumer.reset();
  return {};
}

Status Consumer::configure_receive(std::uint32_t tasks, Handler received, Handler failed) {
  return ConsumerImpl::of(*this).configure_receive(tasks, std::move(received), std::move(failed));
}
Status Consumer::set_immediate_size(std::uint32_t bytes) {
  return ConsumerImpl::of(*this).set_immediate_size(bytes);
}
Status Consumer::set_way(DataWay way) { return ConsumerImpl::of(*this).set_way(way); }
std::uint32_t Consumer::tasks() const { return ConsumerImpl::of(*this).tasks(); }
std::uint32_t Consumer::immediate_size() const { return ConsumerImpl::of(*this).immediate_size(); }
DataWay Consumer::way() const { return ConsumerImpl::of(*this).way(); }
ConsumerId Consumer::id() const { return ConsumerImpl::of(*this).id(); }
Connection& Consumer::connection() const { return ConsumerImpl::of(*this).connection(); }
ConsumerCounters Consumer::counters() const { return ConsumerImpl::of(*this).counters(); }
std::size_t Consumer::posted() const { return ConsumerImpl::of(*this).posted(); }

Result<ReceiveTask*> Consumer::allocate_receive(Buffer* buffer) {
  return ConsumerImpl::of(*this).allocate(buffer);
}
Result<std::size_t> Consumer::post(std::span<Buffer* const> buffers) {
  return ConsumerImpl::of(*this).post(buffers);
}
std::size_t Consumer::poll(std::span<Received> out) { return ConsumerImpl::of(*this).poll(out); }
std::size_t Consumer::take_back(std::span<Buffer*> out) {
  return ConsumerImpl::of(*this).take_back(out);
}
Status Consumer::give_back(const HandedOver& message) {
  return ConsumerImpl::of(*this).give_back(message);
}

// --- ReceiveTask -------------------------------------------------------------------------

Status ReceiveTask::submit() {
  ReceiveTaskImpl& task = ReceiveTaskImpl::of(*this);
  return task.consumer->submit(task);
}
Status ReceiveTask::free() {
  ReceiveTaskImpl& task = ReceiveTaskImpl::of(*this);
  return task.consumer->free(task);
}
Status ReceiveTask::status() const {
  const ReceiveTaskImpl& task = ReceiveTaskImpl::of(*this);
  if (task.state == TaskState::kSubmitted) return fail(Errc::in_progress);
  if (task.error) return std::unexpected(*task.error);
  return {};
}
Status ReceiveTask::set_buffer(Buffer* buffer) {
  ReceiveTaskImpl& task = ReceiveTaskImpl::of(*this);
  return task.consumer->set_buffer(task, buffer);
}
Buffer* ReceiveTask::buffer() const { return ReceiveTaskImpl::of(*this).buffer; }
ProducerId ReceiveTask::producer() const { return ReceiveTaskImpl::of(*this).producer; }
std::span<const std::byte> ReceiveTask::immediate() const {
  return ReceiveTaskImpl::of(*this).immediate;
}
std::uint64_t ReceiveTask::length() const { return ReceiveTaskImpl::of(*this).length; }
const HandedOver& ReceiveTask::handed_over() const {
  return ReceiveTaskImpl::of(*this).handed_over;
}
void ReceiveTask::set_user_data(UserData data) { ReceiveTaskImpl::of(*this).user_data = data; }
UserData ReceiveTask::user_data() const { return ReceiveTaskImpl::of(*this).user_data; }
Context& ReceiveTask::context() const { return ReceiveTaskImpl::of(*this).consumer->face(); }

}  // namespace comch
