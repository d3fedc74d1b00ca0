// ucx_put and ucx_put_flag: the sender puts a message into the next slot of a ring in the
// receiver's memory; the receiver looks at the slot until the message's number is there, and puts
// its own position back every eighth of the ring.
//
// Of ucx_put the number lies in the first and in the last word of the message, as ucx_perftest has
// it: nothing is sent but the message, of which 16 bytes are not the sender's, and a receiver that
// reads more than these two words is promised nothing. Of ucx_put_flag the message is the sender's,
// and the number is put behind it and behind a fence: what UCX promises to arrive.
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "base/pause.h"
#include "bench/limits/buffers.h"
#include "bench/peers/last_message.h"
#include "bench/peers/peers.h"
#include "bench/peers/reading.h"
#include "bench/peers/ucx_worker.h"
#include "support/deadline.h"

namespace comch::bench {
namespace {

// How the receiver learns that a message is there.
enum class Arrival : std::uint8_t { kStamps, kFlag };

// Slots begin on lines, and a flag lies behind its message.
constexpr std::size_t stride_of(std::size_t bytes, Arrival arrival) {
  const std::size_t all = bytes + (arrival == Arrival::kFlag ? sizeof(std::uint64_t) : 0);
  return (all + 63) / 64 * 64;
}

// A message's number, and whether it is the last.
constexpr std::uint64_t stamp_of(std::uint64_t number, bool last) {
  return number << 1U | static_cast<std::uint64_t>(last);
}
constexpr bool is_last_stamp(std::uint64_t stamp) { return (stamp & 1U) != 0; }

void write_stamp(std::span<std::byte> message, std::uint64_t stamp) {
  std::memcpy(message.data(), &stamp, sizeof stamp);
  std::memcpy(message.data() + message.size() - sizeof stamp, &stamp, sizeof stamp);
}

// What lies between the stamps.
template <class Byte>
std::span<Byte> middle_of(std::span<Byte> message) {
  constexpr std::size_t kStamp = sizeof(std::uint64_t);
  return message.size() > 2 * kStamp ? message.subspan(kStamp, message.size() - 2 * kStamp)
                                     : std::span<Byte>();
}

// ARRIVAL: what UCX put there before is visible with the word; acquire keeps later looks later.
std::uint64_t word_at(std::byte* place) {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place)).load(std::memory_order_acquire);
}

template <Arrival kArrival>
class UcxPutLane {
  static constexpr bool kStamps = kArrival == Arrival::kStamps;
  // A message is stamped half this many messages before it is sent: what UCX copies has long
  // left the store buffer by then, as a real message would have.
  static constexpr std::size_t kSmallSources = 16;

 public:
  explicit UcxPutLane(const Workload& workload)
      : bytes_(workload.bytes),
        read_(workload),
        slots_(bytes_ < kKib ? 1024 : ring_slots(bytes_)) {}

  class Sender {
   public:
    explicit Sender(const UcxPutLane& lane)
        : bytes_(lane.bytes_),
          slots_(lane.slots_),
          worker_(UCP_FEATURE_RMA),
          credit_(worker_, sizeof(std::uint64_t)),
          remote_(meet(lane, worker_, credit_, kSender)),
          sources_(kStamps && bytes_ < kKib ? kSmallSources : 1, bytes_) {
      if (!kStamps) return;
      for (std::uint64_t number = 1; number < 1 + ahead(); ++number) stamp(number);
    }

    void send() {
      ++number_;
      if (kStamps) stamp(number_ + ahead());
      put(source_of(number_), stamp_of(number_, false));
    }
    void send_last() {
      ++number_;
      const std::span<std::byte> message = source_of(number_);
      const std::uint64_t stamp = stamp_of(number_, true);
      write_pattern(kStamps ? middle_of(message) : message);
      if (kStamps) write_stamp(message, stamp);
      put(message, stamp);
      worker_.flush();
    }

