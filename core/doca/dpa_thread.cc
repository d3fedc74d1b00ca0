// doca_dpa_thread: see dpa.h and doca_dpa.h.
#include "doca/dpa.h"
#include "doca/dpa_run.h"
#include "doca/refuse.h"

namespace doca = comch::doca;
using comch::Errc;
using comch::dpa::DeviceAddress;
using comch::dpa::Run;
using comch::dpa::Thread;
using doca::answer;
using doca::null_argument;
using doca::refuse;

namespace {

// A device function of a thread, by what it takes.
using ThreadFunction = void(std::uint64_t);

void run_function(const doca_dpa_thread& thread, Run& run) {
  doca::run_on_device(thread.dpa, run, [&thread] {
    reinterpret_cast<ThreadFunction*>(thread.function)(thread.argument);
  });
}

// Nothing runs any more that could read what was kept.
comch::Status stop_and_let_go(doca_dpa_thread& thread) {
  const comch::Status stopped = doca::stop_if_started(thread);
  if (stopped) thread.kept.clear();
  return stopped;
}

}  // namespace

doca_error_t doca_dpa_thread_create(doca_dpa* dpa, doca_dpa_thread** dpa_thread) {
  if (dpa == nullptr || dpa_thread == nullptr) return null_argument();
  return doca::guarded([&] {
    auto made = Thread::create(dpa->accelerator());
    if (!made) return answer(made.error());
    *dpa_thread = new doca_dpa_thread{.dpa = *dpa, .made = std::move(*made)};
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_thread_destroy(doca_dpa_thread* dpa_thread) {
  if (dpa_thread == nullptr) return null_argument();
  if (comch::Status s = stop_and_let_go(*dpa_thread); !s) return answer(s);
  if (comch::Status s = Thread::destroy(dpa_thread->made); !s) return answer(s);
  delete dpa_thread;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_func_arg(doca_dpa_thread* dpa_thread, doca_dpa_func_t* func,
                                          uint64_t arg) {
  if (dpa_thread == nullptr || func == nullptr) return null_argument();
  return doca::guarded([&] {
    comch::Status s =
        dpa_thread->made->set_kernel([dpa_thread](Run& run) { run_function(*dpa_thread, run); });
    if (!s) return answer(s);
    dpa_thread->function = func;
    dpa_thread->argument = arg;
    return DOCA_SUCCESS;
  });
}

doca_error_t doca_dpa_thread_get_func_arg(doca_dpa_thread* dpa_thread, doca_dpa_func_t** func,
                                          uint64_t* arg) {
  if (dpa_thread == nullptr || func == nullptr || arg == nullptr) return null_argument();
  *func = dpa_thread->function;
  *arg = dpa_thread->argument;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_local_storage(doca_dpa_thread* dpa_thread,
                                               doca_dpa_dev_uintptr_t dev_ptr) {
  if (dpa_thread == nullptr) return null_argument();
  if (comch::Status s = dpa_thread->made->set_local_storage(DeviceAddress{dev_ptr}); !s) {
    return answer(s);
  }
  dpa_thread->local_storage = dev_ptr;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_local_storage(doca_dpa_thread* dpa_thread,
                                               doca_dpa_dev_uintptr_t* dev_ptr) {
  if (dpa_thread == nullptr || dev_ptr == nullptr) return null_argument();
  *dev_ptr = dpa_thread->local_storage;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_set_affinity(doca_dpa_thread* dpa_thread,
                                          const doca_dpa_eu_affinity* affinity) {
  if (dpa_thread == nullptr || affinity == nullptr) return null_argument();
  if (dpa_thread->made->started()) return refuse(Errc::bad_state, "the thread is started");
  dpa_thread->affinity = affinity;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_get_affinity(doca_dpa_thread* dpa_thread,
                                          const doca_dpa_eu_affinity** affinity) {
  if (dpa_thread == nullptr || affinity == nullptr) return null_argument();
  *affinity = dpa_thread->affinity;
  return DOCA_SUCCESS;
}

doca_error_t doca_dpa_thread_start(doca_dpa_thread* dpa_thread) {
  if (dpa_thread == nullptr) return null_argument();
  return doca::guarded([&] { return answer(dpa_thread->made->start()); });
}

doca_error_t doca_dpa_thread_stop(doca_dpa_thread* dpa_thread) {
  if (dpa_thread == nullptr) return null_argument();
  if (!dpa_thread->made->started()) return refuse(Errc::bad_state, "the thread is not started");
  return answer(stop_and_let_go(*dpa_thread));
}

doca_error_t doca_dpa_thread_run(doca_dpa_thread* dpa_thread) {
  if (dpa_thread == nullptr) return null_argument();
  return answer(dpa_thread->made->run());
}

doca_error_t doca_dpa_thread_get_id(doca_dpa_thread* dpa_thread, uint32_t* dpa_thread_id) {
  if (dpa_thread == nullptr || dpa_thread_id == nullptr) return null_argument();
  *dpa_thread_id = dpa_thread->made->id();
  return DOCA_SUCCESS;
}
