// uring_producer: sends numbered messages to a uring_collector.
//
//   uring_producer --name fan-in --messages 100000
//
// A few coroutines send side by side; what they send in one turn is published together.
#include <comch/comch.h>
#include <comch/uring/coroutine.h>
#include <comch/uring/ring.h>

#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include "options.h"
#include "uring_fan_in.h"

namespace {

namespace uring = comch::uring;
using namespace std::chrono_literals;

int fail(const comch::Error& error) {
  std::cerr << "uring_producer: " << comch::describe(error) << '\n';
  return 1;
}

uring::Task send_numbers(uring::AwaitableRing& ring, uring::Destination& to, Message message,
                         std::uint32_t count, int& failures) {
  for (; message.number < count; ++message.number) {
    const auto sent = co_await ring.send(to, std::as_bytes(std::span(&message, 1)));
    if (sent.res < 0) {
      ++failures;
      co_return;
    }
  }
}

class Link {
 public:
  Link(comch::ProgressEngine& engine, comch::Client& client) : engine_(engine), client_(client) {}

  // Until there is somebody to send to.
  comch::Status connect() {
    const auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    const auto ignore = [](comch::Connection&, std::span<const std::byte>) {
      return comch::Receipt::kTaken;
    };
    const auto appeared = [this](comch::Connection&, comch::ConsumerId id) { consumer_ = id; };
    if (auto s = client_.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = client_.on_message(ignore); !s) return s;
    if (auto s = client_.on_consumer(appeared, [](auto&, auto) {}); !s) return s;
    if (auto s = engine_.connect(client_); !s) return s;
    if (auto s = client_.start(); !s) return std::unexpected(s.error());
    while (consumer_ == comch::ConsumerId{}) {
      if (client_.state() == comch::ContextState::kIdle) {
        return std::unexpected(client_.failure().error);
      }
      engine_.wait(100ms);
    }
    return {};
  }
  comch::ConsumerId consumer() const { return consumer_; }

  comch::Status stop(comch::Context& context) {
    if (auto s = context.stop(); !s) return std::unexpected(s.error());
    while (context.state() != comch::ContextState::kIdle) engine_.wait(100ms);
    return {};
  }

 private:
  comch::ProgressEngine& engine_;
  comch::Client& client_;
  comch::ConsumerId consumer_{};
};

int produce(const Options& options) {
  const auto device = comch::Device::open_first(comch::Side::kHost);
  if (!device) return fail(device.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto client = comch::Client::create(*device, options.text("--name", "fan-in"));
  if (!client) return fail(client.error());
  Link link(**engine, **client);
  if (auto s = link.connect(); !s) return fail(s.error());

  auto ring = uring::Ring::create(**engine);
  if (!ring) return fail(ring.error());
  auto producer = comch::Producer::create(*(*client)->connection().value());
  if (!producer) return fail(producer.error());
  if (auto s = (*ring)->prepare(**producer); !s) return fail(s.error());
  if (auto s = (*engine)->connect(**producer); !s) return fail(s.error());
  if (auto s = (*producer)->start(); !s) return fail(s.error());
  const auto to = (*ring)->register_destination(**producer, link.consumer());
  if (!to) return fail(to.error());

  std::cout << "sending" << std::endl;
  // What every sender has its share of; the first ones have what is left over.
  const auto messages = static_cast<std::uint32_t>(options.number("--messages", 100'000));
  uring::AwaitableRing awaitable(**ring);
  int failures = 0;
  for (std::uint32_t n = 0; n < kSenders; ++n) {
    const std::uint32_t share = messages / kSenders + (n < messages % kSenders ? 1 : 0);
    send_numbers(awaitable, **to, {.sender = n, .number = 0}, share, failures);
  }
  while (awaitable.waiting() != 0) {
    if (auto turn = awaitable.turn(1s); !turn) return fail(turn.error());
  }
  if (failures != 0) return fail({comch::Errc::connection_reset, 0, "the collector has gone"});
  ring->reset();
  if (auto s = link.stop(**producer); !s) return fail(s.error());
  if (auto s = comch::Producer::destroy(*producer); !s) return fail(s.error());
  if (auto s = link.stop(**client); !s) return fail(s.error());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return produce(Options(argc, argv, {"--name", "--messages"})); }
