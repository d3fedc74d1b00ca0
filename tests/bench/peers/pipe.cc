// pipe: a pipe whose ends are asked without sleeping, a message at a time.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <system_error>

#include "base/pause.h"
#include "bench/peers/descriptor_pair.h"
#include "bench/peers/last_message.h"
#include "bench/peers/peers.h"

namespace comch::bench {
namespace {

std::array<int, 2> ends() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe2");
  }
  return ends;
}

// Calls `transfer` until all of `message` has gone through; a pipe takes and gives parts.
template <class Bytes, class Transfer>
void transfer_all(std::span<Bytes> message, const Transfer& transfer) {
  while (!message.empty()) {
    const ssize_t done = transfer(message.data(), message.size());
    if (done > 0) {
      message = message.subspan(static_cast<std::size_t>(done));
    } else if (done == 0 || errno != EAGAIN) {
      throw std::system_error(done == 0 ? EPIPE : errno, std::generic_category(), "a pipe");
    } else {
      pause();
    }
  }
}

class PipeLane {
 public:
  explicit PipeLane(const Workload& workload) : ends_(ends()), bytes_(workload.bytes) {
    // What every user may ask for; small messages stay hot in the usual 64 KiB.
    if (bytes_ > 4 * kKib) ::fcntl(ends_[1], F_SETPIPE_SZ, static_cast<int>(kMib));
  }

  class Sender {
   public:
    explicit Sender(const PipeLane& lane) : end_(lane.ends_[1]), message_(lane.bytes_) {}

    void send() {
      transfer_all(
          std::span<const std::byte>(message_),
          [this](const void* data, std::size_t size) { return ::write(end_, data, size); });
    }
    void send_last() {
      end_with(message_);
      send();
    }

   private:
    const int end_;
    std::vector<std::byte> message_;
  };

  class Receiver {
   public:
    explicit Receiver(const PipeLane& lane) : end_(lane.ends_[0]), message_(lane.bytes_) {}

    bool receive() {
      transfer_all(std::span(message_),
                   [this](void* data, std::size_t size) { return ::read(end_, data, size); });
      return !is_last(message_);
    }

   private:
    const int end_;
    std::vector<std::byte> message_;
  };

 private:
  const DescriptorPair ends_;
  const std::size_t bytes_;
};

}  // namespace

Subject pipe(const std::vector<Workload>& workloads) {
  return lane_subject<PipeLane>("pipe", workloads);
}

}  // namespace comch::bench
