// ProducerTaskImpl: what stands behind a ProducerTask.
//
// Threads: the engine's. Lifetime: lies in its producer's pool.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/intrusive_list.h"
#include "comch/buffer_impl.h"
#include "comch/producer.h"
#include "comch/task.h"
#include "shm/machine.h"

namespace comch {

class ProducerImpl;
class QueueProducerImpl;
class RdmaProducerImpl;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what is seldom used is apart.
class alignas(shm::kCacheLine) ProducerTaskImpl final : public ProducerTask, public ListLink<> {
 public:
  using Bytes = std::span<const std::byte>;

  ProducerTaskImpl() = default;

  static ProducerTaskImpl& of(ProducerTask& face) { return static_cast<ProducerTaskImpl&>(face); }
  static const ProducerTaskImpl& of(const ProducerTask& face) {
    return static_cast<const ProducerTaskImpl&>(face);
  }

  Status submit() override;
  bool try_submit() override;
  bool try_submit_more() override;
  Status free() override;
  Status status() const override;
  Context& context() const override;

  Bytes data() const { return buffer == nullptr ? Bytes() : buffer->contents(); }

  // Of a task that waits: submit() ends the caller's duty to keep the immediate data.
  void keep_immediate() {
    if (!kept.empty() && immediate_data == kept.data()) return;
    const Bytes bytes = immediate_bytes();
    kept.assign(bytes.begin(), bytes.end());
    immediate_data = kept.data();
  }

  Bytes immediate_bytes() const { return {immediate_data, immediate_size}; }
  // At most Consumer::kMaxImmediate.
  void set_immediate_bytes(Bytes bytes) {
    immediate_data = bytes.data();
    immediate_size = static_cast<std::uint16_t>(bytes.size());
  }

  void fail_with(const Error& why) {
    error = why;
    failed = true;
  }

  ProducerImpl* producer = nullptr;  // Null: the task is one of the two others'.
  const BufferImpl* buffer = nullptr;
  const std::byte* immediate_data = nullptr;
  std::uint32_t consumer = 0;
  std::uint16_t immediate_size = 0;
  TaskState state = TaskState::kFree;
  bool failed = false;  // The last submission; `error` says why.
  // Here ends the line that every submission touches.
  QueueProducerImpl* queue = nullptr;  // Of a MsgQ,
  RdmaProducerImpl* rdma = nullptr;    // or to another machine.
  Error error;
  std::vector<std::byte> kept;
};
static_assert(sizeof(ProducerTaskImpl) == 2 * shm::kCacheLine);

}  // namespace comch
