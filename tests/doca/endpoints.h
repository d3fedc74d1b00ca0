// Endpoints of doca_comm_channel.h, used as a program uses them.
//
//   LegacyTest gives a runtime directory and the devices:
//   Endpoint service = listening(), client = connecting();
//   ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
//   ASSERT_EQ(service.next(), "hello");
//   ASSERT_EQ(service.send("and you", service.from), DOCA_SUCCESS);
//
// Threads: one. Lifetime: an endpoint is destroyed with its Endpoint.
#pragma once

#include <doca_comm_channel.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "doca/control_parties.h"
#include "support/deadline.h"
#include "support/temp_dir.h"

namespace comch::test {

class Endpoint {
 public:
  explicit Endpoint(doca_dev* device, doca_dev_rep* representor = nullptr);
  Endpoint(Endpoint&& other) noexcept;
  Endpoint& operator=(Endpoint&&) = delete;
  ~Endpoint() { destroy(); }
  void destroy();
  operator doca_comm_channel_ep_t*() const { return endpoint_; }

  doca_error_t connect(const char* name) {
    return doca_comm_channel_ep_connect(*this, name, &peer);
  }
  doca_error_t send(std::string_view message, doca_comm_channel_addr_t* to) const;
  doca_error_t send(std::string_view message) const { return send(message, peer); }
  // One recvfrom(); what it had is in `text` and `from`.
  doca_error_t take();
  // The next message, or nothing when none comes in time or recvfrom() fails.
  std::optional<std::string> next(const Deadline& deadline = Deadline());

  // The descriptors; made by the first call.
  int send_event() const;
  int recv_event() const;
  int service_event() const;
  doca_error_t arm_send() const { return doca_comm_channel_ep_event_handle_arm_send(*this); }
  doca_error_t arm_recv() const { return doca_comm_channel_ep_event_handle_arm_recv(*this); }

  doca_comm_channel_addr_t* peer = nullptr;  // A client's service.
  doca_comm_channel_addr_t* from = nullptr;  // Who sent the last message.
  std::string text;                          // The last message.

 private:
  doca_comm_channel_ep_t* endpoint_ = nullptr;
};

// Whether the descriptor is readable now, or becomes so before the deadline.
bool is_readable(int fd);
bool becomes_readable(int fd, const Deadline& deadline = Deadline());

doca_error_t update_of(doca_comm_channel_addr_t* peer);

struct LegacyTest : testing::Test {
  Endpoint idle_service() { return Endpoint(dpu, function); }
  Endpoint idle_client() { return Endpoint(host); }
  Endpoint listening(const char* name = "echo");
  // Of a service that another process or a later call accepts for.
  Endpoint connecting(const char* name = "echo");
  // connecting(), and the service accepts it.
  Endpoint connected(Endpoint& service, const char* name = "echo");
  // The service knows its client: it has said so.
  void introduce(Endpoint& client, Endpoint& service);

  RuntimeDirectory directory;
  OpenDevice dpu{kDpuPci};
  OpenDevice host{kHostPci};
  OpenRepresentor function{dpu, kHostPci};
};

}  // namespace comch::test
