// ping_server: sends every message back to the client it came from.
//
//   ping_server --name echo         Ctrl-C ends it
//
// Its clients may be ping_client, `comch connect echo`, or a directory of the file tree;
// examples/README.md shows each.
#include <comch/comch.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <string>
#include <tuple>

#include "options.h"

using namespace std::chrono_literals;

namespace {

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) { interrupted = 1; }

int fail(const comch::Error& error) {
  std::cerr << "ping_server: " << comch::describe(error) << '\n';
  return 1;
}

// The message goes back at once. When its client has no room for it, it stays first in
// its queue, and only this client waits.
comch::Receipt echo(comch::Connection& client, std::span<const std::byte> message) {
  comch::Status sent = client.try_send(message);
  if (sent || sent.error().code != comch::Errc::again) return comch::Receipt::kTaken;
  client.request_space();
  return comch::Receipt::kKeep;
}

void go_on(comch::Connection& client) { client.resume(); }

void greet(comch::Connection& client, bool successful) {
  if (successful) std::cout << "process " << client.peer().pid << " has come" << std::endl;
}

void wave(comch::Connection& client, bool) {
  std::cout << "process " << client.peer().pid << " has left"
            << (client.loss() ? " without a word" : "") << std::endl;
}

comch::Status start(comch::ProgressEngine& engine, comch::Server& server) {
  auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
  if (auto s = server.configure_send(1, free_task, free_task); !s) return s;
  if (auto s = server.on_message(echo); !s) return s;
  if (auto s = server.on_space(go_on); !s) return s;
  if (auto s = server.on_connection(greet, wave); !s) return s;
  if (auto s = engine.connect(server); !s) return s;
  if (auto s = server.start(); !s) return std::unexpected(s.error());
  return {};
}

comch::Status stop(comch::ProgressEngine& engine, comch::Server& server) {
  if (auto s = server.stop(); !s) return std::unexpected(s.error());
  while (server.state() != comch::ContextState::kIdle) engine.wait(100ms);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"--name"});
  const std::string name = options.text("--name", "echo");
  for (int signal : {SIGINT, SIGTERM}) std::ignore = std::signal(signal, interrupt);

  auto device = comch::Device::open_first(comch::Side::kDpu);
  if (!device) return fail(device.error());
  auto representor = comch::Representor::open_first(*device);
  if (!representor) return fail(representor.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto server = comch::Server::create(*device, *representor, name);
  if (!server) return fail(server.error());

  if (auto started = start(**engine, **server); !started) return fail(started.error());
  std::cout << "answering as \"" << name << '"' << std::endl;
  while (!interrupted) (*engine)->wait(100ms);
  if (auto stopped = stop(**engine, **server); !stopped) return fail(stopped.error());
  return 0;
}
