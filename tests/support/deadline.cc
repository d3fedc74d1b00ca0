// Deadline, eventually() and the two numbers a run may scale.
#include "support/deadline.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

namespace comch::test {
namespace {

using std::chrono::milliseconds;

// The variable as a number above 0, or `otherwise`.
double positive(const char* variable, double otherwise) {
  const char* text = std::getenv(variable);
  const double value = text == nullptr ? 0 : std::strtod(text, nullptr);
  return value > 0 ? value : otherwise;
}

}  // namespace

milliseconds patience() {
  return milliseconds(static_cast<std::int64_t>(30'000 * positive("COMCH_TEST_SLOWDOWN", 1)));
}

milliseconds budget(milliseconds usual) {
  const double seconds = positive("COMCH_TEST_BUDGET", static_cast<double>(usual.count()) / 1000);
  return milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

std::uint64_t seed() {
  if (const char* text = std::getenv("COMCH_TEST_SEED")) return std::strtoull(text, nullptr, 0);
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

int Deadline::left_ms() const {
  const auto left = std::chrono::ceil<milliseconds>(at_ - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1'000'000'000));
}

bool eventually(const std::function<bool()>& predicate, const Deadline& deadline) {
  // Most facts are true within microseconds; the pause then doubles so that a long wait
  // leaves the processor to those it waits for.
  for (std::chrono::microseconds pause(20); !deadline.passed();
       pause = std::min(pause * 2, std::chrono::microseconds(5000))) {
    if (predicate()) return true;
    std::this_thread::sleep_for(pause);
  }
  return predicate();
}

}  // namespace comch::test
