// ArrayLane: comch's fast path in arrays: no task and no callback for a message.
//
// Of Shape::kBatched the sender gathers 64 messages and publishes them together; otherwise each
// is an array of its own. The receiver takes what is there, and posts the buffers of what it
// has taken before it looks again.
//
// Threads, errors: as lane.h.
#pragma once

#include <array>

#include "bench/fast/fast_ends.h"
#include "bench/peers/last_message.h"

namespace comch::bench {

template <std::uint32_t kDepth>
class ArrayLane {
 public:
  explicit ArrayLane(const Workload& workload)
      : plan_(workload, kDepth),
        together_(workload.shape == Shape::kBatched ? kPublishedAtOnce : 1) {}

  const FastPlan& plan() const { return plan_; }

  class Sender {
   public:
    explicit Sender(const ArrayLane& lane)
        : together_(lane.together_),
          end_(lane.plan_, [](Producer& producer) { configure_no_tasks(producer); }) {
      messages_.fill({.data = end_.message(), .immediate = {}});
    }
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void send() {
      if (++gathered_ == together_) flush();
    }
    void send_last() {
      flush();
      end_with(end_.message());
      ++gathered_;
      flush();
      while (end_.producer().busy(end_.consumer())) engine_.progress();
    }

   private:
    void flush() {
      while (gathered_ > 0) {
        const auto sent =
            end_.producer().send(end_.consumer(), std::span(messages_).first(gathered_));
        if (sent) {
          gathered_ -= *sent;
        } else if (sent.error().code == Errc::again) {
          look();
        } else {
          need(sent, "to send");
        }
      }
    }
    // A full ring needs no progress; a consumer that has gone away does.
    void look() {
      if (++looks_ % 256 == 0) engine_.progress();
    }

    const std::size_t together_;
    ProgressEngine& engine_ = engine_of_process();
    ProducerEnd end_;
    std::array<Outgoing, kPublishedAtOnce> messages_;
    std::size_t gathered_ = 0;
    std::uint64_t looks_ = 0;
  };

  class Receiver {
   public:
    explicit Receiver(const ArrayLane& lane)
        : end_(lane.plan_,
               [&](Consumer& consumer) { configure_no_tasks(consumer, lane.plan_.depth); }) {
      need(end_.consumer().post(end_.buffers()), "to post");
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      if (taken_ == arrived_) take();
      const Buffer& buffer = *messages_[taken_++].buffer;
      return !is_last(buffer.contents());
    }

   private:
    void take() {
      repost();
      while ((arrived_ = end_.consumer().poll(messages_)) == 0) {
        if (++looks_ % 256 == 0) engine_.progress();
      }
      taken_ = 0;
    }
    void repost() {
      std::array<Buffer*, kPublishedAtOnce> buffers;
      for (std::size_t n = 0; n < arrived_; ++n) {
        buffers[n] = messages_[n].buffer;
        buffers[n]->reset_data_length();
      }
      need(end_.consumer().post(std::span(buffers).first(arrived_)), "to post");
    }

    ProgressEngine& engine_ = engine_of_process();
    ConsumerEnd end_;
    std::array<Received, kPublishedAtOnce> messages_;
    std::size_t arrived_ = 0;
    std::size_t taken_ = 0;
    std::uint64_t looks_ = 0;
  };

 protected:
  FastPlan plan_;
  std::size_t together_;
};

}  // namespace comch::bench
