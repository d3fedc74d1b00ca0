// FastPair: a consumer of the server and a producer of the client, for tests of the fast path.
//
// Threads: the engine's. Lifetime: the parties outlive the ends, which are destroyed first.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/comch/pair.h"

namespace comch::test {

// A memory map cut into buffers, and a place for buffers over anything in it.
class Memory {
 public:
  explicit Memory(std::size_t size, bool shared = true) : own_(shared ? 0 : size) {
    if (shared) {
      map_->allocate(size).value();
    } else {
      map_->set_range(own_.data(), own_.size()).value();
    }
    map_->set_permissions(Access::kLocalReadWrite | Access::kPciReadWrite).value();
    map_->add_device(host()).value();
    map_->start().value();
    inventory_->start().value();
  }
  ~Memory() {
    std::ignore = BufferInventory::destroy(inventory_);
    std::ignore = MemoryMap::destroy(map_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  MemoryMap& map() { return *map_; }
  std::span<std::byte> range() { return map_->range().value(); }
  // Room without data.
  Buffer* room(std::size_t offset, std::size_t size) {
    return inventory_->get_by_address(*map_, range().subspan(offset, size)).value();
  }
  // Data, copied to `offset`.
  Buffer* data(std::size_t offset, std::string_view text) {
    const auto to = range().subspan(offset, text.size());
    std::ranges::copy(bytes(text), to.begin());
    return inventory_->get_by_data(*map_, to).value();
  }

 private:
  std::vector<std::byte> own_;
  std::unique_ptr<MemoryMap> map_ = MemoryMap::create().value();
  std::unique_ptr<BufferInventory> inventory_ = BufferInventory::create(256).value();
};

// Of a Status or a Result; Errc::skipped: it is no error.
inline Errc code(const auto& result) { return result ? Errc::skipped : result.error().code; }

inline std::string contents(const Buffer& buffer) { return text_of(buffer.contents()); }

// Text of a length that shows what is missing.
inline std::string pattern(std::size_t size, unsigned seed = 0) {
  std::string text(size, ' ');
  for (std::size_t n = 0; n < size; ++n) {
    text[n] = static_cast<char>('!' + (n * 7 + n / 94 + n / 65'521 + seed) % 94);
  }
  return text;
}

struct FastPair : ConnectedPair {
  struct Options {
    std::uint32_t depth = 8;
    std::uint32_t immediate = Consumer::kDefaultImmediate;
    DataWay way = DataWay::kAuto;
  };

  ~FastPair() override { end_all(); }

  // Brings every end to idle; for a test whose memory does not outlive them otherwise. Without an
  // engine they are.
  void end_all() {
    if (!engine) return;
    for (Context* context : contexts) std::ignore = context->abort();
    run_until([&] {
      for (Context* context : contexts) {
        if (context->state() != ContextState::kIdle) return false;
      }
      return true;
    });
  }

  // A consumer of the server, running.
  Consumer& consumer(Memory& memory, const Options& options) {
    auto made = Consumer::create(server.connection(), memory.map()).value();
    made->configure_receive(
            options.depth,
            [this](ReceiveTask& task) {
              received.push_back(&task);
              texts.push_back(task.buffer() == nullptr ? std::string() : contents(*task.buffer()));
              immediates.push_back(text_of(task.immediate()));
              then_received(task);
            },
            [this](ReceiveTask& task) {
              returned.push_back(task.status());
              if (Buffer* buffer = task.buffer()) std::ignore = buffer->drop_reference();
              std::ignore = task.free();
            })
        .value();
    made->set_immediate_size(options.immediate).value();
    made->set_way(options.way).value();
    engine->connect(*made).value();
    EXPECT_TRUE(made->start());
    EXPECT_TRUE(run_until([&] { return made->state() != ContextState::kStarting; }));
    EXPECT_TRUE(run_until([&] { return std::ranges::count(client.consumers, made->id()) != 0; }));
    contexts.push_back(made.get());
    return *consumers.emplace_back(std::move(made));
  }
  Consumer& consumer(Memory& memory) { return consumer(memory, Options()); }

  // One of the server's that is staged, on an engine that only the test progresses; running.
  std::unique_ptr<Consumer> consumer_apart(ProgressEngine& own, Memory& memory,
                                           const Consumer::Handler& done,
                                           const Consumer::Handler& failed) {
    const std::size_t before = client.consumers.size();
    auto made = Consumer::create(server.connection(), memory.map()).value();
    made->configure_receive(4, done, failed).value();
    made->set_way(DataWay::kStaged).value();
    own.connect(*made).value();
    EXPECT_TRUE(made->start());
    EXPECT_TRUE(run_until([&] {
      own.progress();
      return made->state() == ContextState::kRunning && client.consumers.size() == before + 1;
    }));
    return made;
  }

  // A producer of the client, running.
  Producer& producer(std::uint32_t lane_size = 0) {
    auto made = Producer::create(client.connection()).value();
    made->configure_send(
            64, [this](ProducerTask& task) { done(task); },
            [this](ProducerTask& task) { done(task); })
        .value();
    made->set_lane_size(lane_size).value();
    made->on_space([this](Producer&, ConsumerId) { ++spaces; }).value();
    made->on_returned([this](Producer&, ConsumerId, Buffer& buffer, const Status& how) {
          handed_back.push_back(&buffer);
          handed_back_how.push_back(how);
        })
        .value();
    engine->connect(*made).value();
    EXPECT_TRUE(made->start());
    contexts.push_back(made.get());
    return *producers.emplace_back(std::move(made));
  }

  // One of the client's on an engine that only the test progresses; running.
  std::unique_ptr<Producer> producer_apart(ProgressEngine& own) {
    auto made = Producer::create(client.connection()).value();
    const auto nothing = [](ProducerTask&) {};
    made->configure_send(1, nothing, nothing).value();
    made->on_space([this](Producer&, ConsumerId) { ++spaces; }).value();
    own.connect(*made).value();
    EXPECT_TRUE(made->start());
    return made;
  }

  void done(ProducerTask& task) {
    sent.push_back(task.status());
    if (task.buffer() != nullptr)
      std::ignore = const_cast<Buffer*>(task.buffer())->drop_reference();
    std::ignore = task.free();
  }

  static void post(Consumer& to, Buffer* buffer) {
    ASSERT_TRUE(to.allocate_receive(buffer).value()->submit());
  }
  // Posts `count` rooms of `size` bytes, one behind the other.
  static void post_rooms(Consumer& to, Memory& memory, std::size_t count, std::size_t size) {
    for (std::size_t n = 0; n < count; ++n) post(to, memory.room(n * size, size));
  }
  static Status submit(Producer& from, ConsumerId to, const Buffer* buffer,
                       std::string_view immediate = {}) {
    ProducerTask* task = from.allocate_send(buffer, bytes(immediate), to).value();
    const Status submitted = task->submit();
    if (!submitted) {
      if (buffer != nullptr) std::ignore = const_cast<Buffer*>(buffer)->drop_reference();
      std::ignore = task->free();
    }
    return submitted;
  }
  void keep_received() {
    then_received = [](ReceiveTask&) {};
  }
  // Hands a buffer over to a consumer that has a post for it, and that holds the message then.
  HandedOver hand_over(Producer& from, Consumer& to, Buffer& buffer) {
    keep_received();
    EXPECT_TRUE(from.hand_over(to.id(), buffer));
    EXPECT_TRUE(run_until([&] { return received.size() == 1; }));
    return received.empty() ? HandedOver() : received[0]->handed_over();
  }

  Memory there{std::size_t{1} << 20U};  // The consumers'.
  Memory here{std::size_t{1} << 20U};   // The producers'.

  std::vector<ReceiveTask*> received;
  std::vector<std::string> texts;
  std::vector<std::string> immediates;
  std::vector<Status> returned;  // Of receive tasks that came back empty.
  std::vector<Status> sent;
  std::vector<Buffer*> handed_back;
  std::vector<Status> handed_back_how;
  int spaces = 0;
  std::function<void(ReceiveTask&)> then_received = [](ReceiveTask& task) {
    if (Buffer* buffer = task.buffer()) std::ignore = buffer->drop_reference();
    std::ignore = task.free();
  };
  std::vector<Context*> contexts;
  std::vector<std::unique_ptr<Consumer>> consumers;
  std::vector<std::unique_ptr<Producer>> producers;
};

}  // namespace comch::test
