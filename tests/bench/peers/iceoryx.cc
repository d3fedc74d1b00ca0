// iceoryx: a publisher and a subscriber, that waits for it and is asked without sleeping. One
// way, the message is copied into the chunk it is published in; in place, it is built there.
#include <unistd.h>

#include <cstring>
#include <iceoryx_hoofs/log/logmanager.hpp>
#include <iceoryx_posh/internal/runtime/posh_runtime_impl.hpp>
#include <iceoryx_posh/popo/untyped_publisher.hpp>
#include <iceoryx_posh/popo/untyped_subscriber.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/pause.h"
#include "bench/peers/last_message.h"
#include "bench/peers/peers.h"
#include "bench/peers/roudi.h"
#include "support/deadline.h"

namespace comch::bench {
namespace {

// What connects a process with the daemon. Iceoryx's own says goodbye when a program ends,
// which a forked cell never does; this one when it goes.
class Runtime : public iox::runtime::PoshRuntimeImpl {
 public:
  // The one of this process, while somebody has it.
  static std::shared_ptr<Runtime> of_this_process() {
    if (auto there = current.lock()) return there;
    iox::log::LogManager::GetLogManager().SetDefaultLogLevel(
        iox::log::LogLevel::kOff, iox::log::LogLevelOutput::kHideLogLevel);
    const std::string name = "comch-bench-" + std::to_string(::getpid());
    const std::shared_ptr<Runtime> made(
        new Runtime(iox::RuntimeName_t(iox::cxx::TruncateToCapacity, name)));
    current = made;
    // NOLINTNEXTLINE(performance-unnecessary-value-param): so iceoryx calls it.
    setRuntimeFactory([](auto) -> PoshRuntime& { return *current.lock(); });
    return made;
  }

 private:
  explicit Runtime(const iox::RuntimeName_t& name)
      : PoshRuntimeImpl(iox::cxx::make_optional<const iox::RuntimeName_t*>(&name)) {}

  static inline std::weak_ptr<Runtime> current;
};

iox::capro::ServiceDescription fresh_service() {
  static int made = 0;
  const std::string event = std::to_string(::getpid()) + "-" + std::to_string(++made);
  return {"comch-bench", "lane", iox::capro::IdString_t(iox::cxx::TruncateToCapacity, event)};
}

iox::popo::PublisherOptions that_waits() {
  iox::popo::PublisherOptions options;
  options.subscriberTooSlowPolicy = iox::popo::ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
  return options;
}

iox::popo::SubscriberOptions that_makes_wait(std::size_t bytes) {
  iox::popo::SubscriberOptions options;
  // The most there is, and of large messages a few, so that they stay in a cache.
  options.queueCapacity = bytes < 64 * kKib ? iox::MAX_SUBSCRIBER_QUEUE_CAPACITY : 2;
  options.queueFullPolicy = iox::popo::QueueFullPolicy::BLOCK_PRODUCER;
  return options;
}

class IceoryxLane {
 public:
  explicit IceoryxLane(const Workload& workload) : service_(fresh_service()), workload_(workload) {}

  class Sender {
   public:
    explicit Sender(const IceoryxLane& lane)
        : runtime_(Runtime::of_this_process()),
          in_place_(lane.workload_.shape == Shape::kInPlace),
          message_(lane.workload_.bytes),
          publisher_(lane.service_, that_waits()) {
      if (!test::eventually([this] { return publisher_.hasSubscribers(); })) {
        throw std::runtime_error("the subscriber does not come");
      }
    }

    void send() {
      const std::span<std::byte> chunk = loan();
      if (in_place_) {
        // Something new in every message; the first byte says that it is not the last.
        const std::uint64_t number = ++number_ << 8U;
        std::memcpy(chunk.data(), &number, sizeof number);
      } else {
        std::memcpy(chunk.data(), message_.data(), message_.size());
      }
      publisher_.publish(chunk.data());
    }
    void send_last() {
      const std::span<std::byte> chunk = loan();
      end_with(chunk);
      publisher_.publish(chunk.data());
    }

   private:
    std::span<std::byte> loan() {
      auto chunk = publisher_.loan(static_cast<std::uint32_t>(message_.size()));
      if (chunk.has_error()) throw std::runtime_error("iceoryx lends no chunk");
      return {static_cast<std::byte*>(chunk.value()), message_.size()};
    }

    const std::shared_ptr<Runtime> runtime_;
    const bool in_place_;
    std::vector<std::byte> message_;
    iox::popo::UntypedPublisher publisher_;
    std::uint64_t number_ = 0;
  };

  class Receiver {
   public:
    explicit Receiver(const IceoryxLane& lane)
        : runtime_(Runtime::of_this_process()),
          bytes_(lane.workload_.bytes),
          subscriber_(lane.service_, that_makes_wait(bytes_)) {}

    bool receive() {
      for (;;) {
        auto taken = subscriber_.take();
        if (taken.has_error()) {
          pause();
          continue;
        }
        const void* const chunk = taken.value();
        const bool last = is_last({static_cast<const std::byte*>(chunk), bytes_});
        subscriber_.release(chunk);
        return !last;
      }
    }

   private:
    const std::shared_ptr<Runtime> runtime_;
    const std::size_t bytes_;
    iox::popo::UntypedSubscriber subscriber_;
  };

 private:
  const iox::capro::ServiceDescription service_;
  const Workload workload_;
};

// The daemon, started with the first sample, so that a run without one does not need it; or
// why it did not start, said at once from then on.
class Daemon {
 public:
  void need() {
    if (!why_not_.empty()) throw Unavailable(why_not_);
    if (roudi_) return;
    try {
      roudi_.emplace();
    } catch (const Unavailable& reason) {
      why_not_ = reason.what();
      throw;
    }
  }

 private:
  std::optional<Roudi> roudi_;
  std::string why_not_;
};

}  // namespace

Subject iceoryx(std::vector<Workload> workloads) {
  const auto daemon = std::make_shared<Daemon>();
  return {.name = "iceoryx",
          .workloads = std::move(workloads),
          .measure = [daemon](const Pair& pair, const Workload& workload, Duration duration) {
            daemon->need();
            return measure<IceoryxLane>(pair, workload, duration);
          }};
}

}  // namespace comch::bench
