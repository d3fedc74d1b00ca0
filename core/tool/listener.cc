// Listener: a server between its connections and standard input and output.
#include "tool/listener.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <tuple>
#include <utility>

#include "tool/fabric.h"

namespace comch::tool {

Listener::Listener(Loop& loop, const CommonOptions& common, const ListenOptions& options)
    : loop_(loop),
      common_(common),
      options_(options),
      printer_(options.format, options.tagged),
      input_(STDIN_FILENO, Input::Unit::kLine, common.max_message_size) {}

template <class... Parts>
void Listener::notice(const char* format, const Parts&... parts) const {
  if (!options_.quiet) tell(fmt::format(fmt::runtime(format), parts...));
}

Outcome<> Listener::run() {
  if (auto started = start(); !started) return started;
  watch_input();
  const auto deadline = options_.timeout_s
                            ? Loop::deadline_in(std::chrono::duration<double>(*options_.timeout_s))
                            : std::nullopt;
  const Wake why = loop_.run_until([this] { return over(); }, deadline);
  loop_.watch(-1, {}, {});
  auto stopped = stop();
  if (auto outcome = verdict(why); !outcome) return outcome;
  return stopped;
}

Outcome<> Listener::start() {
  auto place = open_server_place(common_);
  if (!place) return std::unexpected(place.error());
  const std::string what = fmt::format("cannot listen as \"{}\"", options_.name);
  auto server = Server::create(place->device, place->representor, options_.name);
  if (!server) return complain(what, server.error());
  server_ = std::move(*server);

  auto free_task = [](SendTask& task) { std::ignore = task.free(); };
  Status status = server_->set_max_message_size(common_.max_message_size);
  // Everything here is sent with try_send(); one task is the least there can be.
  if (status) status = server_->configure_send(1, free_task, free_task);
  if (status) {
    status = server_->on_message([this](Connection& from, std::span<const std::byte> message) {
      return receive(from, message);
    });
  }
  if (status) {
    status = server_->on_connection(
        [this](Connection& who, bool ok) {
          if (ok) connected(who);
        },
        [this](Connection& who, bool) { disconnected(who); });
  }
  if (status) status = server_->on_space([this](Connection& who) { space(who); });
  if (status) status = loop_.engine().connect(*server_);
  if (!status) return complain(what, status.error());
  if (auto state = server_->start(); !state) return complain(what, state.error());
  notice("listening as \"{}\" on {}\n", options_.name, place->representor->info().pci);
  return {};
}

Outcome<> Listener::stop() {
  if (running()) {
    if (auto state = server_->stop(); !state) {
      return complain(fmt::format("cannot stop \"{}\"", options_.name), state.error());
    }
  }
  const auto idle = [this] { return server_->state() == ContextState::kIdle; };
  if (!loop_.take_leave(idle)) {
    return complain("a client did not take its last messages");
  }
  return {};
}

Outcome<> Listener::verdict(Wake why) const {
  if (!so_far_) return so_far_;
  if (printer_.failed()) return printer_.outcome();
  if (why == Wake::kDone && !enough()) {
    return complain(fmt::format("\"{}\" has failed", options_.name), server_->failure());
  }
  if (options_.count && !enough()) {
    return complain(fmt::format("{} after {} of {} messages",
                                why == Wake::kTimeout ? "time is up" : "interrupted",
                                printer_.printed(), *options_.count));
  }
  return {};
}

// The answer goes out before the message counts, so that --count N leaves N answers.
Receipt Listener::receive(Connection& from, std::span<const std::byte> message) {
  if (enough()) return Receipt::kKeep;
  if (options_.echo) {
    const Status sent = from.try_send(message);
    if (!sent && sent.error().code == Errc::again) {
      from.request_space();
      return Receipt::kKeep;
    }
  }
  printer_.print(from.id(), message);
  return Receipt::kTaken;
}

void Listener::connected(Connection& connection) {
  connections_.push_back(&connection);
  notice("conn{} connected: pid {}, uid {}\n", static_cast<std::uint64_t>(connection.id()),
         connection.peer().pid, connection.peer().uid);
  send_lines();
}

void Listener::disconnected(Connection& connection) {
  std::erase(connections_, &connection);
  std::erase(lacking_, &connection);
  notice("conn{} {}\n", static_cast<std::uint64_t>(connection.id()),
         connection.loss() ? "was lost" : "disconnected");
  send_lines();
}

void Listener::space(Connection& connection) {
  if (connection.paused()) connection.resume();  // An echo waits for this.
  send_lines();
}

void Listener::watch_input() {
  loop_.watch(
      input_.fd(),
      [this] { return !connections_.empty() && lacking_.empty() && !input_.ended() && so_far_; },
      [this] { read_input(); });
}

void Listener::read_input() {
  so_far_ = input_.fill();
  if (so_far_) send_lines();
}

void Listener::send_lines() {
  for (;;) {
    send_line_to_those_who_lack_it();
    if (!lacking_.empty() || connections_.empty()) return;
    auto line = input_.next();
    if (!line) return;
    line_ = std::move(*line);
    lacking_ =
        options_.to == ListenOptions::To::kFirst ? std::vector{connections_.front()} : connections_;
  }
}

void Listener::send_line_to_those_who_lack_it() {
  std::erase_if(lacking_, [this](Connection* connection) {
    const Status sent = connection->try_send(std::as_bytes(std::span(line_)));
    if (sent || sent.error().code != Errc::again) return true;  // It has it, or is leaving.
    connection->request_space();
    return false;
  });
}

}  // namespace comch::tool
