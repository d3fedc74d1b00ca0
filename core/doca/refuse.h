// refuse: how the C API says no: the documented code to the program, and one line to the log
// with the name of the function and what to do.
//
// Errors of the engine are the documented ones by number (comch/result.h), so that passing
// one on is a cast. `again`, `in_progress` and `no_memory` are answers, not failures, and are not
// logged: programs ask again until a task is free.
//
// Threads: any.
#pragma once

#include <doca_error.h>

#include <exception>
#include <new>
#include <source_location>
#include <utility>

#include "comch/result.h"

namespace comch::doca {

#pragma GCC visibility push(default)  // Shared by the libraries of the C API.
// Logs "doca_comch_server_create: the name is empty (invalid_value)" and answers the code.
doca_error_t refuse(Errc code, const char* what,
                    std::source_location where = std::source_location::current());
#pragma GCC visibility pop

inline doca_error_t null_argument(std::source_location where = std::source_location::current()) {
  return refuse(Errc::invalid_value, "a pointer argument is NULL", where);
}

constexpr doca_error_t number_of(Errc code) { return static_cast<doca_error_t>(code); }

// What a call of the engine answered.
inline doca_error_t answer(const Error& error,
                           std::source_location where = std::source_location::current()) {
  const bool is_answer =
      error.code == Errc::again || error.code == Errc::in_progress || error.code == Errc::no_memory;
  return is_answer ? number_of(error.code) : refuse(error.code, error.what, where);
}
inline doca_error_t answer(const Status& status,
                           std::source_location where = std::source_location::current()) {
  if (status) [[likely]]
    return DOCA_SUCCESS;
  return answer(status.error(), where);
}

// Runs what may allocate: no exception leaves the C API. Those of the library, and of what it
// stands on, are all std::exceptions; what the runtime throws to end a thread is none, and passes.
template <class Work>
doca_error_t guarded(Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return DOCA_ERROR_NO_MEMORY;
  } catch (const std::exception&) {
    return DOCA_ERROR_UNEXPECTED;
  }
}

}  // namespace comch::doca
