// DeviceHandle: the number by which device functions know an object of the program's, and which
// dies with the object.
//
// Programs destroy what their device functions use while these still run, and stop the threads
// last, as if objects of the accelerator's could not be freed under it. So a number is no
// address: who uses one holds the object meanwhile, and finds nothing once it is gone.
//
//   struct Face { std::unique_ptr<Object> made; DeviceHandle handle; };     in this order
//   Result<std::uint64_t> number = face.handle.of(*face.made);
//
//   if (const HeldObject<Object> object(number); object) object->use();     a device function
//
// Threads: numbers are given and taken back by the program's; used by any, without a lock.
// Lifetime: the number is dead, and nobody uses the object, when the handle's destructor returns.
#pragma once

#include <cstdint>

#include "comch/fork_mark.h"
#include "comch/result.h"

namespace comch::doca {

class DeviceHandle {
 public:
  DeviceHandle() = default;
  DeviceHandle(const DeviceHandle&) = delete;
  DeviceHandle& operator=(const DeviceHandle&) = delete;
  ~DeviceHandle();

  // The number of the one object that this is a handle of. no_memory: 65,535 are given.
  template <class Object>
  Result<std::uint64_t> of(Object& object) {
    return give(&object);
  }

 private:
  Result<std::uint64_t> give(void* object);

  const ForkMark home_;
  std::uint64_t number_ = 0;  // 0: none was asked for.
};

// What a number names, and null when it names nothing any more. leave_object() lets go of it.
void* enter_object(std::uint64_t number);
void leave_object(std::uint64_t number);

template <class Object>
class HeldObject {
 public:
  explicit HeldObject(std::uint64_t number)
      : number_(number), object_(static_cast<Object*>(enter_object(number))) {}
  HeldObject(const HeldObject&) = delete;
  HeldObject& operator=(const HeldObject&) = delete;
  ~HeldObject() {
    if (object_ != nullptr) leave_object(number_);
  }
  explicit operator bool() const { return object_ != nullptr; }
  Object* operator->() const { return object_; }

 private:
  const std::uint64_t number_;
  Object* const object_;
};

// `call` of the object that the number names; when it is gone, the answer of one that is stopped.
template <class Object, class Call>
auto with_object(std::uint64_t number, const Call& call)
    -> decltype(call(*static_cast<Object*>(nullptr))) {
  if (const HeldObject<Object> object(number); object) return call(*object.operator->());
  return fail(Errc::bad_state, "the object is destroyed");
}

}  // namespace comch::doca
