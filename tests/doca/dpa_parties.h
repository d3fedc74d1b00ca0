// DPA parties: an accelerator and what is made on it, in the words of doca_dpa.h, for tests of what
// device functions do.
//
//   struct SomeTest : DpaTest {};                    a started accelerator
//   EXPECT_EQ(call([] { ... }), 0U);                 runs on a thread of the accelerator
//   DeviceThread thread(dpa, [] { ... });            once per notification
//
// Device functions are functions without a state of their own; those of these parties call what
// the test gave them, by the address in their argument.
//
// Threads: the test's; what the test gave runs on the accelerator's. Lifetime: outlived by dpa.
#pragma once

#include <doca_dpa.h>
#include <doca_dpa_dev.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "doca/control_parties.h"

namespace comch::test {

// A function by which the program names a device function.
template <class Function>
doca_dpa_func_t* device_function(Function* function) {
  return reinterpret_cast<doca_dpa_func_t*>(function);
}

struct DpaTest : testing::Test {
  DpaTest();
  ~DpaTest() override;
  // Calls `body` on a thread of the accelerator and answers what it answers.
  std::uint64_t call(const std::function<std::uint64_t()>& body);

  OpenDevice device{kDpuPci};
  doca_dpa* dpa = nullptr;
};

// A thread of the accelerator, started; it runs once something is attached and run() was called.
class DeviceThread {
 public:
  DeviceThread(doca_dpa* dpa, std::function<void()> body);
  ~DeviceThread();
  DeviceThread(const DeviceThread&) = delete;
  DeviceThread& operator=(const DeviceThread&) = delete;
  operator doca_dpa_thread*() const { return thread_; }
  std::uint64_t runs() const { return runs_; }

 private:
  static void run(std::uint64_t argument);

  const std::function<void()> body_;
  std::atomic<std::uint64_t> runs_{0};  // That have begun.
  doca_dpa_thread* thread_ = nullptr;
};

}  // namespace comch::test
