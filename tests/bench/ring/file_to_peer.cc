// FileToPeer: a process that receives into a pool, and one that has the file.
#include "bench/ring/file_to_peer.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

#include "bench/fast/ring_lane.h"
#include "bench/processes.h"

namespace comch::bench {
namespace {

constexpr std::uint32_t kMostPosted = 64;
using FileLane = RingLane<kMostPosted>;

// A file of zeros that has no name any more. It is written, and so it is cached.
class CachedFile {
 public:
  explicit CachedFile(std::size_t bytes) : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error("no file");
    const std::vector<char> zeros(bytes);
    if (::write(fd(), zeros.data(), bytes) != static_cast<ssize_t>(bytes)) {
      throw std::runtime_error("the file cannot be written");
    }
  }
  int fd() const { return ::fileno(file_.get()); }
  void read(std::span<std::byte> into) const {
    if (::pread(fd(), into.data(), into.size(), 0) != static_cast<ssize_t>(into.size())) {
      throw std::runtime_error("the file is shorter than it was");
    }
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file_;
};

// Small files go several at a time, as in any loop that has many under way: of the smallest as many
// as a producer may have lent, of others a few when as many are left of those before.
std::uint32_t files_at_once(std::size_t bytes) {
  if (bytes >= kMib) return 1;
  return bytes >= 64 * kKib ? 4 : Producer::kMaxLoans;
}
// Those of which the sender waits for no end, while it begins the next.
std::uint32_t files_left(std::size_t bytes) { return bytes == 64 * kKib ? 4 : 0; }
// As many as a cache holds beside the file, and where that may be, more than are under way, so that
// none waits for one to be posted again; where it holds no two, the one that a plain read has.
std::uint32_t depth(std::size_t bytes) {
  return bytes < 64 * kKib ? kMostPosted : files_at_once(bytes) + files_left(bytes);
}

// What both ways to send have.
class Sender {
 public:
  explicit Sender(const FastPlan& plan)
      : end_(plan, [this](Producer& producer) { need(ring_->prepare(producer), "the producer"); }),
        to_(need(ring_->register_destination(end_.producer(), end_.consumer()), "the ring")) {}
  ~Sender() { std::ignore = ring_->unregister(*to_); }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  uring::Ring& ring() { return *ring_; }
  uring::Destination& to() { return *to_; }
  std::span<std::byte> message() { return end_.message(); }
  // Of what is prepared `count` more, and until no more than `left` are under way.
  void go_on(std::uint32_t count, std::uint32_t left) {
    need(ring_->submit(), "to submit");
    under_way_ += count;
    while (under_way_ > left) {
      if (const uring::Completion* const done = ring_->peek()) {
        if (done->res < 0) throw std::runtime_error("a file is not sent");
        ring_->advance(1);
        --under_way_;
      }
    }
  }
  void send_one() {
    ring_->get()->prep_send(*to_, message());
    go_on(1, 0);
  }
  void send_last() {
    end_with(message());
    send_one();
  }

 private:
  const std::shared_ptr<uring::Ring> ring_ = ring_of_process(64);
  ProducerEnd end_;
  uring::Destination* const to_;
  std::uint32_t under_way_ = 0;
};

// `begin`: prepares the send of one file.
template <class Begin>
double time_sends(const FastPlan& plan, Duration duration, const Begin& begin) {
  Sender sender(plan);
  // Kernels that register nothing are measured, too.
  std::ignore = sender.ring().register_memory(sender.to());
  // The pages of both sides are made here, and not timed.
  std::ranges::fill(sender.message(), std::byte{});
  sender.send_one();
  const std::uint32_t at_once = files_at_once(plan.bytes);
  const auto send = [&] {
    for (std::uint32_t n = 0; n < at_once; ++n) begin(sender);
    sender.go_on(at_once, files_left(plan.bytes));
  };
  const double ns = median_ns(duration, send, 1) / at_once;
  sender.send_last();
  return ns;
}

template <class Begin>
double ask_sender(const Pair& pair, std::size_t bytes, Duration duration, const Begin& begin) {
  FastPlan plan({Shape::kOneWay, bytes}, kMostPosted);
  plan.depth = depth(bytes);
  plan.cooperative = true;  // As it is when nobody says otherwise.
  const FileLane lane(plan);
  return ask(
      pair,
      [&](const Gate& ready) {
        ready.open();
        FileLane::Receiver receiver(lane);
        while (receiver.receive()) {
        }
      },
      [&] { return time_sends(plan, duration, begin); });
}

}  // namespace

double read_file_ns(const Pair& pair, std::size_t bytes, Duration duration) {
  return measure_on(pair.asker, [&] {
    const CachedFile file(bytes);
    FastMemory memory(bytes, 1);
    std::ranges::fill(memory.range(), std::byte{});  // Its pages are made here, and not timed.
    const std::uint32_t at_once = files_at_once(bytes);
    const auto read = [&] {
      for (std::uint32_t n = 0; n < at_once; ++n) file.read(memory.range());
    };
    return median_ns(duration, read, 1) / at_once;
  });
}

double read_and_send_ns(const Pair& pair, std::size_t bytes, Duration duration) {
  const CachedFile file(bytes);
  return ask_sender(pair, bytes, duration, [&](Sender& sender) {
    file.read(sender.message());
    sender.ring().get()->prep_send(sender.to(), sender.message());
  });
}

double send_file_ns(const Pair& pair, std::size_t bytes, Duration duration, uring::FileUse use) {
  const CachedFile file(bytes);
  int number = -1;
  return ask_sender(pair, bytes, duration, [&](Sender& sender) {
    if (number < 0)
      number = need(sender.ring().register_file(file.fd(), use), "to register the file");
    uring::Submission* const submission = sender.ring().get();
    submission->prep_send_file(sender.to(), number, bytes, 0);
    submission->flags = uring::kFixedFile;
  });
}

}  // namespace comch::bench
