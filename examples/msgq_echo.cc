// msgq_echo: sends messages to a kernel on the (emulated) accelerator, which sends each back.
//
//   msgq_echo --count 5
//
// Two MsgQs, one in each direction; on the accelerator a kernel that is run for each arrival; on
// the CPU a Producer and a Consumer, as on a connection.
#include <comch/comch.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "options.h"

using namespace std::chrono_literals;

namespace {

constexpr comch::ConsumerId kFirst{1};  // The first consumer of every MsgQ.
constexpr std::uint32_t kDepth = 16;

int fail(const comch::Error& error) {
  std::cerr << "msgq_echo: " << comch::describe(error) << '\n';
  return 1;
}

// What the kernel knows: the accelerator's ends of both queues.
struct Echo {
  std::unique_ptr<comch::dpa::ConsumerCompletion> arrivals;
  std::unique_ptr<comch::dpa::ProducerCompletion> completions;
  std::unique_ptr<comch::dpa::Consumer> consumer;
  std::unique_ptr<comch::dpa::Producer> producer;

  // One run: everything that has arrived goes back, and its receives are posted again.
  void run(comch::dpa::Run& run) const {
    std::uint32_t count = 0;
    while (const comch::dpa::ReceiveElement* message = arrivals->get_completion()) {
      if (auto s = producer->post_immediate(kFirst, message->immediate); !s) {
        return run.accelerator().report_failure(s.error());
      }
      ++count;
    }
    std::ignore = arrivals->acknowledge(count);
    std::ignore = arrivals->request_notification();
    std::ignore = consumer->ack(count);
  }
};

comch::Status start_echo(comch::dpa::Accelerator& accelerator, comch::dpa::Thread& thread,
                         comch::MsgQ& down, comch::MsgQ& up, Echo& echo) {
  auto arrivals = comch::dpa::ConsumerCompletion::create();
  if (!arrivals) return std::unexpected(arrivals.error());
  auto completions = comch::dpa::ProducerCompletion::create(accelerator, kDepth);
  if (!completions) return std::unexpected(completions.error());
  auto consumer = comch::dpa::Consumer::create(down);
  if (!consumer) return std::unexpected(consumer.error());
  auto producer = comch::dpa::Producer::create(up);
  if (!producer) return std::unexpected(producer.error());
  echo = {std::move(*arrivals), std::move(*completions), std::move(*consumer),
          std::move(*producer)};

  if (auto s = thread.set_kernel([&echo](comch::dpa::Run& run) { echo.run(run); }); !s) return s;
  if (auto s = thread.start(); !s) return s;
  if (auto s = echo.arrivals->set_max_receives(kDepth); !s) return s;
  if (auto s = echo.arrivals->set_thread(thread); !s) return s;
  if (auto s = echo.arrivals->start(); !s) return s;
  if (auto s = echo.completions->start(); !s) return s;
  if (auto s = echo.consumer->set_max_receives(kDepth); !s) return s;
  if (auto s = echo.consumer->set_completion(*echo.arrivals, 0); !s) return s;
  if (auto s = echo.consumer->start(); !s) return s;
  if (auto s = echo.consumer->ack(kDepth); !s) return s;
  if (auto s = echo.producer->set_max_sends(kDepth); !s) return s;
  if (auto s = echo.producer->set_completion(*echo.completions); !s) return s;
  if (auto s = echo.producer->start(); !s) return s;
  return thread.run();
}

// The other way round.
void stop_echo(comch::dpa::Thread& thread, Echo& echo) {
  std::ignore = thread.stop();
  std::ignore = echo.producer->stop();
  std::ignore = echo.consumer->stop();
  std::ignore = echo.completions->stop();
  std::ignore = echo.arrivals->stop();
  echo = {};
}

comch::Result<std::unique_ptr<comch::MsgQ>> open_queue(
    const std::shared_ptr<comch::Device>& device, comch::dpa::Accelerator& accelerator,
    comch::Status (comch::MsgQ::*which_end)(comch::dpa::Accelerator&)) {
  auto queue = comch::MsgQ::create(device);
  if (!queue) return queue;
  if (auto s = ((**queue).*which_end)(accelerator); !s) return std::unexpected(s.error());
  if (auto s = (*queue)->start(); !s) return std::unexpected(s.error());
  return queue;
}

void show(comch::ReceiveTask& task) {
  const auto answer = task.immediate();
  std::cout << std::string_view(reinterpret_cast<const char*>(answer.data()), answer.size())
            << std::endl;
  std::ignore = task.free();
}

// Sends `count` messages, one by one, and waits for each to come back.
comch::Status talk(comch::ProgressEngine& engine, comch::Producer& producer,
                   comch::Consumer& consumer, int count) {
  auto free_send = [](comch::ProducerTask& task) { std::ignore = task.free(); };
  auto free_receive = [](comch::ReceiveTask& task) { std::ignore = task.free(); };
  if (auto s = producer.configure_send(1, free_send, free_send); !s) return s;
  if (auto s = consumer.configure_receive(1, show, free_receive); !s) return s;
  if (auto s = engine.connect(producer); !s) return s;
  if (auto s = engine.connect(consumer); !s) return s;
  if (auto s = consumer.start(); !s) return std::unexpected(s.error());
  if (auto s = producer.start(); !s) return std::unexpected(s.error());
  for (int n = 1; n <= count; ++n) {
    const std::string text = "message " + std::to_string(n);
    auto receive = consumer.allocate_receive(nullptr);
    if (!receive) return std::unexpected(receive.error());
    if (auto s = (*receive)->submit(); !s) return s;
    auto send = producer.allocate_send(nullptr, std::as_bytes(std::span(text)), kFirst);
    if (!send) return std::unexpected(send.error());
    if (auto s = (*send)->submit(); !s) return s;
    while (consumer.tasks_in_flight() + producer.tasks_in_flight() != 0) engine.wait(100ms);
  }
  std::ignore = producer.stop();
  std::ignore = consumer.stop();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"--count"});
  auto device = comch::Device::open_first(comch::Side::kHost);
  if (!device) return fail(device.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto accelerator = comch::dpa::Accelerator::create(*device);
  if (!accelerator) return fail(accelerator.error());
  if (auto s = (*accelerator)->start(); !s) return fail(s.error());
  auto thread = comch::dpa::Thread::create(**accelerator);
  if (!thread) return fail(thread.error());
  auto down = open_queue(*device, **accelerator, &comch::MsgQ::set_accelerator_consumer);
  if (!down) return fail(down.error());
  auto up = open_queue(*device, **accelerator, &comch::MsgQ::set_accelerator_producer);
  if (!up) return fail(up.error());

  auto producer = comch::Producer::create(**down);
  if (!producer) return fail(producer.error());
  auto consumer = comch::Consumer::create(**up);
  if (!consumer) return fail(consumer.error());

  Echo echo;
  if (auto s = start_echo(**accelerator, **thread, **down, **up, echo); !s) return fail(s.error());
  const auto talked = talk(**engine, **producer, **consumer, options.number("--count", 5));
  stop_echo(**thread, echo);  // Also when the talk went wrong: the kernel uses what goes now.
  if (!talked) return fail(talked.error());
  if (auto s = (*accelerator)->failure(); !s) return fail(s.error());
  return 0;
}
