// bulk_producer: sends a file to bulk_consumer, through a producer, without a copy of its own:
// each piece is read from the file into the very buffer that the consumer has posted.
//
//   bulk_producer --name bulk --file original.bin
#include <comch/comch.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>

#include "options.h"

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

class Upload {
 public:
  Upload(comch::ProgressEngine& engine, comch::Client& client) : engine_(engine), client_(client) {}

  // Until the server has said which consumer to send to.
  comch::Status connect() {
    auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    auto thanked = [this](comch::Connection&, std::span<const std::byte> message) {
      receipt_.emplace(reinterpret_cast<const char*>(message.data()), message.size());
      return comch::Receipt::kTaken;
    };
    auto appeared = [this](comch::Connection&, comch::ConsumerId id) { consumer_ = id; };
    auto expired = [](comch::Connection&, comch::ConsumerId) {};
    if (auto s = client_.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = client_.on_message(thanked); !s) return s;
    if (auto s = client_.on_consumer(appeared, expired); !s) return s;
    if (auto s = engine_.connect(client_); !s) return s;
    if (auto s = client_.start(); !s) return std::unexpected(s.error());
    return wait_for([this] { return consumer_.has_value(); });
  }

  comch::Status start_producer() {
    auto connection = client_.connection();
    if (!connection) return std::unexpected(connection.error());
    auto producer = comch::Producer::create(**connection);
    if (!producer) return std::unexpected(producer.error());
    producer_ = std::move(*producer);
    auto free_task = [](comch::ProducerTask& task) { std::ignore = task.free(); };
    if (auto s = producer_->configure_send(1, free_task, free_task); !s) return s;
    if (auto s = engine_.connect(*producer_); !s) return s;
    if (auto s = producer_->start(); !s) return std::unexpected(s.error());
    return {};
  }

  comch::Status send(std::ifstream& file) {
    for (;;) {
      auto loan = next_buffer();
      if (!loan) return std::unexpected(loan.error());
      file.read(reinterpret_cast<char*>(loan->room.data()),
                static_cast<std::streamsize>(loan->room.size()));
      const auto size = static_cast<std::size_t>(file.gcount());
      // The end of the file is a message without data.
      if (auto sent = producer_->commit(*loan, size); !sent) return sent;
      if (size == 0) return {};
    }
  }

  // How many bytes the consumer says it has.
  comch::Result<std::string> receipt() {
    if (auto s = wait_for([this] { return receipt_.has_value(); }); !s) {
      return std::unexpected(s.error());
    }
    return *receipt_;
  }

  comch::Status disconnect() {
    if (auto s = stop(*producer_); !s) return s;
    if (auto s = comch::Producer::destroy(producer_); !s) return s;
    return stop(client_);
  }

 private:
  // A buffer that the consumer has posted, as soon as there is one.
  comch::Result<comch::Loan> next_buffer() {
    for (;;) {
      auto loan = producer_->reserve(*consumer_);
      if (loan || loan.error().code != comch::Errc::again) return loan;
      // Wakes the engine when something is posted.
      if (auto s = producer_->request_space(*consumer_); !s) return std::unexpected(s.error());
      engine_.wait(100ms);
    }
  }

  template <class Condition>
  comch::Status wait_for(Condition done) {
    while (!done()) {
      if (client_.state() == comch::ContextState::kIdle) {
        return std::unexpected(client_.failure().error);
      }
      engine_.wait(100ms);
    }
    return {};
  }

  comch::Status stop(comch::Context& context) {
    if (auto s = context.stop(); !s) return std::unexpected(s.error());
    while (context.state() != comch::ContextState::kIdle) engine_.wait(100ms);
    return {};
  }

  comch::ProgressEngine& engine_;
  comch::Client& client_;
  std::optional<comch::ConsumerId> consumer_;
  std::unique_ptr<comch::Producer> producer_;
  std::optional<std::string> receipt_;
};

int fail(const comch::Error& error) {
  std::cerr << "bulk_producer: " << comch::describe(error) << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"--name", "--file"});
  const std::string name = options.text("--name", "bulk");
  const std::string path = options.text("--file", "original.bin");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "bulk_producer: " << path << " cannot be read\n";
    return 1;
  }

  auto device = comch::Device::open_first(comch::Side::kHost);
  if (!device) return fail(device.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto client = comch::Client::create(*device, name);
  if (!client) return fail(client.error());

  Upload upload(**engine, **client);
  if (auto connected = upload.connect(); !connected) return fail(connected.error());
  if (auto started = upload.start_producer(); !started) return fail(started.error());
  const auto begin = Clock::now();
  if (auto sent = upload.send(file); !sent) return fail(sent.error());
  auto receipt = upload.receipt();
  if (!receipt) return fail(receipt.error());
  const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
  std::cout << *receipt << " bytes in " << took.count() << " ms\n";
  if (auto done = upload.disconnect(); !done) return fail(done.error());
  return 0;
}
