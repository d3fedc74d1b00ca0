// Setters: rows of settings that come in one shape for objects of many kinds.
//
// Threads: one. Lifetime: the objects outlive their rows.
#pragma once

#include <doca_dpa.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "doca/bad_input/callbacks.h"
#include "doca/bad_input/rows.h"
#include "doca/control_parties.h"

namespace comch::test {

// A handle of doca_cc is one of doca_comch under an older name.
template <class Older, class Newer>
Older* older(Newer* handle) {
  return reinterpret_cast<Older*>(handle);
}

// The setter of a number that has a getter; `unit` times 1 and 2 are values that it may have.
template <class Object, class Number>
Setter sized(const char* function, Object* object, doca_error_t (*set)(Object*, Number),
             doca_error_t (*get)(const Object*, Number*), Number unit) {
  return {function, [=](std::uint64_t n) { return set(object, static_cast<Number>(n * unit)); },
          [=] {
            Number value = 0;
            EXPECT_EQ(get(object, &value), DOCA_SUCCESS);
            return std::uint64_t{value / unit};
          }};
}

// The word of the program's that an object has.
template <class Object>
Get word_of(Object* object, doca_error_t (*get)(const Object*, doca_data*)) {
  return [=] {
    doca_data word{};
    EXPECT_EQ(get(object, &word), DOCA_SUCCESS);
    return word.u64;
  };
}

// The setter of a task's two callbacks; `number` tasks, or the logarithm of that.
template <class Task, class Object>
Setter task_setter(const char* function, Object* object,
                   doca_error_t (*set)(Object*, TaskCallback<Task>, TaskCallback<Task>,
                                       std::uint32_t),
                   std::uint32_t number = 4) {
  return {function,
          [=](std::uint64_t n) { return set(object, on_task<Task>(n), on_task<Task>(n), number); }};
}

// The registration of one callback, or of two that are the same.
template <class Object, class Callback>
Setter callback_setter(const char* function, Object* object, doca_error_t (*set)(Object*, Callback),
                       Callback (*callback)(std::uint64_t)) {
  return {function, [=](std::uint64_t n) { return set(object, callback(n)); }};
}
template <class Object, class Callback>
Setter callback_setter(const char* function, Object* object,
                       doca_error_t (*set)(Object*, Callback, Callback),
                       Callback (*callback)(std::uint64_t)) {
  return {function, [=](std::uint64_t n) { return set(object, callback(n), callback(n)); }};
}

// What every context has. Those that run on the CPU are tied to an engine once and for all, and run
// nowhere else, which they say after they have said that they are not idle.
std::vector<Setter> context_setters(doca_pe* pe, doca_ctx* ctx, doca_dpa* dpa);

}  // namespace comch::test
