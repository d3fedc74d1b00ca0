// ControlPlan: what a cell over comch's control path does.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bench/timing.h"
#include "comch/capability.h"
#include "comch/result.h"

namespace comch::bench {

enum class Sending { kTrySend, kTask };
// kSleep never polls before it sleeps; kDefault does what wait() does by itself.
enum class Waiting { kBusy, kSleep, kDefault };

struct ControlPlan {
  Duration duration = std::chrono::milliseconds(60);
  Sending sending = Sending::kTrySend;
  Waiting waiting = Waiting::kBusy;
  bool echo = true;  // The server sends messages back; else it only counts them.
  std::uint32_t max_message_size = kDefaultMessageSize;
  std::uint32_t queue = kDefaultRecvQueueSize;  // Messages, and send tasks.
  std::uint32_t max_clients = kDefaultClients;
};

// A benchmark cannot go on without what it asked for.
template <class T>
T need(Result<T> result, const char* what) {
  if (!result) throw std::runtime_error(std::string(what) + ": " + describe(result.error()));
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// The same of an answer that is looked at for every message, and of which nothing else is wanted. A
// copy of it would wait for stores to the other side's lines.
template <class T>
void need_each(const Result<T>& result, const char* what) {
  if (!result) [[unlikely]]
    need(Status(std::unexpected(result.error())), what);
}

// A name no other benchmark of this machine uses.
std::string fresh_server_name();

}  // namespace comch::bench
