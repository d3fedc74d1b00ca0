// InstructionMeter: how many instructions a piece of a program takes, counted one by one.
//
//   const Counts counts = count_instructions([](InstructionMeter& meter) {
//     Rig rig;                                     // At full speed, and not counted.
//     for (...) meter.count(kSend, [&] { rig.send(); });
//   });
//   counts.least(kSend)
//
// The work runs in a child, which is stepped by ptrace() through what is counted: the figure is
// the same on every machine that runs the same code, however busy it is. A step takes some 20 us.
//
// Threads: a test's, before it has others; the work may have none.
// Errors: std::system_error when the machine does not let a process trace its child.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace comch::test {

inline constexpr std::size_t kPhases = 4;

class InstructionMeter {
 public:
  template <class Work>
  void count(std::size_t phase, const Work& work) {
    stop();  // The parent takes steps from here on.
    phase_ = static_cast<std::uint32_t>(phase) + 1;
    work();
    phase_ = kCounted;
  }

 private:
  friend struct MeterReader;
  static constexpr std::uint32_t kBefore = 0;
  static constexpr std::uint32_t kCounted = ~std::uint32_t{0};

  void stop();

  // Read by the parent, which looks while the child stands still.
  volatile std::uint32_t phase_ = kBefore;
};

struct Counts {
  bool ended = false;  // The work came to its end and its process ended well.
  std::array<std::vector<std::uint64_t>, kPhases> each;  // Of every count(), in order.

  // What it takes when nothing else happens to be due. 0: it was never counted.
  std::uint64_t least(std::size_t phase) const;
};

// Runs the work in a child. Expectations that fail there are printed, and `ended` is false.
Counts count_instructions(const std::function<void(InstructionMeter&)>& work);

}  // namespace comch::test
