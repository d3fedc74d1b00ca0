// DeviceRun: a run of a device function, as the calls of doca_dpa_dev.h that concern "this thread"
// see it.
//
//   run_on_device(dpa, run, [] { function(argument); });
//
// Threads: each has its own, while it runs a device function. Lifetime: the run.
#pragma once

#include <cstdint>
#include <functional>
#include <source_location>
#include <thread>

#include "comch/dpa.h"
#include "comch/result.h"
#include "doca/dpa.h"

namespace comch::doca {

struct DeviceRun {
  comch::dpa::Run& run;
  doca_dpa* dpa;  // Whose device is used: see doca_dpa_dev_device_set().
  bool has_told_of_drop = false;
};

// The run that the calling thread is in; null outside of device functions.
DeviceRun* current_run();

// What unwinds a device function whose run ends before it returns.
struct EndOfRun {};

// Calls `function`, and comes back when it returns or ends its run.
void run_on_device(doca_dpa& dpa, comch::dpa::Run& run, const std::function<void()>& function);

// The thread is to stop, its accelerator is ruined, or the caller is no device function.
bool must_return();

// Ruins the accelerator that the caller runs on, and says why; outside of device functions only
// says it.
void fault(const Error& error, std::source_location where = std::source_location::current());

// What becomes of a call that answers nothing: an object that was stopped meanwhile is left
// alone; anything else that went wrong is a fault.
void settle(const Status& status, std::source_location where = std::source_location::current());

// What a device function knows by its address, which is believed; of 0 it is null, and a fault.
template <class Element>
const Element* element_at(std::uint64_t address,
                          std::source_location where = std::source_location::current()) {
  if (address == 0) fault({Errc::invalid_value, 0, "there is no such completion"}, where);
  return place_at<const Element>(address);
}

// A line of the accelerator's log, at its level for warnings.
void warn_from_device(const char* what);

// An operation is not made because the thread is to stop; the log says so once a run.
void tell_of_drop();

// Makes an operation that is told to try again, until there is room for it or the thread is to
// stop; then it is dropped.
template <class Object, class Operation>
Status insist(std::uint64_t number, const Operation& operation) {
  for (;;) {
    Status status = with_object<Object>(number, operation);
    if (status || status.error().code != Errc::again) return status;
    if (must_return()) {
      tell_of_drop();
      return {};
    }
    std::this_thread::yield();
  }
}

}  // namespace comch::doca
