// Quiet: as many instructions at a time as a core has units for, beside as many one by one.
#include "bench/quiet.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>

#include "bench/timing.h"

namespace comch::bench {
namespace {

// What any core of our days adds up in a cycle, but for what the loop takes itself.
constexpr double kLeastPerCycle = 3.6;
// Alone a core is within 3 % of the best it ever did, and 30 % and more below beside a neighbour.
constexpr double kSlack = 0.92;
constexpr int kSteps = 2'000;
constexpr int kTimes = 5;  // Of which the best counts: an interrupt is no neighbour.

// Twelve sums, of which eight do not wait for each other and four for two of those. The compiler
// may neither join nor foresee them.
void add_together() {
  std::uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  const auto hide = [&] {
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
  };
  for (int step = 0; step < kSteps; ++step) {
    ++a, ++b, ++c, ++d, ++e, ++f, ++g, ++h;
    hide();
    a ^= b, c ^= d, e ^= f, g ^= h;
    hide();
  }
}

// Twelve sums, each of which waits for the one before: so many cycles, without the branches that a
// compiler may leave between them.
void add_one_by_one() {
  std::uint64_t sum = 1;
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 12
    for (int n = 0; n < 12; ++n) {
      ++sum;
      asm volatile("" : "+r"(sum));
    }
  }
}

double sums_per_cycle() {
  double together_ns = std::numeric_limits<double>::infinity();
  double cycles_ns = together_ns;
  for (int time = 0; time < kTimes; ++time) {
    together_ns = std::min(together_ns, batch_ns(add_together, 1));
    cycles_ns = std::min(cycles_ns, batch_ns(add_one_by_one, 1));
  }
  return cycles_ns / together_ns;
}

// The most that a core does in a cycle, by what several measurements say: where a processor is
// taken away for a while a single one may say three times as much.
class Record {
 public:
  double most() const { return most_; }
  void hear(double sums) {
    if (sums <= most_ * kAlike) return;
    heard_[next_++ % heard_.size()] = sums;
    const auto is_alike = [sums](double other) {
      return sums <= other * kAlike && other <= sums * kAlike;
    };
    if (std::ranges::count_if(heard_, is_alike) >= kAgreed) most_ = sums;
  }

 private:
  static constexpr double kAlike = 1.01;
  static constexpr int kAgreed = 4;

  double most_ = kLeastPerCycle;
  std::array<double, 16> heard_{};  // Of those above, the last ones.
  std::size_t next_ = 0;
};

}  // namespace

// Of both at once: what comes and goes within milliseconds is not to be missed on either.
bool is_quiet(const Pair& pair) {
  static Record record;
  double asker = 0;
  double answerer = 0;
  const auto measure = [](int processor, double& sums) {
    return std::thread([processor, &sums] {
      run_on(processor);
      sums = sums_per_cycle();
    });
  };
  std::thread on_asker = measure(pair.asker, asker);
  std::thread on_answerer = measure(pair.answerer, answerer);
  on_asker.join();
  on_answerer.join();
  record.hear(asker);
  record.hear(answerer);
  return std::min(asker, answerer) >= kSlack * record.most();
}

}  // namespace comch::bench
