// Capability: the limits of a device, each of which a program can ask for.
//
// The numbers are comch's own where the documents give none; a device description
// file may lower them. Sizes are in bytes, counts in objects.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
namespace comch {

struct Capability {
  bool server = false;                       // A Server can be made on this device.
  bool client = false;                       // A Client can be made on this device.
  std::uint32_t max_name_length = 120;       // Of a server name, with its closing NUL.
  std::uint32_t max_message_size = 65535;    // Of one control message.
  std::uint32_t max_recv_queue_size = 8192;  // Messages a connection may have waiting.
  std::uint32_t max_send_tasks = 8192;       // Control sends in flight per context.
  std::uint32_t max_clients = 65536;         // Connections of one server.
};

// What a context uses until it is configured.
inline constexpr std::uint32_t kDefaultMessageSize = 4080;
inline constexpr std::uint32_t kDefaultRecvQueueSize = 64;
inline constexpr std::uint32_t kDefaultSendTasks = 64;
inline constexpr std::uint32_t kDefaultClients = 512;

}  // namespace comch
#pragma GCC visibility pop
