// ProducerTaskImpl: what stands behind a ProducerTask.
//
// Threads: the engine's. Lifetime: lies in its producer's pool.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/intrusive_list.h"
#include "comch/buffer_impl.h"
#include "comch/producer.h"
#include "comch/task.h"

namespace comch {

class ProducerImpl;
class QueueProducerImpl;

class ProducerTaskImpl final : public ProducerTask, public ListLink<> {
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

  ProducerImpl* producer = nullptr;    // One of the two.
  QueueProducerImpl* queue = nullptr;  // Of a MsgQ.
  const BufferImpl* buffer = nullptr;
  std::span<const std::byte> immediate;
  std::vector<std::byte> kept;
  std::uint32_t consumer = 0;
  TaskState state = TaskState::kFree;
  std::optional<Error> error;
  UserData user_data;
};

}  // namespace comch
