// A server and a client of the RDMA carrier, on two machines of a FakeFabric, with the owners that
// the engine would be.
//
//   RdmaParties parties;
//   parties.listen();  parties.connect();  parties.run();
//   parties.client.channel->send(bytes("hello"));
//   parties.server.take()                    // "hello"
//
// Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.h"
#include "support/deadline.h"
#include "support/fake_verbs.h"
#include "support/temp_dir.h"
#include "transport/rdma/carrier.h"
#include "unit/transport/rdma/hand_client.h"
#include "unit/transport/shm/fake_reactor.h"

namespace comch::test {

// One end of a connection, as the engine would own it.
struct RdmaEnd final : transport::ChannelOwner {
  void on_wake() override { ++wakes; }
  void on_peer_end() override { ++ends; }
  void on_consumer(std::uint32_t id, bool appeared) override { then_consumer(id, appeared); }

  void own(std::unique_ptr<transport::Channel> c) {
    channel = std::move(c);
    channel->attach(*this);
  }
  // The next message, taken.
  std::optional<std::string> take() {
    const auto message = channel->look();
    if (!message) return std::nullopt;
    std::string text(reinterpret_cast<const char*>(message->data()), message->size());
    channel->pop();
    channel->flush();
    return text;
  }
  void goodbye() {
    EXPECT_TRUE(channel->settle());
    channel->close(true);
  }

  std::unique_ptr<transport::Channel> channel;
  std::function<void(std::uint32_t, bool)> then_consumer = [](std::uint32_t, bool) {};
  int wakes = 0;
  int ends = 0;
};

struct RdmaServer final : transport::ListenerOwner {
  std::optional<transport::Refusal> admit_user(const PeerIdentity& peer,
                                               std::span<const std::uint32_t> /*groups*/) override {
    asked = peer;
    return user_refusal;
  }
  std::optional<transport::Refusal> admit(const transport::Request& r,
                                          std::span<const std::uint32_t> /*groups*/) override {
    request = r;
    return refusal;
  }
  void on_channel(std::unique_ptr<transport::Channel> channel,
                  const transport::Request& r) override {
    request = r;
    ends.push_back(std::make_unique<RdmaEnd>());
    ends.back()->own(std::move(channel));
  }
  RdmaEnd& end() { return *ends.back(); }

  std::optional<transport::Refusal> user_refusal;
  std::optional<transport::Refusal> refusal;
  PeerIdentity asked;
  transport::Request request;
  std::vector<std::unique_ptr<RdmaEnd>> ends;
  std::unique_ptr<transport::Listener> listener;
};

struct RdmaClient final : transport::ConnectorOwner {
  void on_channel(std::unique_ptr<transport::Channel> channel, const PeerIdentity& p) override {
    peer = p;
    connector.reset();
    end.own(std::move(channel));
  }
  void on_refused(const Error& e, std::string r) override {
    EXPECT_FALSE(error) << "told twice";
    error = e;
    reason = std::move(r);
    connector.reset();
  }
  bool connected() const { return end.channel != nullptr; }

  RdmaEnd end;
  PeerIdentity peer;
  std::optional<Error> error;
  std::string reason;
  std::unique_ptr<transport::Connector> connector;
};

struct RdmaParties {
  static constexpr const char* kClientHost = "10.0.0.1";
  static constexpr const char* kServerHost = "10.0.0.2";
  static constexpr std::uint64_t kDeadline_ns = 2'000'000'000;

  RdmaParties() {
    fabric.host(kClientHost);
    fabric.host(kServerHost);
  }

  Status listen(RdmaServer& who, const std::string& name = "echo") {
    transport::rdma::RdmaCarrier carrier(fabric.host(kServerHost), serving);
    auto made = carrier.listen(reactor,
                               {.server_name = name,
                                .representor = representor,
                                .limits = {message_size, queue},
                                .first_connection_id = 1,
                                .allowed_hosts = allowed},
                               who);
    if (!made) return std::unexpected(made.error());
    who.listener = std::move(*made);
    return {};
  }
  // Calls the server by hand and says `hello`. Answers what was said, as it was sent.
  std::vector<std::byte> greet(HandClient& hand, const wire::RemoteHello& hello) {
    hand.call(kServerHost, "echo");
    run();
    std::vector<std::byte> said = hand.say(hello);
    run();
    return said;
  }
  void call(RdmaClient& who, const std::string& name = "echo",
            const std::string& host = kClientHost) {
    transport::rdma::RdmaCarrier carrier(fabric.host(host), calling);
    who.connector = carrier
                        .connect(reactor,
                                 {.server_name = name,
                                  .representor = "",
                                  .limits = {client_message_size.value_or(message_size), queue},
                                  .acting = acting,
                                  .deadline_ns = reactor.now_ns() + kDeadline_ns,
                                  .host = remote},
                                 who)
                        .value();
  }
  // Until nobody has anything to do.
  void run() {
    reactor.pass(0);
    while (reactor.turn()) reactor.pass(0);
  }
  // The same, where another thread has something to do as well.
  bool run_until(const std::function<bool()>& done) {
    return eventually([&] {
      run();
      return done();
    });
  }
  void connect() {
    ASSERT_TRUE(listen(server));
    call(client);
    run();
    ASSERT_TRUE(client.connected()) << client.reason;
    ASSERT_EQ(server.ends.size(), 1U);
  }
  RdmaEnd& here() { return client.end; }
  RdmaEnd& there() { return server.end(); }

  RuntimeDirectory runtime;
  FakeReactor reactor;
  FakeFabric fabric;
  transport::rdma::Settings serving;
  transport::rdma::Settings calling;
  std::string representor = "function";
  std::vector<std::string> allowed{kClientHost};
  std::string remote = kServerHost;
  std::uint32_t message_size = 4080;
  std::optional<std::uint32_t> client_message_size;
  std::uint32_t queue = 64;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> acting;
  RdmaServer server;
  RdmaClient client;
};

}  // namespace comch::test
