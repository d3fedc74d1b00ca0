// bulk_consumer: receives a file from bulk_producer, through a consumer.
//
//   bulk_consumer --name bulk --file copy.bin
//
// The file comes in pieces, each straight into one of a few buffers that are posted again as
// soon as they are written out; a message without data is its end.
#include <comch/comch.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include "options.h"

using namespace std::chrono_literals;

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr std::uint32_t kPieces = 8;  // Posted at a time.

// The memory that the producer writes into.
class Buffers {
 public:
  comch::Status allocate(std::shared_ptr<comch::Device> device) {
    auto map = comch::MemoryMap::create();
    if (!map) return std::unexpected(map.error());
    map_ = std::move(*map);
    if (auto s = map_->allocate(kPieces * kPiece); !s) return s;
    // The other side may write into it: a consumer's memory has to say so.
    if (auto s = map_->set_permissions(comch::Access::kPciReadWrite); !s) return s;
    if (auto s = map_->add_device(std::move(device)); !s) return s;
    if (auto s = map_->start(); !s) return s;
    auto pool = comch::BufferPool::create(kPieces, kPiece, *map_);
    if (!pool) return std::unexpected(pool.error());
    pool_ = std::move(*pool);
    return pool_->start();
  }
  comch::MemoryMap& map() { return *map_; }
  comch::Result<comch::Buffer*> get() { return pool_->get(); }

 private:
  std::unique_ptr<comch::MemoryMap> map_;
  std::unique_ptr<comch::BufferPool> pool_;
};

// One file, from the first client that comes.
class Download {
 public:
  Download(comch::ProgressEngine& engine, comch::Server& server, Buffers& buffers,
           std::ofstream& file)
      : engine_(engine), server_(server), buffers_(buffers), file_(file) {}

  comch::Status start() {
    auto free_task = [](comch::SendTask& task) { std::ignore = task.free(); };
    auto ignore = [](comch::Connection&, std::span<const std::byte>) {
      return comch::Receipt::kTaken;
    };
    auto came = [this](comch::Connection& client, bool successful) {
      if (successful) receive_from(client);
    };
    auto left = [this](comch::Connection&, bool) { client_has_left_ = true; };
    auto nothing = [](comch::Connection&, comch::ConsumerId) {};
    if (auto s = server_.set_max_clients(1); !s) return s;
    if (auto s = server_.configure_send(1, free_task, free_task); !s) return s;
    if (auto s = server_.on_message(ignore); !s) return s;
    if (auto s = server_.on_connection(came, left); !s) return s;
    if (auto s = server_.on_consumer(nothing, nothing); !s) return s;
    if (auto s = engine_.connect(server_); !s) return s;
    if (auto s = server_.start(); !s) return std::unexpected(s.error());
    return {};
  }

  // Until the file is here and its sender has been told, or has gone.
  comch::Status finish() {
    while (!client_has_left_ && !failure_) {
      engine_.wait(100ms);
      if (complete_ && consumer_->state() == comch::ContextState::kRunning) {
        std::ignore = consumer_->stop();
      }
    }
    if (failure_) return std::unexpected(*failure_);
    if (!complete_) return comch::fail(comch::Errc::connection_reset, "the file is not complete");
    return {};
  }

  comch::Status stop() {
    if (auto s = comch::Consumer::destroy(consumer_); !s) return s;
    if (auto s = server_.stop(); !s) return std::unexpected(s.error());
    while (server_.state() != comch::ContextState::kIdle) engine_.wait(100ms);
    return {};
  }

  std::uint64_t bytes() const { return bytes_; }

 private:
  void receive_from(comch::Connection& client) {
    if (auto s = make_consumer(client); !s) failure_ = s.error();
  }

  comch::Status make_consumer(comch::Connection& client) {
    auto consumer = comch::Consumer::create(client, buffers_.map());
    if (!consumer) return std::unexpected(consumer.error());
    consumer_ = std::move(*consumer);
    auto received = [this](comch::ReceiveTask& task) { take(task); };
    auto returned = [](comch::ReceiveTask& task) { let_go(task); };
    if (auto s = consumer_->configure_receive(kPieces, received, returned); !s) return s;
    consumer_->on_state_changed(
        [this](comch::Context&, comch::ContextState, comch::ContextState now) {
          if (now == comch::ContextState::kRunning) post_all();
        });
    if (auto s = engine_.connect(*consumer_); !s) return s;
    if (auto s = consumer_->start(); !s) return std::unexpected(s.error());
    return {};
  }

  void post_all() {
    for (std::uint32_t n = 0; n < kPieces && !failure_; ++n) {
      auto buffer = buffers_.get();
      auto task = buffer ? consumer_->allocate_receive(*buffer)
                         : comch::Result<comch::ReceiveTask*>(std::unexpected(buffer.error()));
      auto posted = task ? (*task)->submit() : comch::Status(std::unexpected(task.error()));
      if (!posted) failure_ = posted.error();
    }
  }

  // Called for each piece, in order.
  void take(comch::ReceiveTask& task) {
    if (task.length() == 0) {
      complete_ = true;
      const std::string thanks = std::to_string(bytes_);
      std::ignore = consumer_->connection().try_send(std::as_bytes(std::span(thanks)));
      return let_go(task);
    }
    const std::span<std::byte> piece = task.buffer()->contents();
    file_.write(reinterpret_cast<const char*>(piece.data()),
                static_cast<std::streamsize>(piece.size()));
    if (!file_) failure_ = comch::Error{comch::Errc::io_failed, 0, "the file cannot be written"};
    bytes_ += piece.size();
    task.buffer()->reset_data_length();
    if (!task.submit()) let_go(task);
  }

  static void let_go(comch::ReceiveTask& task) {
    std::ignore = task.buffer()->drop_reference();
    std::ignore = task.free();
  }

  comch::ProgressEngine& engine_;
  comch::Server& server_;
  Buffers& buffers_;
  std::ofstream& file_;
  std::unique_ptr<comch::Consumer> consumer_;
  std::optional<comch::Error> failure_;
  std::uint64_t bytes_ = 0;
  bool complete_ = false;
  bool client_has_left_ = false;
};

int fail(const comch::Error& error) {
  std::cerr << "bulk_consumer: " << comch::describe(error) << '\n';
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"--name", "--file"});
  const std::string name = options.text("--name", "bulk");
  const std::string path = options.text("--file", "copy.bin");
  std::ofstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << "bulk_consumer: " << path << " cannot be written\n";
    return 1;
  }

  auto device = comch::Device::open_first(comch::Side::kDpu);
  if (!device) return fail(device.error());
  auto representor = comch::Representor::open_first(*device);
  if (!representor) return fail(representor.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto server = comch::Server::create(*device, *representor, name);
  if (!server) return fail(server.error());
  Buffers buffers;
  if (auto allocated = buffers.allocate(*device); !allocated) return fail(allocated.error());

  Download download(**engine, **server, buffers, file);
  if (auto started = download.start(); !started) return fail(started.error());
  std::cout << "receiving as \"" << name << '"' << std::endl;
  if (auto finished = download.finish(); !finished) return fail(finished.error());
  if (auto stopped = download.stop(); !stopped) return fail(stopped.error());
  std::cout << path << " has " << download.bytes() << " bytes\n";
  return 0;
}
