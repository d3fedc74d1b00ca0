// uring_collector: looks at the messages of many producers, from one loop over one ring.
//
//   uring_collector --name fan-in --producers 4 --messages 100000
//
// It is told of connections by a multishot operation, and looks at messages where they lie, by one
// more for each producer. Producers number their messages; it checks that none is lost or out of
// order, and ends when so many of them have come and gone.
#include <comch/comch.h>
#include <comch/uring/ring.h>

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <tuple>

#include "options.h"
#include "uring_fan_in.h"

namespace {

namespace uring = comch::uring;
using namespace std::chrono_literals;

constexpr std::uint32_t kLookedAt = 128;  // Messages of a producer, at a time.

// One producer, as the collector sees it.
class Feed {
 public:
  // Its consumer begins to run by itself, and then its messages are looked at.
  comch::Status start(uring::Ring& ring, comch::ProgressEngine& engine, comch::MemoryMap& map,
                      comch::Connection& connection) {
    auto consumer = comch::Consumer::create(connection, map);
    if (!consumer) return std::unexpected(consumer.error());
    consumer_ = std::move(*consumer);
    if (auto s = ring.prepare(*consumer_, 2 * kLookedAt); !s) return s;
    if (auto s = consumer_->set_way(comch::DataWay::kView); !s) return s;
    consumer_->on_state_changed(
        [this, &ring](comch::Context&, comch::ContextState, comch::ContextState now) {
          if (now == comch::ContextState::kRunning) look_at_messages(ring);
        });
    if (auto s = engine.connect(*consumer_); !s) return s;
    if (auto s = consumer_->start(); !s) return std::unexpected(s.error());
    return {};
  }

  void take(std::span<const std::byte> bytes) {
    Message message{};
    if (bytes.size() != sizeof message) return void(in_order_ = false);
    // The bytes are the other side's to change: what is checked is a copy.
    std::memcpy(&message, bytes.data(), sizeof message);
    in_order_ = in_order_ && message.sender < kSenders &&
                message.number == next_[message.sender % kSenders]++;
    ++count_;
  }

  // No more of them will be shown: its connection has ended, or they cannot be looked at.
  void on_last() {
    looking_ = false;
    if (consumer_->state() != comch::ContextState::kRunning) return;
    in_order_ = false;
    std::ignore = consumer_->abort();
  }
  // When the consumer has ended, there may be messages yet that have not been looked at.
  bool is_over() const {
    return !looking_ && (!consumer_ || consumer_->state() == comch::ContextState::kIdle);
  }
  comch::Status end(uring::Ring& ring) {
    if (source_ != nullptr) {
      if (auto s = ring.unregister(*source_); !s) return s;
    }
    return consumer_ ? comch::Consumer::destroy(consumer_) : comch::Status();
  }

  bool in_order() const { return in_order_; }
  std::uint64_t count() const { return count_; }

 private:
  void look_at_messages(uring::Ring& ring) {
    const auto source = ring.register_source(*consumer_);
    if (source) source_ = *source;
    uring::Submission* const look = source ? ring.get() : nullptr;
    if (look == nullptr) return on_last();
    looking_ = true;
    look->prep_view_multishot(*source_, kLookedAt);
    look->user_data = std::bit_cast<std::uint64_t>(this);
    std::ignore = ring.submit();
  }

  std::unique_ptr<comch::Consumer> consumer_;
  uring::Source* source_ = nullptr;
  bool looking_ = false;
  std::array<std::uint32_t, kSenders> next_{};
  std::uint64_t count_ = 0;
  bool in_order_ = true;
};

class Collector {
 public:
  Collector(uring::Ring& ring, comch::ProgressEngine& engine, comch::MemoryMap& map)
      : ring_(ring), engine_(engine), map_(map) {}

  comch::Status start(comch::Server& server) {
    if (auto s = ring_.prepare(server); !s) return s;
    if (auto s = engine_.connect(server); !s) return s;
    const auto listener = ring_.register_listener(server);
    if (!listener) return std::unexpected(listener.error());
    ring_.get()->prep_accept_multishot(**listener);
    if (auto s = server.start(); !s) return std::unexpected(s.error());
    return {};
  }

