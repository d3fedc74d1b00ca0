// ping_client: sends pings to a server that sends them back, and prints how long each took.
//
//   ping_client --name echo --count 5
//
// The server may be ping_server, `comch listen echo --echo`, or a directory of the file
// tree whose messages somebody sends back; examples/README.md shows each.
#include <comch/comch.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include "options.h"

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

namespace {

constexpr auto kAnswerTakes = 10s;  // At most; then the server does not answer.

int fail(const comch::Error& error) {
  std::cerr << "ping_client: " << comch::describe(error) << '\n';
  return 1;
}

// One ping at a time: what was sent, and whether it has come back.
class Pinger {
 public:
  Pinger(comch::ProgressEngine& engine, comch::Client& client) : engine_(engine), client_(client) {}

  comch::Status connect() {
    auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    auto hear = [this](comch::Connection&, std::span<const std::byte> message) {
      if (std::ranges::equal(message, std::as_bytes(std::span(ping_)))) answered_ = true;
      return comch::Receipt::kTaken;
    };
    if (auto s = client_.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = client_.on_message(hear); !s) return s;
    if (auto s = engine_.connect(client_); !s) return s;
    if (auto s = client_.start(); !s) return std::unexpected(s.error());
    while (client_.state() == comch::ContextState::kStarting) engine_.wait(100ms);
    if (client_.state() != comch::ContextState::kRunning) return lost();
    return {};
  }

  // Sends `text` and waits until it has come back; how long that took.
  comch::Result<Microseconds> ping(const std::string& text) {
    ping_ = text;
    answered_ = false;
    const auto begin = Clock::now();
    auto connection = client_.connection();
    if (!connection) return lost();
    auto sent = (*connection)->try_send(std::as_bytes(std::span(ping_)));
    if (!sent) return std::unexpected(sent.error());
    while (!answered_) {
      if (client_.state() != comch::ContextState::kRunning) return lost();
      if (Clock::now() > begin + kAnswerTakes) {
        return comch::fail(comch::Errc::time_out, "the server does not send pings back");
      }
      engine_.wait(100ms);
    }
    return Clock::now() - begin;
  }

  comch::Status disconnect() {
    if (auto s = client_.stop(); !s) return std::unexpected(s.error());
    while (client_.state() != comch::ContextState::kIdle) engine_.wait(100ms);
    return {};
  }

 private:
  std::unexpected<comch::Error> lost() const { return std::unexpected(client_.failure().error); }

  comch::ProgressEngine& engine_;
  comch::Client& client_;
  std::string ping_;
  bool answered_ = false;
};

void print_summary(std::vector<Microseconds> times) {
  if (times.empty()) return;
  std::ranges::sort(times);
  std::cout << times.size() << " pings came back: fastest " << times.front().count()
            << " us, median " << times[times.size() / 2].count() << " us, slowest "
            << times.back().count() << " us\n";
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"--name", "--count"});
  const std::string name = options.text("--name", "echo");
  const int count = options.number("--count", 5);

  auto device = comch::Device::open_first(comch::Side::kHost);
  if (!device) return fail(device.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto client = comch::Client::create(*device, name);
  if (!client) return fail(client.error());

  Pinger pinger(**engine, **client);
  if (auto connected = pinger.connect(); !connected) return fail(connected.error());
  std::vector<Microseconds> times;
  for (int i = 1; i <= count; ++i) {
    auto time = pinger.ping("ping " + std::to_string(i));
    if (!time) return fail(time.error());
    std::cout << "ping " << i << ": " << time->count() << " us" << std::endl;
    times.push_back(*time);
  }
  print_summary(std::move(times));
  if (auto done = pinger.disconnect(); !done) return fail(done.error());
  return 0;
}
