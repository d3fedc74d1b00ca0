// ReceiveTaskImpl: what stands behind a ReceiveTask; its place in the pool is the index by which
// the other side knows the posted buffer.
//
//   free --allocate--> allocated --submit--> submitted --(callback)--> allocated --free--> free
//
// Threads: the engine's. Lifetime: lies in its consumer's pool.
#pragma once

#include <cstdint>
#include <span>

#include "base/intrusive_list.h"
#include "comch/buffer_impl.h"
#include "comch/consumer.h"
#include "comch/task.h"
#include "shm/machine.h"

namespace comch {

class ConsumerImpl;
class QueueConsumerImpl;
class RdmaConsumerImpl;

// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): what is seldom used is apart.
class alignas(shm::kCacheLine) ReceiveTaskImpl final : public ReceiveTask, public ListLink<> {
 public:
  // What the last posting has brought.
  enum class Brought : std::uint8_t {
    kData,   // Or nothing yet.
    kMore,   // Immediate data, or a buffer that is handed over; perhaps data as well.
    kError,  // It came back.
  };

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

  void bring(std::span<const std::byte> with, const HandedOver& handed) {
    brought = Brought::kMore;
    immediate = with;
    handed_over = handed;
  }
  void come_back(const Error& why) {
    brought = Brought::kError;
    error = why;
    length = 0;
  }

  ConsumerImpl* consumer = nullptr;  // Null: the task is one of the two others'.
  BufferImpl* buffer = nullptr;
  std::uint64_t length = 0;
  ProducerId producer{};
  std::uint16_t index = 0;
  TaskState state = TaskState::kFree;
  Brought brought = Brought::kData;
  // Here ends the line that every message touches.
  RdmaConsumerImpl* rdma = nullptr;      // Of another machine's producers,
  QueueConsumerImpl* queue = nullptr;    // or of a MsgQ.
  std::span<const std::byte> immediate;  // These two of Brought::kMore,
  HandedOver handed_over;
  Error error;  // and this of kError.

 private:
  // Whoever's task it is. Apart, and by reference, because a compiler guards the frame of who
  // hands on what another answers, and every message passes submit().
  [[gnu::noinline]] void submit_or_refuse(Status& done);
};

}  // namespace comch
