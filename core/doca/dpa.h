// What stands behind the handles of doca_dpa.h: mostly the engine's own objects (comch::dpa), with
// what the engine does not keep beside them.
//
//   doca_dpa_async_ops   is the engine's object itself, under another name
//   the others           hold it
//
// Device functions know an object by the address of the engine's: device_handle_of() and
// device_object().
//
// Threads, lifetime: see doca_dpa.h.
#pragma once

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_dpa.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "comch/device.h"
#include "comch/dpa.h"
#include "comch/dpa_queue.h"
#include "doca/dpa_log.h"

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
};

struct doca_dpa_thread {
  doca_dpa& dpa;
  std::unique_ptr<comch::dpa::Thread> made;
  doca_dpa_func_t* function = nullptr;
  std::uint64_t argument = 0;
  doca_dpa_dev_uintptr_t local_storage = 0;
  const doca_dpa_eu_affinity* affinity = nullptr;
};

struct doca_dpa_completion {
  std::unique_ptr<comch::dpa::ProducerCompletion> made;
  doca_dpa_thread* thread = nullptr;  // None: it is polled.
};

struct doca_dpa_notification_completion {
  std::unique_ptr<comch::dpa::Notification> made;
  doca_dpa_thread* thread;
};

namespace comch::doca {

inline comch::dpa::AsyncOperations& engine_of(doca_dpa_async_ops& operations) {
  return reinterpret_cast<comch::dpa::AsyncOperations&>(operations);
}

template <class Object>
std::uint64_t device_handle_of(Object* object) {
  return reinterpret_cast<std::uintptr_t>(object);
}
template <class Object>
Object* device_object(std::uint64_t handle) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): it was a pointer.
  return reinterpret_cast<Object*>(static_cast<std::uintptr_t>(handle));
}

// Destroys an object that its handle owns; on an error it is unchanged.
template <class Object>
Status destroy_engine(Object* object) {
  std::unique_ptr<Object> owned(object);
  const Status status = Object::destroy(owned);
  // Given back on an error; else there is nothing left to give.
  static_cast<void>(owned.release());
  return status;
}

// The same, and stops it first if it is started.
template <class Object>
Status stop_and_destroy(Object* object) {
  if (object->started()) {
    if (Status s = object->stop(); !s) return s;
  }
  return destroy_engine(object);
}

}  // namespace comch::doca
