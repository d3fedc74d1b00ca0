// Control parties: a server and a client of the C API, used as a program uses them, which write
// down all that happens to them.
//
//   ControlTest gives a runtime directory and a progress engine:
//   ServerParty server(pe);
//   ClientParty client(pe);
//   ASSERT_TRUE(server.start() && client.connect());
//   ASSERT_EQ(client.send("hello"), DOCA_SUCCESS);
//   ASSERT_TRUE(until(pe, [&] { return server.received.size() == 1; }));
//
// What a callback does besides writing down is the test's to replace: the then_ members.
//
// Threads: the engine's. Lifetime: a party is outlived by its engine; one that is not idle when
// it goes is stopped and run until it is. A test that destroys a party's context itself sets the
// handle to null.
#pragma once

#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_pe.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/deadline.h"
#include "support/temp_dir.h"

namespace comch::test {

inline constexpr const char* kDpuPci = "0000:03:00.0";
inline constexpr const char* kHostPci = "0000:b1:00.0";

// An open device or representor of the built-in fabric; throws when it is not to be had.
class OpenDevice {
 public:
  explicit OpenDevice(const std::string& pci);
  ~OpenDevice() { close(); }
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;
  void close();
  operator doca_dev*() const { return device_; }
  doca_devinfo* info() const { return doca_dev_as_devinfo(device_); }

 private:
  doca_dev* device_ = nullptr;
};

class OpenRepresentor {
 public:
  OpenRepresentor(doca_dev* device, const std::string& pci);
  ~OpenRepresentor() { close(); }
  OpenRepresentor(const OpenRepresentor&) = delete;
  OpenRepresentor& operator=(const OpenRepresentor&) = delete;
  void close();
  operator doca_dev_rep*() const { return representor_; }

 private:
  doca_dev_rep* representor_ = nullptr;
};

// How a program waits: by asking all the time, by epoll with a clear after each wake-up, or by
// epoll in the event mode that needs none.
enum class Waiting : std::uint8_t { kPolling, kEpoll, kEpollAll };
std::string name(Waiting waiting);

// Runs the engines until `done` says yes; false once the deadline has passed.
using Engines = std::vector<doca_pe*>;
bool until(const Engines& engines, const std::function<bool()>& done, Waiting waiting,
           const Deadline& deadline = Deadline());
bool until(doca_pe* pe, const std::function<bool()>& done, Waiting waiting = Waiting::kPolling,
           const Deadline& deadline = Deadline());
// Runs the engine until it has nothing left to do.
void settle(doca_pe* pe);

doca_ctx_states state_of(doca_ctx* ctx);

struct PartySettings {
  std::string name = "echo";
  std::uint32_t max_message = 4080;
  std::uint32_t queue = 10;
  std::uint32_t tasks = 16;
  Waiting waiting = Waiting::kPolling;
};

// What servers and clients write down alike.
class Party {
 public:
  Party(const Party&) = delete;
  Party& operator=(const Party&) = delete;
  virtual ~Party() = default;

  virtual doca_ctx* ctx() const = 0;
  virtual doca_error_t allocate(doca_comch_connection* to, std::string_view message,
                                doca_comch_task_send** task) = 0;
  // Sends bytes that outlive the send.
  doca_error_t send(doca_comch_connection* to, std::string_view message);
  doca_error_t start() { return doca_ctx_start(ctx()); }
  doca_error_t stop() { return doca_ctx_stop(ctx()); }
  doca_ctx_states state() const { return state_of(ctx()); }
  bool run_until(const std::function<bool()>& done) { return until(pe, done, settings.waiting); }
  bool run_until_idle();

  std::vector<std::string> received;
  std::vector<doca_error_t> completions;  // Of send tasks, in order.
  std::vector<doca_ctx_states> states;
  std::vector<std::uint32_t> consumers;  // Of the other side, that are there.
  std::function<void(doca_comch_connection*)> then_receive = [](auto*) {};
  std::function<void(doca_comch_task_send*)> then_complete;  // Frees the task at first.
  std::function<void(doca_ctx_states)> then_state = [](auto) {};

  doca_pe* const pe;
  const PartySettings settings;

 protected:
  Party(doca_pe* engine, PartySettings chosen);
  // Before the kind destroys its context.
  void end();
  void tie();
};

class ServerParty final : public Party {
 public:
  explicit ServerParty(doca_pe* engine, const PartySettings& chosen = {});
  ~ServerParty() override;
  doca_ctx* ctx() const override { return doca_comch_server_as_ctx(server); }
  doca_error_t allocate(doca_comch_connection* to, std::string_view message,
                        doca_comch_task_send** task) override;

  OpenDevice device{kDpuPci};
  OpenRepresentor representor{device, kHostPci};
  doca_comch_server* server = nullptr;
  std::vector<doca_comch_connection*> connections;  // Those that last, as they came.
  int endings = 0;
  std::function<void(doca_comch_connection*)> then_connected = [](auto*) {};
  std::function<void(doca_comch_connection*)> then_disconnected = [](auto*) {};
};

class ClientParty final : public Party {
 public:
  explicit ClientParty(doca_pe* engine, const PartySettings& chosen = {});
  ~ClientParty() override;
  doca_ctx* ctx() const override { return doca_comch_client_as_ctx(client); }
  doca_error_t allocate(doca_comch_connection* to, std::string_view message,
                        doca_comch_task_send** task) override;
  using Party::send;
  doca_error_t send(std::string_view message) { return send(connection(), message); }
  doca_comch_connection* connection() const;
  // start(), and the engine until the client runs (true) or is idle again (false).
  bool connect();

  OpenDevice device{kHostPci};
  doca_comch_client* client = nullptr;
};

// A test with a runtime directory of its own and an engine.
struct ControlTest : testing::Test {
  ControlTest();
  ~ControlTest() override;

  RuntimeDirectory directory;
  doca_pe* pe = nullptr;
};

}  // namespace comch::test
