// Session: configures a client, waits for its connection, and ends it.
#include "tool/session.h"

#include <fmt/format.h>

#include <chrono>
#include <tuple>
#include <utility>

#include "tool/fabric.h"

namespace comch::tool {

Outcome<Session> Session::open(Loop& loop, const CommonOptions& common, const std::string& server,
                               Handlers handlers, Loop::Deadline deadline) {
  auto device = open_client_device(common);
  if (!device) return std::unexpected(device.error());
  auto client = Client::create(*device, server);
  if (!client) {
    return complain(fmt::format("cannot make a client of \"{}\"", server), client.error());
  }
  Session session(loop, server, std::move(*client));
  if (auto done = session.configure(common, std::move(handlers)); !done) {
    return std::unexpected(done.error());
  }
  if (auto done = session.start(deadline); !done) return std::unexpected(done.error());
  return session;
}

Outcome<> Session::configure(const CommonOptions& common, Handlers handlers) {
  if (!handlers.on_message) {
    handlers.on_message = [](Connection&, std::span<const std::byte>) { return Receipt::kTaken; };
  }
  auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  Status status = client_->set_max_message_size(common.max_message_size);
  if (!status) {
    return complain(fmt::format("cannot use messages of up to {} bytes", common.max_message_size),
                    status.error());
  }
  // The tool sends with try_send(), which needs no task; one is the least there can be.
  status = client_->configure_send(1, free_task, free_task);
  if (status) status = client_->on_message(std::move(handlers.on_message));
  if (status && handlers.on_space) status = client_->on_space(std::move(handlers.on_space));
  client_->on_state_changed([stood = stood_.get()](Context&, ContextState, ContextState now) {
    if (now == ContextState::kRunning) *stood = true;
  });
  if (status) status = loop_->engine().connect(*client_);
  if (!status) return complain("cannot configure the client", status.error());
  return {};
}

Outcome<> Session::start(Loop::Deadline deadline) {
  const std::string what = fmt::format("cannot connect to \"{}\"", server_);
  if (auto state = client_->start(); !state) return complain(what, state.error());
  // The server may have had its say and be gone again before this is asked.
  const auto settled = [&] { return *stood_ || client_->state() == ContextState::kIdle; };
  switch (loop_->run_until(settled, deadline)) {
    case Wake::kDone:
      break;
    case Wake::kTimeout:
      return complain(what, Error{.code = Errc::time_out});
    case Wake::kInterrupted:
      return complain(what + ": interrupted");
  }
  if (!*stood_) return complain(what, client_->failure());
  return {};
}

Outcome<> Session::loss() const {
  const Failure& failure = client_->failure();
  if (alive() || failure.error.code != Errc::connection_reset) return {};
  return complain(fmt::format("lost \"{}\"", server_), failure);
}

Outcome<> Session::close() {
  if (client_->state() == ContextState::kRunning) {
    if (auto state = client_->stop(); !state) {
      return complain(fmt::format("cannot disconnect from \"{}\"", server_), state.error());
    }
  }
  const auto idle = [&] { return client_->state() == ContextState::kIdle; };
  if (!loop_->take_leave(idle)) {
    return complain(fmt::format("\"{}\" did not take its last messages", server_));
  }
  return {};
}

}  // namespace comch::tool
