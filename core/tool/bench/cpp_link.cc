// CppLink: a client or a server of the C++ API.
#include "tool/bench/cpp_link.h"

#include <tuple>
#include <utility>

#include "comch/comch.h"
#include "tool/bench/cpp_lane.h"
#include "tool/fabric.h"

namespace comch::tool {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// What clients and servers have in common.
class CppLink : public Link {
 public:
  Outcome<> say(std::span<const std::byte> message) override;
  void progress() override { engine_->progress(); }
  void wait(std::chrono::nanoseconds timeout, std::chrono::nanoseconds spin) override {
    engine_->wait(timeout, spin);
  }
  Outcome<std::unique_ptr<Lane>> make_lane(Lane::Depth depth) override {
    return CppLane::create(*connection_, device_, plan_, depth);
  }

 protected:
  explicit CppLink(const FastPlan& plan) : plan_(plan) {}

  Outcome<> make_engine();
  template <class End>
  Status configure(End& end);
  Outcome<> stop(Context& end);

  const FastPlan& plan_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<ProgressEngine> engine_;
  Connection* connection_ = nullptr;
};

Outcome<> CppLink::make_engine() {
  auto engine = ProgressEngine::create();
  if (!engine) return complain("cannot make a progress engine", engine.error());
  engine_ = std::move(*engine);
  return {};
}

template <class End>
Status CppLink::configure(End& end) {
  const auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  Status status = end.configure_send(1, free_task, free_task);
  if (status) {
    status = end.on_message([this](Connection&, std::span<const std::byte> message) {
      was_said(message);
      return Receipt::kTaken;
    });
  }
  if (status) {
    status = end.on_consumer([this](Connection&, ConsumerId id) { appeared(id); },
                             [this](Connection&, ConsumerId id) { expired(id); });
  }
  if (status) status = engine_->connect(end);
  return status;
}

Outcome<> CppLink::say(std::span<const std::byte> message) {
  const Status sent = connection_->try_send(message);
  if (!sent) return complain("cannot talk with the other end", sent.error());
  return {};
}

Outcome<> CppLink::stop(Context& end) {
  if (auto state = end.stop(); !state) return complain("cannot disconnect", state.error());
  const auto deadline = Clock::now() + kPatience;
  while (end.state() != ContextState::kIdle) {
    engine_->wait(milliseconds(10));
    if (Clock::now() > deadline) return complain("the other end does not let go");
  }
  return {};
}

class CppClientLink final : public CppLink {
 public:
  explicit CppClientLink(const FastPlan& plan) : CppLink(plan) {}

  Outcome<> connect(const std::string& server);
  // The client itself runs on while it has producers and consumers.
  bool connected() const override {
    return client_->state() == ContextState::kRunning &&
           connection_->state() == ConnectionState::kEstablished;
  }
  Outcome<> close() override { return stop(*client_); }

 private:
  std::unique_ptr<Client> client_;
};

Outcome<> CppClientLink::connect(const std::string& server) {
  auto device = open_client_device(plan_.common);
  if (!device) return std::unexpected(device.error());
  device_ = *device;
  if (auto made = make_engine(); !made) return made;
  auto client = Client::create(device_, own_server(*device_, server));
  if (!client) return complain("cannot make a client", client.error());
  client_ = std::move(*client);
  if (const Status status = configure(*client_); !status) {
    return complain("cannot configure the client", status.error());
  }
  if (auto state = client_->start(); !state) return complain("cannot connect", state.error());
  while (client_->state() == ContextState::kStarting) engine_->wait(milliseconds(10));
  auto connection = client_->connection();
  if (!connection) return complain("cannot connect", client_->failure());
  connection_ = *connection;
  return {};
}

class CppServerLink final : public CppLink {
 public:
  explicit CppServerLink(const FastPlan& plan) : CppLink(plan) {}

  Outcome<> listen(const std::string& name);
  bool connected() const override { return connection_ != nullptr && !client_left_; }
  Outcome<> close() override { return stop(*server_); }

 private:
  std::unique_ptr<Server> server_;
  bool client_left_ = false;
};

Outcome<> CppServerLink::listen(const std::string& name) {
  auto place = open_server_place(plan_.common);
  if (!place) return std::unexpected(place.error());
  device_ = place->device;
  if (auto made = make_engine(); !made) return made;
  auto server = Server::create(place->device, place->representor, name);
  if (!server) return complain("cannot make the other end's server", server.error());
  server_ = std::move(*server);
  Status status =
      server_->on_connection([this](Connection& client, bool) { connection_ = &client; },
                             [this](Connection&, bool) { client_left_ = true; });
  if (status) status = configure(*server_);
  if (!status) return complain("cannot configure the other end", status.error());
  if (auto state = server_->start(); !state) {
    return complain("cannot start the other end", state.error());
  }
  return {};
}

}  // namespace

Outcome<std::unique_ptr<Link>> connect_cpp(const FastPlan& plan, const std::string& server) {
  auto link = std::make_unique<CppClientLink>(plan);
  if (auto connected = link->connect(server); !connected) {
    return std::unexpected(connected.error());
  }
  return link;
}

Outcome<std::unique_ptr<Link>> listen_cpp(const FastPlan& plan, const std::string& name) {
  auto link = std::make_unique<CppServerLink>(plan);
  if (auto listening = link->listen(name); !listening) return std::unexpected(listening.error());
  return link;
}

}  // namespace comch::tool
