// SendTaskImpl: what stands behind a SendTask, and the life of one:
//
//   free --allocate--> allocated --submit--> submitted --(callback)--> allocated --free--> free
//
// Threads: the engine's. Lifetime: lies in its endpoint's pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/intrusive_list.h"
#include "comch/task.h"

namespace comch {

class ConnectionImpl;
class Endpoint;

class SendTaskImpl final : public SendTask, public ListLink<> {
 public:
  SendTaskImpl() = default;

  static SendTaskImpl& of(SendTask& face) { return static_cast<SendTaskImpl&>(face); }
  static const SendTaskImpl& of(const SendTask& face) {
    return static_cast<const SendTaskImpl&>(face);
  }

  Status submit() override;
  bool try_submit() override;
  Status free() override;
  Status status() const override;
  Context& context() const override;

  Endpoint* endpoint = nullptr;
  ConnectionImpl* connection = nullptr;  // Null when the connection has ended.
  const std::byte* data = nullptr;       // The application's memory.
  std::size_t size = 0;
  TaskState state = TaskState::kFree;
  bool delivered = false;  // Or failed: only the callback is still to come.
  // On its way to the peer's queue: its place among what the connection has sent. 0: it is not.
  std::uint64_t place = 0;
  // How the last submission ended; nothing when well.
  std::optional<Error> error;
};

}  // namespace comch
