// Partner: see partner.h.
#include "system/fast/partner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace comch::test {

Partner::Partner(Role role, const Settings& settings) : role_(role) {
  if (role == Role::kServer) {
    server_ = std::make_unique<ServerParty>(*engine_, settings);
  } else {
    client_ = std::make_unique<ClientParty>(*engine_, settings);
  }
}

Partner::~Partner() {
  if (client_) {
    std::ignore = (*client_)->stop();
    EXPECT_TRUE(client_->run_until_idle());
    return;
  }
  EXPECT_TRUE(run_until([&] { return server_->connections.empty(); })) << "its client stays";
  std::ignore = (*server_)->stop();
  EXPECT_TRUE(run_until_idle(*server_->server));
}

Diary& Partner::diary() {
  if (server_) return *server_;
  return *client_;
}

Connection& Partner::connection() {
  return server_ ? server_->connection() : client_->connection();
}

void Partner::start() { (*server_)->start().value(); }

bool Partner::meet() {
  if (client_) return client_->connect();
  return run_until([&] { return !server_->connections.empty(); });
}

bool Partner::run_until(const std::function<bool()>& done, const Deadline& deadline) {
  return until(*engine_, done, deadline);
}

bool Partner::run_until_idle(const Context& context) {
  return run_until([&] { return context.state() == ContextState::kIdle; });
}

std::optional<ConsumerId> Partner::consumer(std::size_t n) {
  if (!run_until([&] { return diary().consumers.size() > n; })) return std::nullopt;
  return diary().consumers[n];
}

bool Partner::agree(std::string_view word, const Deadline& deadline) {
  if (!run_until([&] { return connection().try_send(bytes(word)).has_value(); }, deadline)) {
    return false;
  }
  std::vector<std::string>& heard = diary().received;
  const auto said = [&] { return std::ranges::find(heard, word) != heard.end(); };
  if (!run_until(said, deadline)) return false;
  heard.erase(std::ranges::find(heard, word));
  return true;
}

bool Partner::serve(const Gate& serving) {
  start();
  serving.open();
  return meet();
}

namespace {

int be_client(const Gate& serving, const std::function<void(Partner&)>& body,
              const Settings& settings) {
  EXPECT_TRUE(serving.wait());
  Partner partner(Partner::Role::kClient, settings);
  EXPECT_TRUE(partner.meet()) << partner.client()->failure().text;
  if (!testing::Test::HasFailure()) body(partner);
  return 0;
}

}  // namespace

ChildProcess client_process(const Gate& serving, const std::function<void(Partner&)>& body,
                            const Settings& settings) {
  return ChildProcess::run([&] { return be_client(serving, body, settings); });
}

void as_two(const std::function<void(Partner&)>& body, const std::function<void()>& before,
            const Settings& settings) {
  const Gate serving;
  auto other = ChildProcess::run([&] {
    before();
    return be_client(serving, body, settings);
  });
  {
    Partner partner(Partner::Role::kServer, settings);
    EXPECT_TRUE(partner.serve(serving));
    if (!testing::Test::HasFailure()) body(partner);
  }
  EXPECT_EQ(other.wait(), Exit::with(0));
}

}  // namespace comch::test
