// HandOverLane: messages that stay in the sender's memory, which the receiver reads and gives back.
// Nothing is copied.
//
// As InPlaceRing (limits/in_place_ring.h): building is a write of the first line, reading a look at
// it.
//
// Threads, errors: as lane.h.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>

#include "bench/fast/fast_ends.h"
#include "bench/peers/last_message.h"

namespace comch::bench {

class HandOverLane {
 public:
  static constexpr std::uint32_t kDepth = 16;
  explicit HandOverLane(const Workload& workload)
      : bytes_(workload.bytes), plan_({workload.shape, kPosted}, kDepth) {
    plan_.depth = kDepth;
  }

  class Sender {
   public:
    explicit Sender(const HandOverLane& lane)
        : memory_(kDepth * lane.bytes_, kDepth),
          end_(lane.plan_, [this](Producer& producer) { configure(producer); }) {
      for (std::size_t n = 0; n < kDepth; ++n) {
        idle_.push_back(memory_.data(n * lane.bytes_, lane.bytes_));
      }
    }
    ~Sender() {
      for (Buffer* buffer : idle_) std::ignore = buffer->drop_reference();
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void send() {
      Buffer& buffer = take();
      // Something new in every message, past the byte that would end the cell.
      ++number_;
      std::memcpy(buffer.data() + 8, &number_, sizeof number_);
      hand_over(buffer);
    }
    void send_last() {
      Buffer& buffer = take();
      end_with({buffer.data(), buffer.data_length()});
      hand_over(buffer);
      while (idle_.size() < kDepth) engine_.progress();
    }

   private:
    void configure(Producer& producer) {
      configure_no_tasks(producer);
      need(producer.on_returned([this](Producer&, ConsumerId, Buffer& buffer, const Status&) {
        idle_.push_back(&buffer);
      }),
           "buffers that come back");
      idle_.reserve(kDepth);
    }
    Buffer& take() {
      while (idle_.empty()) engine_.progress();
      Buffer* const buffer = idle_.back();
      idle_.pop_back();
      return *buffer;
    }
    void hand_over(Buffer& buffer) {
      while (true) {
        const Status passed = end_.producer().hand_over(end_.consumer(), buffer);
        if (passed) return;
        if (passed.error().code != Errc::again) need(passed, "to hand over");
        engine_.progress();
      }
    }

    ProgressEngine& engine_ = engine_of_process();
    FastMemory memory_;
    std::vector<Buffer*> idle_;
    ProducerEnd end_;
    std::uint64_t number_ = 0;
  };

  class Receiver {
   public:
    explicit Receiver(const HandOverLane& lane)
        : end_(lane.plan_,
               [&](Consumer& consumer) { configure_no_tasks(consumer, lane.plan_.depth); }) {
      need(end_.consumer().post(end_.buffers()), "to post");
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      if (taken_ == arrived_) take();
      const Received& message = messages_[taken_++];
      const bool last = is_last(message.handed_over.bytes);
      need_each(end_.consumer().give_back(message.handed_over), "to give back");
      posted_[taken_ - 1] = message.buffer;
      return !last;
    }

   private:
    // What was taken together is posted together.
    void take() {
      if (arrived_ != 0)
        need_each(end_.consumer().post(std::span(posted_).first(arrived_)), "to post");
      while ((arrived_ = end_.consumer().poll(messages_)) == 0) {
        if (++looks_ % 256 == 0) engine_of_process().progress();
      }
      taken_ = 0;
    }

    ConsumerEnd end_;
    std::array<Received, kDepth> messages_;
    std::array<Buffer*, kDepth> posted_{};
    std::size_t arrived_ = 0;
    std::size_t taken_ = 0;
    std::uint64_t looks_ = 0;
  };

 private:
  static constexpr std::size_t kPosted = 64;  // Bytes, of which none is written.

  std::size_t bytes_;
  FastPlan plan_;
};

}  // namespace comch::bench
