// InstructionMeter: see instruction_meter.h.
#include "doca/instruction_meter.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "support/deadline.h"

namespace comch::test {

// What the parent sees of the child's meter.
struct MeterReader {
  static std::uint32_t phase(const InstructionMeter& meter) { return meter.phase_; }
  static bool is_before(std::uint32_t phase) { return phase == InstructionMeter::kBefore; }
  static bool is_counted(std::uint32_t phase) { return phase == InstructionMeter::kCounted; }
};

namespace {

[[noreturn]] void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A meter that both processes see.
class SharedMeter {
 public:
  SharedMeter()
      : place_(::mmap(nullptr, sizeof(InstructionMeter), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (place_ == MAP_FAILED) throw_errno("mmap");
    meter_ = new (place_) InstructionMeter;
  }
  ~SharedMeter() { ::munmap(place_, sizeof(InstructionMeter)); }
  SharedMeter(const SharedMeter&) = delete;
  SharedMeter& operator=(const SharedMeter&) = delete;
  InstructionMeter& operator*() const { return *meter_; }

 private:
  void* const place_;
  InstructionMeter* meter_ = nullptr;
};

[[noreturn]] void run_child(InstructionMeter& meter,
                            const std::function<void(InstructionMeter&)>& work) {
  int status = 0;
  try {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) throw_errno("PTRACE_TRACEME");
    work(meter);
    if (testing::Test::HasFailure()) status = 1;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    status = 2;
  }
  std::cout.flush();
  ::_exit(status);
}

// Waits for the child's next stop: true; false when it has ended, with its status.
bool stopped(pid_t child, int& status) {
  if (::waitpid(child, &status, 0) != child) throw_errno("waitpid");
  return WIFSTOPPED(status);
}

// Through one count(). False when the child ended on the way, or took too long.
bool step_through(pid_t child, const InstructionMeter& meter, Counts& counts, int& status) {
  const Deadline deadline;
  std::uint64_t* count = nullptr;
  std::uint32_t phase = MeterReader::phase(meter);
  while (!MeterReader::is_counted(phase) || count == nullptr) {
    if (deadline.passed()) return false;
    if (::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0) throw_errno("SINGLESTEP");
    if (!stopped(child, status)) return false;
    phase = MeterReader::phase(meter);
    if (MeterReader::is_before(phase) || phase > kPhases) continue;
    if (count == nullptr) count = &counts.each[phase - 1].emplace_back(0);
    ++*count;
  }
  return true;
}

}  // namespace

void InstructionMeter::stop() {
  phase_ = kBefore;
  ::raise(SIGSTOP);
}

std::uint64_t Counts::least(std::size_t phase) const {
  return each[phase].empty() ? 0 : *std::ranges::min_element(each[phase]);
}

Counts count_instructions(const std::function<void(InstructionMeter&)>& work) {
  const SharedMeter meter;
  const pid_t child = ::fork();
  if (child < 0) throw_errno("fork");
  if (child == 0) run_child(*meter, work);

  Counts counts;
  int status = 0;
  while (stopped(child, status)) {
    const int signal = WSTOPSIG(status);
    if (signal == SIGSTOP && !step_through(child, *meter, counts, status)) {
      if (WIFSTOPPED(status)) ::kill(child, SIGKILL);
    }
    if (!WIFSTOPPED(status)) break;
    // Its other signals are its own.
    const long passed_on = signal == SIGSTOP ? 0 : signal;
    if (::ptrace(PTRACE_CONT, child, nullptr, passed_on) != 0) throw_errno("PTRACE_CONT");
  }
  counts.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return counts;
}

}  // namespace comch::test
