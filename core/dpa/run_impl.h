// RunImpl: what stands behind the Run that a kernel is given.
//
// Threads: the kernel's. Lifetime: one run.
#pragma once

#include <cstdint>

#include "comch/dpa.h"
#include "dpa/accelerator_impl.h"

namespace comch::dpa {

class RunImpl final : public Run {
 public:
  struct Place {
    std::uint32_t rank = 0;
    std::uint32_t count = 1;
    DeviceAddress local_storage{};
    const std::atomic<bool>* stopping = nullptr;  // Null: nobody stops it.
  };

  RunImpl(AcceleratorImpl& on, const Place& at) : accelerator(on), place(at) {}

  static RunImpl& of(Run& face) { return static_cast<RunImpl&>(face); }
  static const RunImpl& of(const Run& face) { return static_cast<const RunImpl&>(face); }

  // Runs the kernel; what it throws ruins the accelerator.
  template <class Body>
  void protect(Body&& body) {
    try {
      body(*this);
    } catch (...) {
      accelerator.report_failure({Errc::unexpected, 0, "a kernel threw an exception"});
    }
  }

  AcceleratorImpl& accelerator;
  const Place place;
  bool finished = false;
};

}  // namespace comch::dpa
