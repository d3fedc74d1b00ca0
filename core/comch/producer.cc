// Producer and ProducerTask: the public faces of ProducerImpl, or QueueProducerImpl, and
// ProducerTaskImpl.
#include "comch/producer.h"

#include <cstdlib>

#include "comch/producer_impl.h"
#include "comch/queue_producer.h"
#include "comch/rdma_producer.h"

namespace comch {

namespace {

// Calls `use` with what stands behind the face.
template <class Face, class Use>
decltype(auto) ask(Face& face, const Use& use) {
  const ProducerFace::Kind kind = ProducerFace::kind(face);
  if (kind == ProducerFace::Kind::kConnection) [[likely]]
    return use(ProducerObject<ProducerImpl>::of(face));
  if (kind == ProducerFace::Kind::kRdma) {
    return use(ProducerObject<RdmaProducerImpl>::of(face));
  }
  return use(ProducerObject<QueueProducerImpl>::of(face));
}

}  // namespace

Result<std::unique_ptr<Producer>> Producer::create(Connection& face) {
  ConnectionImpl& connection = ConnectionImpl::of(face);
  if (connection.state() != ConnectionState::kEstablished) {
    return fail(Errc::bad_state, "the connection is not established");
  }
  Result<std::shared_ptr<transport::FastPath>> fast = connection.fast_path();
  if (!fast) return std::unexpected(fast.error());
  // Of another machine's carrier, or of this one's.
  if (auto rdma = std::dynamic_pointer_cast<transport::rdma::Hub>(*fast)) {
    return std::make_unique<ProducerObject<RdmaProducerImpl>>(connection, std::move(rdma));
  }
  auto hub = std::static_pointer_cast<transport::shm::Hub>(std::move(*fast));
  return std::make_unique<ProducerObject<ProducerImpl>>(connection, std::move(hub));
}

Result<std::unique_ptr<Producer>> Producer::create(MsgQ& queue) {
  Result<std::unique_ptr<msgq::SendEnd>> end = msgq::SendEnd::create(queue);
  if (!end) return std::unexpected(end.error());
  return std::make_unique<ProducerObject<QueueProducerImpl>>(queue, std::move(*end));
}

Status Producer::destroy(std::unique_ptr<Producer>& producer) {
  if (producer == nullptr) return fail(Errc::invalid_value, "there is no producer to destroy");
  if (producer->state() != ContextState::kIdle) {
    return fail(Errc::in_use, "the producer is not idle; stop it first");
  }
  producer.reset();
  return {};
}

Status Producer::configure_send(std::uint32_t tasks, Handler sent, Handler failed) {
  return ask(*this, [&](auto& impl) {
    return impl.configure_send(tasks, std::move(sent), std::move(failed));
  });
}
Status Producer::on_space(SpaceHandler handler) {
  return ask(*this, [&](auto& impl) { return impl.on_space(std::move(handler)); });
}
Status Producer::on_returned(ReturnHandler handler) {
  return ask(*this, [&](auto& impl) { return impl.on_returned(std::move(handler)); });
}
Status Producer::set_cooperative_size(std::size_t bytes) {
  return ask(*this, [&](auto& impl) { return impl.set_cooperative_size(bytes); });
}
Status Producer::set_staging_size(std::size_t bytes) {
  return ask(*this, [&](auto& impl) { return impl.set_staging_size(bytes); });
}
Status Producer::set_lane_size(std::uint32_t messages) {
  return ask(*this, [&](auto& impl) { return impl.set_lane_size(messages); });
}
std::uint32_t Producer::tasks() const {
  return ask(*this, [&](auto& impl) { return impl.tasks(); });
}
ProducerId Producer::id() const {
  return ask(*this, [&](auto& impl) { return impl.id(); });
}
Connection& Producer::connection() const {
  if (ProducerFace::on_queue(*this)) std::abort();  // There is none to refer to; ask queue().
  if (ProducerFace::kind(*this) == ProducerFace::Kind::kRdma) {
    return ProducerObject<RdmaProducerImpl>::of(*this).connection();
  }
  return ProducerObject<ProducerImpl>::of(*this).connection();
}
MsgQ* Producer::queue() const {
  return ask(*this, [](auto& impl) { return impl.queue(); });
}
ProducerCounters Producer::counters() const {
  return ask(*this, [&](auto& impl) { return impl.counters(); });
}

Result<ProducerTask*> Producer::allocate_send(const Buffer* buffer,
                                              std::span<const std::byte> immediate,
                                              ConsumerId consumer) {
  return ask(*this, [&](auto& impl) { return impl.allocate(buffer, immediate, consumer); });
}
Result<std::size_t> Producer::send(ConsumerId consumer, std::span<const Outgoing> messages) {
  return ask(*this, [&](auto& impl) { return impl.send(consumer, messages); });
}
bool Producer::try_send(ConsumerId consumer, std::span<const std::byte> data) {
  return ProducerFace::kind(*this) == ProducerFace::Kind::kConnection &&
         ProducerObject<ProducerImpl>::of(*this).send_usual(consumer, data);
}
std::size_t Producer::try_send(ConsumerId consumer, const OutgoingRecords& messages) {
  if (ProducerFace::kind(*this) != ProducerFace::Kind::kConnection) return 0;
  return ProducerObject<ProducerImpl>::of(*this).send_usual(consumer, messages);
}
bool Producer::busy(ConsumerId consumer) const {
  return ask(*this, [&](auto& impl) { return impl.busy(consumer); });
}
Status Producer::ending(ConsumerId consumer) const {
  return ask(*this, [&](auto& impl) { return impl.ending(consumer); });
}
Status Producer::send_file(ConsumerId consumer, const ShownFile& file, std::uint64_t offset,
                           std::size_t length, std::span<const std::byte> immediate) {
  return ask(*this,
             [&](auto& impl) { return impl.send_file(consumer, file, offset, length, immediate); });
}
bool Producer::reaches(ConsumerId consumer) const {
  return ask(*this, [&](auto& impl) { return impl.reaches(consumer); });
}
Status Producer::request_space(ConsumerId consumer) {
  return ask(*this, [&](auto& impl) { return impl.request_space(consumer); });
}
bool Producer::has_space(ConsumerId consumer) {
  return ask(*this, [&](auto& impl) { return impl.has_space(consumer); });
}
Result<Loan> Producer::reserve(ConsumerId consumer) {
  return ask(*this, [&](auto& impl) { return impl.reserve(consumer); });
}
Status Producer::commit(const Loan& loan, std::size_t length,
                        std::span<const std::byte> immediate) {
  return ask(*this, [&](auto& impl) { return impl.commit(loan, length, immediate); });
}
Result<std::size_t> Producer::reserve(ConsumerId consumer, std::span<Loan> loans) {
  return ask(*this, [&](auto& impl) { return impl.reserve(consumer, loans); });
}
Result<std::size_t> Producer::commit(std::span<const FilledLoan> loans) {
  return ask(*this, [&](auto& impl) { return impl.commit(loans); });
}
Status Producer::abandon(const Loan& loan) {
  return ask(*this, [&](auto& impl) { return impl.abandon(loan); });
}
Result<PeerMemory> Producer::memory(ConsumerId consumer) {
  return ask(*this, [&](auto& impl) { return impl.memory(consumer); });
}
Status Producer::hand_over(ConsumerId consumer, Buffer& buffer,
                           std::span<const std::byte> immediate) {
  return ask(*this, [&](auto& impl) { return impl.hand_over(consumer, buffer, immediate); });
}
std::size_t Producer::handed_over() const {
  return ask(*this, [&](auto& impl) { return impl.handed_over(); });
}

// --- ProducerTask ------------------------------------------------------------------------

namespace {

Status require_ours(const ProducerTaskImpl& task) {
  if (task.state != TaskState::kAllocated) return fail(Errc::bad_state, "the task is submitted");
  return {};
}

}  // namespace

// Calls `use` with what the task belongs to.
template <class Task, class Use>
static decltype(auto) owner(Task& task, const Use& use) {
  if (task.producer != nullptr) [[likely]]
    return use(*task.producer);
  if (task.rdma != nullptr) return use(*task.rdma);
  return use(*task.queue);
}

Status ProducerTaskImpl::submit() {
  if (producer != nullptr && producer->submit_usual(*this)) [[likely]]
    return {};
  return owner(*this, [this](auto& impl) { return impl.submit(*this); });
}
bool ProducerTaskImpl::try_submit() {
  if (producer != nullptr) [[likely]]
    return producer->submit_usual(*this) || producer->try_submit(*this);
  return rdma != nullptr && rdma->try_submit(*this);
}
bool ProducerTaskImpl::try_submit_more() {
  if (producer != nullptr && producer->gather(*this)) [[likely]]
    return true;
  return try_submit();
}
Status ProducerTaskImpl::free() {
  return owner(*this, [this](auto& impl) { return impl.free(*this); });
}
Status ProducerTaskImpl::status() const {
  if (state == TaskState::kSubmitted) return fail(Errc::in_progress);
  if (failed) return std::unexpected(error);
  return {};
}
Context& ProducerTaskImpl::context() const {
  return owner(*this, [](auto& impl) -> Context& { return impl.face(); });
}

Status ProducerTask::set_buffer(const Buffer* buffer) {
  ProducerTaskImpl& task = ProducerTaskImpl::of(*this);
  if (Status s = require_ours(task); !s) return s;
  if (buffer != nullptr && BufferImpl::of(*buffer).references() == 0) {
    return fail(Errc::invalid_value, "the buffer is not lent");
  }
  task.buffer = buffer == nullptr ? nullptr : &BufferImpl::of(*buffer);
  return {};
}
Status ProducerTask::set_immediate(std::span<const std::byte> immediate) {
  ProducerTaskImpl& task = ProducerTaskImpl::of(*this);
  if (Status s = require_ours(task); !s) return s;
  if (immediate.size() > Consumer::kMaxImmediate) {
    return fail(Errc::invalid_value, "immediate data has at most 256 bytes");
  }
  task.set_immediate_bytes(immediate);
  return {};
}
Status ProducerTask::set_consumer(ConsumerId consumer) {
  ProducerTaskImpl& task = ProducerTaskImpl::of(*this);
  if (Status s = require_ours(task); !s) return s;
  task.consumer = static_cast<std::uint32_t>(consumer);
  return {};
}
const Buffer* ProducerTask::buffer() const { return ProducerTaskImpl::of(*this).buffer; }
std::span<const std::byte> ProducerTask::immediate() const {
  return ProducerTaskImpl::of(*this).immediate_bytes();
}
ConsumerId ProducerTask::consumer() const {
  return ConsumerId{ProducerTaskImpl::of(*this).consumer};
}

}  // namespace comch
