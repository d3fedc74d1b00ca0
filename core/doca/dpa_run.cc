// DeviceRun: see dpa_run.h.
#include "doca/dpa_run.h"

#include "doca/refuse.h"

namespace comch::doca {

namespace {

thread_local DeviceRun* current = nullptr;

}  // namespace

DeviceRun* current_run() { return current; }

// An exception of the function's own goes on, to the engine, which ruins the accelerator.
void run_on_device(doca_dpa& dpa, comch::dpa::Run& run, const std::function<void()>& function) {
  DeviceRun here{.run = run, .dpa = &dpa};
  struct Place {
    explicit Place(DeviceRun& in) { current = &in; }
    ~Place() { current = nullptr; }
  } const place(here);
  try {
    function();
  } catch (const EndOfRun&) {
    return;  // As if it had returned.
  }
}

bool must_return() { return current == nullptr || current->run.stopping(); }

void fault(const Error& error, std::source_location where) {
  if (current != nullptr) {
    current->run.accelerator().report_failure(error);
  } else {
    answer(error, where);
  }
}

void settle(const Status& status, std::source_location where) {
  if (status || status.error().code == Errc::bad_state) return;
  fault(status.error(), where);
}

void warn_from_device(const char* what) {
  if (current == nullptr) return;
  DeviceLog& log = current->dpa->log();
  if (!log.takes(DOCA_DPA_DEV_LOG_LEVEL_WARNING)) return;
  log.write(what);
  log.write("\n");
}

void tell_of_drop() {
  if (current == nullptr || current->has_told_of_drop) return;
  current->has_told_of_drop = true;
  warn_from_device("operations are dropped from here on: the thread is to stop");
}

}  // namespace comch::doca
