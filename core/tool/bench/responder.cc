// Responder: one server that serves until its client leaves.
#include "tool/bench/responder.h"

#include <chrono>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "comch/comch.h"
#include "tool/bench/placement.h"
#include "tool/fabric.h"

namespace comch::tool {
namespace {

class Responder {
 public:
  explicit Responder(const ResponderOptions& options) : options_(options) {}
  Responder(Responder&&) = delete;  // The handlers know where it lives.

  Outcome<> start(const std::string& name);
  Outcome<> serve();

 private:
  Receipt receive(Connection& from, std::span<const std::byte> message);

  const ResponderOptions& options_;
  std::unique_ptr<ProgressEngine> engine_;
  std::unique_ptr<Server> server_;
  bool client_left_ = false;
};

Outcome<> Responder::start(const std::string& name) {
  if (auto placed = run_on(options_.cpu); !placed) return placed;
  auto place = open_server_place(options_.common);
  if (!place) return std::unexpected(place.error());
  auto engine = ProgressEngine::create();
  if (!engine) return complain("cannot make a progress engine", engine.error());
  engine_ = std::move(*engine);
  auto server = Server::create(place->device, place->representor, name);
  if (!server) return complain("cannot make the other end's server", server.error());
  server_ = std::move(*server);

  auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  Status status = server_->set_max_message_size(options_.common.max_message_size);
  if (status) status = server_->configure_send(1, free_task, free_task);
  if (status) {
    status = server_->on_message([this](Connection& from, std::span<const std::byte> message) {
      return receive(from, message);
    });
  }
  if (status) status = server_->on_space([](Connection& connection) { connection.resume(); });
  if (status) {
    status = server_->on_connection([](Connection&, bool) {},
                                    [this](Connection&, bool) { client_left_ = true; });
  }
  if (status) status = engine_->connect(*server_);
  if (!status) return complain("cannot configure the other end", status.error());
  if (auto state = server_->start(); !state) {
    return complain("cannot start the other end", state.error());
  }
  return {};
}

Receipt Responder::receive(Connection& from, std::span<const std::byte> message) {
  if (options_.reply == Reply::kFencesOnly && !message.empty()) return Receipt::kTaken;
  const Status sent = from.try_send(message);
  if (sent || sent.error().code != Errc::again) return Receipt::kTaken;
  from.request_space();
  return Receipt::kKeep;
}

Outcome<> Responder::serve() {
  Turn turn(*engine_, options_.waiting);
  while (!client_left_) turn();
  if (auto state = server_->stop(); !state) {
    return complain("cannot stop the other end", state.error());
  }
  while (server_->state() != ContextState::kIdle) engine_->wait(std::chrono::milliseconds(10));
  return {};
}

}  // namespace

Outcome<> respond(const ResponderOptions& options, const std::string& name, const Ready& ready) {
  Responder responder(options);
  if (auto started = responder.start(name); !started) return started;
  ready();
  return responder.serve();
}

}  // namespace comch::tool
