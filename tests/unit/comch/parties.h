// Parties: a server and a client that write down all that happens to them.
//
//   ServerParty server(*engine, {.queue = 4});
//   ClientParty client(*engine, {.queue = 4});
//   ASSERT_TRUE(server->start() && client.connect());
//   ASSERT_TRUE(client.connection().try_send(bytes("hello")));
//   ASSERT_TRUE(until(*engine, [&] { return server.received.size() == 1; }));
//
// What a callback does besides writing down is the test's to replace: the then_ members.
//
// Threads: the engine's. Lifetime: a party is outlived by its engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comch/comch.h"
#include "support/bytes.h"
#include "support/deadline.h"

namespace comch::test {

std::string text_of(std::span<const std::byte> message);

// Runs the engine until `done` says yes; false once the deadline has passed.
bool until(ProgressEngine& engine, const std::function<bool()>& done,
           const Deadline& deadline = Deadline());
// Whether the notification that was requested has come; takes the request back.
bool is_notified(ProgressEngine& engine);
// Runs the engine until it has nothing left to do; false if it is woken so many times before.
bool falls_asleep(ProgressEngine& engine, int wakes);
// The same, where it does.
void settle(ProgressEngine& engine);

std::shared_ptr<Device> dpu();
std::shared_ptr<Device> host();
std::shared_ptr<Representor> function();

struct Settings {
  std::string name = "echo";
  std::uint32_t max_message = 64;
  std::uint32_t queue = 4;
  std::uint32_t tasks = 8;
  std::uint32_t clients = kDefaultClients;
  std::optional<AccessList> access = std::nullopt;
  std::optional<Identity> acting = std::nullopt;
  std::chrono::milliseconds timeout = patience();  // For the connection.
};

// What servers and clients write down alike.
struct Diary {
  std::vector<std::string> received;
  std::vector<Status> completions;  // Of send tasks, in order.
  std::vector<ContextState> states;
  int spaces = 0;
  std::vector<ConsumerId> consumers;  // Of the other side, that are there.

  std::function<Receipt(Connection&)> then_receive = [](Connection&) { return Receipt::kTaken; };
  std::function<void(SendTask&)> then_complete = [](SendTask& task) { std::ignore = task.free(); };
  std::function<void(Connection&)> then_space = [](Connection&) {};
  std::function<void(Context&, ContextState)> then_state = [](Context&, ContextState) {};

 protected:
  template <class Party>
  void keep_for(Party& party, const Settings& settings);
};

class ServerParty : public Diary {
 public:
  explicit ServerParty(ProgressEngine& engine, const Settings& settings = {},
                       const std::shared_ptr<Representor>& representor = function());

  Server* operator->() const { return server.get(); }
  Connection& connection(std::size_t n = 0) const { return *connections.at(n); }

  std::unique_ptr<Server> server;
  std::vector<Connection*> connections;       // Those that last, in the order they came.
  std::vector<std::optional<Error>> endings;  // loss() of each that ended.
  std::function<void(Connection&)> then_connected = [](Connection&) {};
  std::function<void(Connection&)> then_disconnected = [](Connection&) {};
};

class ClientParty : public Diary {
 public:
  explicit ClientParty(ProgressEngine& engine, const Settings& settings = {},
                       std::shared_ptr<Device> device = host());

  Client* operator->() const { return client.get(); }
  Connection& connection() const { return *client->connection().value(); }
  // start(), and the engine until the client runs (true) or is idle again (false).
  bool connect();
  bool run_until_idle();

  std::unique_ptr<Client> client;

 private:
  ProgressEngine& engine_;
};

}  // namespace comch::test
