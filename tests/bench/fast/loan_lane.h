// LoanLane: messages built in the receiver's posted buffers. Nothing is copied.
//
// As InPlaceRing (limits/in_place_ring.h): building is a write of the first line, reading a
// look at it.
//
// Threads, errors: as lane.h.
#pragma once

#include <cstring>

#include "bench/fast/array_lane.h"

namespace comch::bench {

class LoanLane {
 public:
  static constexpr std::uint32_t kDepth = 16;
  explicit LoanLane(const Workload& workload) : plan_(workload, kDepth) { plan_.depth = kDepth; }

  class Sender {
   public:
    explicit Sender(const LoanLane& lane)
        : end_(lane.plan_, [](Producer& producer) { configure_no_tasks(producer); }) {}
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    void send() {
      const Result<Loan> loan = reserve();
      // Something new in every message, past the byte that would end the cell.
      ++number_;
      std::memcpy(loan->room.data() + 8, &number_, sizeof number_);
      need_each(end_.producer().commit(*loan, loan->room.size()), "to commit");
    }
    void send_last() {
      const Result<Loan> loan = reserve();
      end_with(loan->room);
      need(end_.producer().commit(*loan, loan->room.size()), "to commit");
    }

   private:
    Result<Loan> reserve() {
      Result<Loan> loan = end_.producer().reserve(end_.consumer());
      while (!loan) {
        if (loan.error().code != Errc::again) need(loan, "a loan");
        if (++looks_ % 256 == 0) engine_of_process().progress();
        loan = end_.producer().reserve(end_.consumer());
      }
      return loan;
    }

    ProducerEnd end_;
    std::uint64_t number_ = 0;
    std::uint64_t looks_ = 0;
  };

  // Buffers are posted one by one: a sender of sixteen should not wait for all of them.
  class Receiver {
   public:
    explicit Receiver(const LoanLane& lane)
        : end_(lane.plan_,
               [&](Consumer& consumer) { configure_no_tasks(consumer, lane.plan_.depth); }) {
      need(end_.consumer().post(end_.buffers()), "to post");
    }
    Receiver(const Receiver&) = delete;
    Receiver& operator=(const Receiver&) = delete;

    bool receive() {
      if (taken_ == arrived_) take();
      Buffer* const buffer = messages_[taken_++].buffer;
      const bool last = is_last(buffer->contents());
      buffer->reset_data_length();
      need_each(end_.consumer().post({&buffer, 1}), "to post");
      return !last;
    }

   private:
    void take() {
      while ((arrived_ = end_.consumer().poll(messages_)) == 0) {
        if (++looks_ % 256 == 0) engine_of_process().progress();
      }
      taken_ = 0;
    }

    ConsumerEnd end_;
    std::array<Received, kDepth> messages_;
    std::size_t arrived_ = 0;
    std::size_t taken_ = 0;
    std::uint64_t looks_ = 0;
  };

 private:
  FastPlan plan_;
};

}  // namespace comch::bench
