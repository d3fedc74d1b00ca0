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

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what is seldom used is apart.
class alignas(shm::kCacheLine) ProducerTaskImpl final : public ProducerTask, public ListLink<> {
 public:
  ProducerTaskImpl() = default;

  static ProducerTaskImpl& of(ProducerTask& face) { return static_cast<ProducerTaskImpl&>(face); }
  static const ProducerTaskImpl& of(const ProducerTask& face) {
    return static_cast<const ProducerTaskImpl&>(face);
  }

  std::span<const std::byte> data() const {
    return buffer == nullptr ? std::span<const std::byte>() : buffer->contents();
  }

  // Of a task that waits: submit() ends the caller's duty to keep the immediate data.
  void keep_immediate() {
    if (!kept.empty() && immediate.data() == kept.data()) return;
    kept.assign(immediate.begin(), immediate.end());
    immediate = kept;
  }

  void fail_with(const Error& why) {
    error = why;
    failed = true;
  }

  ProducerImpl* producer = nullptr;  // Null: the task is a MsgQ's.
  const BufferImpl* buffer = nullptr;
  std::span<const std::byte> immediate;
  UserData user_data;
  std::uint32_t consumer = 0;
  TaskState state = TaskState::kFree;
  bool failed = false;  // The last submission; `error` says why.
  // Here ends the line that every submission touches.
  QueueProducerImpl* queue = nullptr;
  Error error;
  std::vector<std::byte> kept;
};
static_assert(sizeof(ProducerTaskImpl) == 2 * shm::kCacheLine);

}  // namespace comch