  // Until so many producers have come, and gone.
  comch::Status collect(std::size_t producers) {
    while (gone_ < producers) {
      const auto ready = ring_.submit_and_wait(1, 1s);
      if (!ready && ready.error().code != comch::Errc::time_out) {
        return std::unexpected(ready.error());
      }
      ring_.advance(ring_.for_each([this](const auto& completion) { take(completion); }));
      if (auto s = end_feeds(); !s) return s;
    }
    return {};
  }

  std::uint64_t count() const { return count_; }
  bool in_order() const { return in_order_; }

 private:
  void take(const uring::Completion& completion) {
    if ((completion.flags & uring::kView) != 0) {
      std::bit_cast<Feed*>(completion.user_data)->take(completion.viewed());
    } else if ((completion.flags & uring::kArrival) != 0 && completion.res == 0 &&
               completion.consumer() == comch::ConsumerId{}) {
      Feed& feed = feeds_.emplace_back();
      if (!feed.start(ring_, engine_, map_, *completion.connection())) in_order_ = false;
    } else if ((completion.flags & (uring::kArrival | uring::kMore)) == 0 &&
               completion.user_data != 0) {
      std::bit_cast<Feed*>(completion.user_data)->on_last();
    }
  }
  // Of producers that have gone, when the last of their messages has been looked at.
  comch::Status end_feeds() {
    for (auto it = feeds_.begin(); it != feeds_.end();) {
      if (!it->is_over()) {
        ++it;
        continue;
      }
      if (auto s = it->end(ring_); !s) return s;
      count_ += it->count();
      in_order_ = in_order_ && it->in_order();
      ++gone_;
      it = feeds_.erase(it);
    }
    return {};
  }

  uring::Ring& ring_;
  comch::ProgressEngine& engine_;
  comch::MemoryMap& map_;
  std::list<Feed> feeds_;  // They stay where they are: operations name them.
  std::size_t gone_ = 0;
  std::uint64_t count_ = 0;
  bool in_order_ = true;
};

int fail(const comch::Error& error) {
  std::cerr << "uring_collector: " << comch::describe(error) << '\n';
  return 1;
}

// Consumers have a memory map, even where messages are looked at and nothing is put into it.
comch::Result<std::unique_ptr<comch::MemoryMap>> make_map(std::shared_ptr<comch::Device> device) {
  auto map = comch::MemoryMap::create();
  if (!map) return map;
  if (auto s = (*map)->allocate(4096); !s) return std::unexpected(s.error());
  if (auto s = (*map)->set_permissions(comch::Access::kPciReadWrite); !s) {
    return std::unexpected(s.error());
  }
  if (auto s = (*map)->add_device(std::move(device)); !s) return std::unexpected(s.error());
  if (auto s = (*map)->start(); !s) return std::unexpected(s.error());
  return map;
}

int collect(const Options& options) {
  const int producers = options.number("--producers", 4);
  const auto device = comch::Device::open_first(comch::Side::kDpu);
  if (!device) return fail(device.error());
  const auto representor = comch::Representor::open_first(*device);
  if (!representor) return fail(representor.error());
  auto map = make_map(*device);
  if (!map) return fail(map.error());
  auto engine = comch::ProgressEngine::create();
  if (!engine) return fail(engine.error());
  auto server = comch::Server::create(*device, *representor, options.text("--name", "fan-in"));
  if (!server) return fail(server.error());
  auto ring = uring::Ring::create(**engine, {.completions = 4096});
  if (!ring) return fail(ring.error());

  Collector collector(**ring, **engine, **map);
  if (auto s = collector.start(**server); !s) return fail(s.error());
  std::cout << "collecting" << std::endl;
  const comch::Status collected = collector.collect(static_cast<std::size_t>(producers));
  ring->reset();  // Ahead of the consumers that are left, which it names.
  if (!collected) return fail(collected.error());
  if (auto s = (*server)->abort(); !s) return fail(s.error());
  while ((*server)->state() != comch::ContextState::kIdle) (*engine)->wait(10ms);

  const auto expected = static_cast<std::uint64_t>(producers) *
                        static_cast<std::uint64_t>(options.number("--messages", 100'000));
  const bool whole = collector.in_order() && collector.count() == expected;
  std::cout << "collected " << collector.count() << " messages of " << producers << " producers"
            << (whole ? "" : ": some are lost, or out of order") << '\n';
  return whole ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return collect(Options(argc, argv, {"--name", "--producers", "--messages"}));
}
