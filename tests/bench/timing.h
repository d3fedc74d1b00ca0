// Timing: medians of short operations, and rates of many.
//
// An operation is timed in batches, because the clock costs as much as a message. The median
// over batches leaves out what interrupts and neighbours add now and then.
//
// Threads: each call is its thread's own.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace comch::bench {

using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;

inline double in_ns(Duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// Of a copy; 0 for nothing.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline constexpr int kBatch = 16;  // Operations between two looks at the clock.

// How long to measure: so many operations (a multiple of kBatch), or so long.
struct Turns {
  std::uint32_t count;
};

// Times one batch; the time of one operation in it.
template <class Operation>
double batch_ns(const Operation& operation, int operations = kBatch) {
  const auto before = Clock::now();
  for (int i = 0; i < operations; ++i) operation();
  return in_ns(Clock::now() - before) / operations;
}

template <class Operation>
double median_ns(Turns turns, const Operation& operation) {
  std::vector<double> batches;
  batches.reserve(turns.count / kBatch);
  for (std::uint32_t i = 0; i < turns.count; i += kBatch) batches.push_back(batch_ns(operation));
  return median(std::move(batches));
}

// The first tenth warms caches and is left out. `batch`: 1 for operations of microseconds.
template <class Operation>
double median_ns(Duration duration, const Operation& operation, int batch = kBatch) {
  std::vector<double> batches;
  batches.reserve(1U << 16U);  // Growing would disturb what is measured.
  const auto end = Clock::now() + duration;
  do {
    batches.push_back(batch_ns(operation, batch));
  } while (Clock::now() < end);
  batches.erase(batches.begin(),
                batches.begin() + static_cast<std::ptrdiff_t>(batches.size() / 10));
  return median(std::move(batches));
}

// How long an operation takes that begins only after everybody has been idle for `idle`: what
// it costs to wake who has gone to sleep. The asking side is awake meanwhile.
template <class Operation>
double ns_after(Duration idle, const Operation& operation) {
  const auto begin = Clock::now() + idle;
  while (Clock::now() < begin) {
  }
  return batch_ns(operation, 1);
}
// Left out ahead of others: a processor that is a virtual machine's is looked after by its host for
// a while ahead of each sleep, until the host has learned that it sleeps for longer. The first
// hundred wakes of a process that has just begun take 18 us so, and the others 22 to 27.
inline constexpr int kFirstWakes = 256;

template <class Operation>
double median_ns_after(Duration idle, Duration duration, const Operation& operation) {
  for (int n = 0; n < kFirstWakes; ++n) ns_after(idle, operation);
  std::vector<double> times;
  const auto end = Clock::now() + duration;
  do {
    times.push_back(ns_after(idle, operation));
  } while (Clock::now() < end);
  return median(std::move(times));
}
// The same of two in turns, some of one and some of the other: what else the machine does meanwhile
// both of them have. As long as it takes for either by itself.
template <class One, class Other>
std::pair<double, double> medians_ns_after(Duration idle, Duration duration, const One& one,
                                           const Other& other) {
  const auto some = [idle](int count, const auto& operation, std::vector<double>& times) {
    for (int n = 0; n < count; ++n) times.push_back(ns_after(idle, operation));
  };
  std::vector<double> of_one, of_other;
  some(kFirstWakes, one, of_one);
  some(kFirstWakes, other, of_other);
  of_one.clear();
  of_other.clear();
  const auto end = Clock::now() + 2 * duration;
  do {
    some(kBatch, one, of_one);
    some(kBatch, other, of_other);
  } while (Clock::now() < end);
  return {median(std::move(of_one)), median(std::move(of_other))};
}

// Millions of messages a second that `send` gets rid of, when it waits for room in a queue of
// far fewer messages than a batch: then they arrive at the same rate. A median too, because
// one stall of a loaded machine takes as long as a hundred thousand messages.
template <class Send>
double median_rate(Duration duration, const Send& send) {
  constexpr int kMessages = 16'384;
  return 1e3 / median_ns(duration, send, kMessages);
}

}  // namespace comch::bench
