// Partner: one of two processes that are a server and its client, and nothing else.
//
//   as_two([](Partner& partner) {                     // Runs in both processes at once.
//     Receiver receiver(partner.connection(), partner.engine(), {});
//     ...
//     ASSERT_TRUE(partner.agree("received"));        // The other has got here, too.
//   });
//
// Threads: the engine's. Lifetime: a partner outlives the consumers and producers of its
// connection.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/child_process.h"
#include "unit/comch/parties.h"

namespace comch::test {

class Partner {
 public:
  enum class Role : std::uint8_t { kServer, kClient };

  Partner(Role role, const Settings& settings);
  Partner(const Partner&) = delete;
  Partner& operator=(const Partner&) = delete;
  // Ends the connection, and waits for that: the client's last word, or the client's leaving.
  ~Partner();

  Role role() const { return role_; }
  bool is_server() const { return role_ == Role::kServer; }
  ProgressEngine& engine() { return *engine_; }
  ServerParty& server() { return *server_; }
  ClientParty& client() { return *client_; }
  Diary& diary();
  Connection& connection();

  void start();                     // Of a server: clients may come.
  bool meet();                      // Until there is a connection.
  bool serve(const Gate& serving);  // Of a server: lets client_process() come, and meets it.
  bool run_until(const std::function<bool()>& done, const Deadline& deadline = Deadline());
  bool run_until_idle(const Context& context);
  // The consumer of the other side that came `n`th and is still there.
  std::optional<ConsumerId> consumer(std::size_t n = 0);
  // Tells the other side a word, and waits until it has said the same.
  bool agree(std::string_view word, const Deadline& deadline = Deadline());

 private:
  const Role role_;
  std::unique_ptr<ProgressEngine> engine_ = ProgressEngine::create().value();
  std::unique_ptr<ServerParty> server_;
  std::unique_ptr<ClientParty> client_;
};

// A client in a process of its own, which meets a server once `serving` is open. It ends well when
// `body` returns; who kills it meanwhile sees that at wait().
ChildProcess client_process(const Gate& serving, const std::function<void(Partner&)>& body,
                            const Settings& settings = {.queue = 16});

// A server in this process and a client in another one, connected; `body` runs in both.
// `before` runs first of all in the client's process.
void as_two(
    const std::function<void(Partner&)>& body, const std::function<void()>& before = [] {},
    const Settings& settings = {.queue = 16});

}  // namespace comch::test
