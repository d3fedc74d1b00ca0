// ReceiveTaskImpl: what stands behind a ReceiveTask; its place in the pool is the index by which
// the other side knows the posted buffer.
//
//   free --allocate--> allocated --submit--> submitted --(callback)--> allocated --free--> free
//
// Threads: the engine's. Lifetime: lies in its consumer's pool.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/intrusive_list.h"
#include "comch/buffer_impl.h"
#include "comch/consumer.h"
#include "comch/task.h"

namespace comch {

class ConsumerImpl;
class QueueConsumerImpl;
class RdmaConsumerImpl;

class ReceiveTaskImpl final : public ReceiveTask, public ListLink<> {
 public:
  ReceiveTaskImpl() = default;

  static ReceiveTaskImpl& of(ReceiveTask& face) { return static_cast<ReceiveTaskImpl&>(face); }
  static const ReceiveTaskImpl& of(const ReceiveTask& face) {
    return static_cast<const ReceiveTaskImpl&>(face);
  }

  Status submit() override;
  bool try_submit() override;
  Status free() override;
  Status status() const override;
  Context& context() const override;

  ConsumerImpl* consumer = nullptr;    // One of the three.
  RdmaConsumerImpl* rdma = nullptr;    // Of another machine's producers.
  QueueConsumerImpl* queue = nullptr;  // Of a MsgQ.
  BufferImpl* buffer = nullptr;
  std::uint16_t index = 0;
  TaskState state = TaskState::kFree;
  ProducerId producer{};
  std::uint64_t length = 0;
  std::span<const std::byte> immediate;
  HandedOver handed_over;
  std::optional<Error> error;  // How the last posting ended; nothing when well.
};

}  // namespace comch
