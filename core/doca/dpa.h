// What stands behind the handles of doca_dpa.h: the engine's objects (comch::dpa), with what the
// engine does not keep beside them, and the number by which device functions know them.
//
// A completion context that is destroyed before its thread is stopped is kept until then: the
// thread may be reading an element of it.
//
// Threads, lifetime: see doca_dpa.h.
#pragma once

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_dpa.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <source_location>
#include <utility>
#include <vector>

#include "comch/device.h"
#include "comch/dpa.h"
#include "comch/dpa_queue.h"
#include "doca/device_handle.h"
#include "doca/dpa_log.h"
#include "doca/refuse.h"

struct doca_dpa {
  explicit doca_dpa(std::shared_ptr<comch::Device> on) : device(std::move(on)) {}

  bool is_extended() const { return base != nullptr; }
  comch::dpa::Accelerator& accelerator() const { return is_extended() ? *base->made : *made; }
  comch::doca::DeviceLog& log() { return is_extended() ? base->device_log : device_log; }

  const std::shared_ptr<comch::Device> device;
  std::unique_ptr<comch::dpa::Accelerator> made;  // Null of an extended one.
  doca_dpa* base = nullptr;                       // Of an extended one.
  std::atomic<std::uint32_t> extensions{0};       // That are not destroyed.
  doca_dpa_app* app = nullptr;
  comch::doca::DeviceLog device_log;
  comch::doca::DeviceHandle handle;
};

struct doca_dpa_thread {
  doca_dpa& dpa;
  std::unique_ptr<comch::dpa::Thread> made;
  doca_dpa_func_t* function = nullptr;
  std::uint64_t argument = 0;
  doca_dpa_dev_uintptr_t local_storage = 0;
  const doca_dpa_eu_affinity* affinity = nullptr;
  std::vector<std::shared_ptr<void>> kept = {};  // Completion contexts, until it is stopped.
};

struct doca_dpa_completion {
  std::unique_ptr<comch::dpa::ProducerCompletion> made;
  doca_dpa_thread* thread = nullptr;  // None: it is polled.
  comch::doca::DeviceHandle handle = {};
};

struct doca_comch_consumer_completion {
  std::unique_ptr<comch::dpa::ConsumerCompletion> made;
  doca_dpa_thread* thread = nullptr;  // None: it is polled.
  comch::doca::DeviceHandle handle = {};
};

struct doca_dpa_async_ops {
  std::unique_ptr<comch::dpa::AsyncOperations> made;
  comch::doca::DeviceHandle handle = {};
};

struct doca_dpa_notification_completion {
  std::unique_ptr<comch::dpa::Notification> made;
  doca_dpa_thread* thread;
  comch::doca::DeviceHandle handle = {};
};

namespace comch::doca {

// A place that device functions know by its address: an element, or what the program made.
template <class Place>
std::uint64_t address_of(Place* place) {
  return reinterpret_cast<std::uintptr_t>(place);
}
template <class Place>
Place* place_at(std::uint64_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was a pointer.
  return reinterpret_cast<Place*>(static_cast<std::uintptr_t>(address));
}

// What the program tells device functions of an object that is started.
template <class Face>
doca_error_t tell_handle(Face& face, std::uint64_t* number, std::source_location where) {
  if (!face.made->started()) return refuse(Errc::bad_state, "the object is not started", where);
  const Result<std::uint64_t> given = face.handle.of(*face.made);
  if (!given) return answer(given.error(), where);
  *number = *given;
  return DOCA_SUCCESS;
}

// Stops what is started; in_use: something depends on it, and it is unchanged.
template <class Face>
Status stop_if_started(Face& face) {
  return face.made->started() ? face.made->stop() : Status();
}

// Destroys a completion context that is stopped: now, or when its thread is stopped.
template <class Completion>
void retire(Completion* completion) {
  std::shared_ptr<Completion> last(completion);
  if (doca_dpa_thread* const thread = completion->thread;
      thread != nullptr && thread->made->started()) {
    thread->kept.push_back(std::move(last));
  }
}

}  // namespace comch::doca
