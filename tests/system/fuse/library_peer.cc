// LibraryServer and LibraryClient: what their processes do.
#include "library_peer.h"

#include <grp.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <tuple>

#include "must.h"

namespace comch::test {
namespace {

using std::chrono::milliseconds;

void free_task(SendTask& task) { std::ignore = task.free(); }

// Back to where it came from; kept while there is no room.
Receipt echo(Connection& connection, std::span<const std::byte> message) {
  const Status sent = connection.try_send(message);
  if (sent || sent.error().code != Errc::again) return Receipt::kTaken;
  connection.request_space();
  return Receipt::kKeep;
}

void resume(Connection& connection) { connection.resume(); }

volatile std::sig_atomic_t told_to_end = 0;

// Ends `server` in order, which takes its socket away.
int say_good_bye(ProgressEngine& engine, Server& server) {
  std::ignore = server.stop();
  for (const Deadline deadline; server.state() != ContextState::kIdle && !deadline.passed();)
    engine.wait(milliseconds(10), {});
  return 0;
}

int serve(const std::string& name, const LibraryServer::Options& options, const Gate& ready) {
  if (options.uid != 0) become_user(options.uid, options.uid);
  auto engine = ProgressEngine::create().value();
  auto device = Device::open_first(Side::kDpu).value();
  auto server = Server::create(device, Representor::open_first(device).value(), name).value();
  must(server->set_access(options.access));
  must(server->configure_send(1, free_task, free_task));
  must(server->on_message(echo));
  must(server->on_space(resume));
  must(server->on_connection([](Connection&, bool) {}, [](Connection&, bool) {}));
  must(engine->connect(*server));
  if (auto started = server->start(); !started) throw std::runtime_error(describe(started.error()));
  std::signal(SIGTERM, [](int) { told_to_end = 1; });
  ready.open();
  while (told_to_end == 0) engine->wait(milliseconds(10), {});
  return say_good_bye(*engine, *server);
}

int why(const Client& client) {
  switch (client.failure().error.code) {
    case Errc::authentication:
    case Errc::connection_aborted:
      return LibraryClient::kRefused;
    case Errc::not_found:
      return LibraryClient::kNotFound;
    default:
      std::cerr << client.failure().text << '\n';
      return LibraryClient::kFailed;
  }
}

void say(ProgressEngine& engine, Client& client, const std::string& message) {
  for (;;) {
    const Status sent = client.connection().value()->try_send(std::as_bytes(std::span(message)));
    if (sent) return;
    if (sent.error().code != Errc::again) must(sent);
    engine.wait(milliseconds(1), {});
  }
}

int talk(const std::string& name, const LibraryClient::Options& options, const Gate& ready) {
  if (options.uid != 0) become_user(options.uid, options.gid);
  auto engine = ProgressEngine::create().value();
  auto client = Client::create(Device::open_first(Side::kHost).value(), name).value();
  must(client->configure_send(1, free_task, free_task));
  must(client->on_message([&](Connection& connection, std::span<const std::byte> message) {
    return options.echoes ? echo(connection, message) : Receipt::kTaken;
  }));
  must(client->on_space(resume));
  must(engine->connect(*client));
  if (auto started = client->start(); !started) throw std::runtime_error(describe(started.error()));
  while (client->state() == ContextState::kStarting) engine->wait(milliseconds(100));
  if (client->state() != ContextState::kRunning) return why(*client);
  for (const std::string& message : options.sends) say(*engine, *client, message);
  ready.open();
  while (client->state() != ContextState::kIdle) engine->wait(milliseconds(1000), {});
  return 0;
}

}  // namespace

void become_user(std::uint32_t uid, std::uint32_t gid) {
  if (::setgroups(0, nullptr) != 0 || ::setgid(gid) != 0 || ::setuid(uid) != 0)
    throw std::system_error(errno, std::generic_category(), "setuid");
}

LibraryServer::LibraryServer(const std::string& name, const Options& options)
    : process_(ChildProcess::run([&] { return serve(name, options, ready_); })) {}

LibraryServer::~LibraryServer() {
  process_.kill(SIGTERM);
  process_.kill(SIGCONT);  // It may have been stopped.
  process_.wait();
}

LibraryClient::LibraryClient(const std::string& server, const Options& options)
    : process_(ChildProcess::run([&] { return talk(server, options, ready_); })) {}

}  // namespace comch::test
