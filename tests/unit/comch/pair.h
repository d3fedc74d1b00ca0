// Pair: a server and a client of one engine, for tests of what goes on between them.
#pragma once

#include <gtest/gtest.h>

#include "support/temp_dir.h"
#include "unit/comch/parties.h"

namespace comch::test {

struct Pair : testing::Test {
  void connect() {
    ASSERT_TRUE(server->start());
    ASSERT_TRUE(client.connect()) << client->failure().text;
    ASSERT_TRUE(until(*engine, [&] { return server.connections.size() == 1; }));
  }
  bool run_until(const std::function<bool()>& done) { return until(*engine, done); }
  bool run_until_idle(const Context& context) {
    return run_until([&] { return context.state() == ContextState::kIdle; });
  }
  SendTask& task(std::string_view text) {
    return *client->allocate_send(client.connection(), bytes(text)).value();
  }
  // Fills the server's queue, which nobody empties.
  int fill() {
    server.connection().pause();
    int sent = 0;
    while (client.connection().try_send(bytes("filler"))) ++sent;
    return sent;
  }

  RuntimeDirectory runtime;
  std::unique_ptr<ProgressEngine> engine = ProgressEngine::create().value();
  ServerParty server{*engine};
  ClientParty client{*engine};
};

// The same, connected from the beginning.
struct ConnectedPair : Pair {
  ConnectedPair() { connect(); }
};

}  // namespace comch::test
