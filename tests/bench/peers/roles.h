// Roles: what the two processes of a cell do with their ends of a lane, and what is timed.
//
// A sender has send() and send_last(), a receiver receive(); each returns when it is done,
// send_last() when nothing is left that needs this process. receive() is false for the last.
//
//   asking process                      answering process
//   round_trip_ns(sender, receiver, d)  echo(receiver, sender)
//   receive_rate(receiver, burst)       send_for(sender, d, burst)
//
// Rates are counted at the receiver, in slices of time long against any queue.
//
// Threads: each role is its process's one. Errors: std::runtime_error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "bench/peers/workload.h"
#include "bench/timing.h"

namespace comch::bench {

inline constexpr Duration kSlice = std::chrono::milliseconds(2);
inline constexpr int kLeastBursts = 4;  // However short the cell and however long the message.
// Messages ahead of what is timed, so that pages are there in both processes: of large ones, of
// which a slice has only a few. Where both sides copy each touches what chance leaves to it, of two
// buffers, and half of what is left the next time.
inline constexpr std::size_t kWarmUp = 12;

// Messages between two looks at the clock, which costs as much as some of them. Those that are
// built in place are all as quick, however long.
constexpr std::size_t burst_of(const Workload& workload) {
  constexpr std::size_t kMost = 256;
  if (workload.shape == Shape::kInPlace) return kMost;
  return std::clamp<std::size_t>(kMib / workload.bytes, 1, kMost);
}

template <class Sender, class Receiver>
double round_trip_ns(Sender& sender, Receiver& receiver, Duration duration) {
  const double ns = median_ns(duration, [&] {
    sender.send();
    if (!receiver.receive()) throw std::runtime_error("the echo ended too early");
  });
  sender.send_last();
  if (receiver.receive()) throw std::runtime_error("an answer too many");
  return ns;
}

template <class Receiver, class Sender>
void echo(Receiver& receiver, Sender& sender) {
  while (receiver.receive()) sender.send();
  sender.send_last();
}

template <class Sender>
void send_for(Sender& sender, Duration duration, std::size_t burst) {
  for (std::size_t i = 0; i < kWarmUp; ++i) sender.send();
  const auto end = Clock::now() + duration;
  for (int bursts = 0; bursts < kLeastBursts || Clock::now() < end; ++bursts) {
    for (std::size_t i = 0; i < burst; ++i) sender.send();
  }
  sender.send_last();
}

// Bursts until a slice is full, or until the last message: messages a second.
struct Slice {
  double rate = 0;
  bool full = true;
};

template <class Receiver>
Slice receive_slice(Receiver& receiver, std::size_t burst) {
  const auto before = Clock::now();
  std::size_t got = 0;
  bool full = true;
  Duration took{};
  do {
    const std::size_t end = got + burst;
    while (got < end && (full = receiver.receive())) ++got;
    took = Clock::now() - before;
  } while (full && took < kSlice);
  return {.rate = static_cast<double>(got) * 1e9 / in_ns(took), .full = full};
}

// Receives until the last message has come; the median of what was received in a second. The
// first message is not timed, because its sender may not be ready, nor is the first slice,
// which warms caches; unless there is no other.
template <class Receiver>
double receive_rate(Receiver& receiver, std::size_t burst) {
  if (!receiver.receive()) throw std::runtime_error("nothing came but the last message");
  const Slice warm_up = receive_slice(receiver, std::max(burst, kWarmUp));
  std::vector<double> rates;
  for (Slice slice = warm_up; slice.full;) {
    slice = receive_slice(receiver, burst);
    if (slice.full) rates.push_back(slice.rate);
  }
  return rates.empty() ? warm_up.rate : median(std::move(rates));
}

}  // namespace comch::bench