   private:
    std::size_t ahead() const { return bytes_ < kKib ? kSmallSources / 2 : 0; }
    std::span<std::byte> source_of(std::uint64_t number) const {
      return sources_[kStamps && bytes_ < kKib ? number % kSmallSources : 0];
    }
    void stamp(std::uint64_t number) const {
      write_stamp(source_of(number), stamp_of(number, false));
    }
    void put(std::span<const std::byte> message, std::uint64_t flag) {
      while (number_ - done_ > slots_) {
        worker_.progress();
        done_ = word_at(credit_.data());
      }
      const std::uint64_t slot = remote_.address() + number_ % slots_ * stride_of(bytes_, kArrival);
      put_at(slot, message);
      if (kStamps) return;
      need_ucx(ucp_worker_fence(worker_.worker()), "ucp_worker_fence");
      put_at(slot + bytes_, std::as_bytes(std::span(&flag, 1)));
    }
    void put_at(std::uint64_t address, std::span<const std::byte> bytes) const {
      const ucp_request_param_t param{};
      worker_.await(ucp_put_nbx(worker_.endpoint(), bytes.data(), bytes.size(), address,
                                remote_.key(), &param));
    }

    const std::size_t bytes_;
    const std::size_t slots_;
    UcxWorker worker_;
    const UcxMemory credit_;
    const UcxRemote remote_;
    const Buffers sources_;
    std::uint64_t number_ = 0;
    std::uint64_t done_ = 0;
  };

  class Receiver {
   public:
    explicit Receiver(const UcxPutLane& lane)
        : bytes_(lane.bytes_),
          read_(lane.read_),
          slots_(lane.slots_),
          told_every_(slots_ < 8 ? 1 : slots_ / 8),
          worker_(UCP_FEATURE_RMA),
          ring_(worker_, slots_ * stride_of(bytes_, kArrival)),
          remote_(meet(lane, worker_, ring_, kReceiver)) {}

    bool receive() {
      ++number_;
      std::byte* const slot = ring_.data() + number_ % slots_ * stride_of(bytes_, kArrival);
      const std::uint64_t stamp = await(slot, number_);
      read_({slot, bytes_});
      const bool last = is_last_stamp(stamp);
      if (last) check({slot, bytes_});
      if (number_ % told_every_ == 0 || last) tell();
      return !last;
    }

   private:
    std::uint64_t await(std::byte* slot, std::uint64_t number) const {
      std::uint64_t stamp = 0;
      while ((stamp = word_at(kStamps ? slot : slot + bytes_)) >> 1U != number) pause();
      if (!kStamps) return stamp;
      while (word_at(slot + bytes_ - sizeof stamp) != stamp) pause();
      return stamp;
    }
    // Between stamps it may come later than they.
    static void check(std::span<const std::byte> message) {
      const bool whole = kStamps ? test::eventually([&] { return has_pattern(middle_of(message)); })
                                 : has_pattern(message);
      if (!whole) throw std::runtime_error("the last message is torn");
    }
    void tell() {
      const ucp_request_param_t param{};
      worker_.await(ucp_put_nbx(worker_.endpoint(), &number_, sizeof number_, remote_.address(),
                                remote_.key(), &param));
    }

    const std::size_t bytes_;
    const Reading read_;
    const std::size_t slots_;
    const std::size_t told_every_;
    UcxWorker worker_;
    const UcxMemory ring_;
    const UcxRemote remote_;
    std::uint64_t number_ = 0;
  };

 private:
  // Tells the other process where to put, and connects to where it said.
  static UcxRemote meet(const UcxPutLane& lane, UcxWorker& worker, const UcxMemory& memory,
                        std::size_t end) {
    UcxGreeting greeting = worker.greeting();
    memory.add_to(greeting);
    lane.meeting_.greet(end, greeting);
    const UcxGreeting& other = lane.meeting_.other(end);
    worker.connect(other);
    return {worker, other};
  }

  const std::size_t bytes_;
  const Reading read_;
  const std::size_t slots_;
  const UcxMeeting meeting_;
};

}  // namespace

Subject ucx_put(const std::vector<Workload>& workloads) {
  return lane_subject<UcxPutLane<Arrival::kStamps>>("ucx_put", workloads);
}
Subject ucx_put_flag(const std::vector<Workload>& workloads) {
  return lane_subject<UcxPutLane<Arrival::kFlag>>("ucx_put_flag", workloads);
}

}  // namespace comch::bench
