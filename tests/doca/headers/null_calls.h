// NullCalls: one call for each pointer argument of each function of the C API, which is NULL; made
// by null_calls.py.
//
// Threads: any, but a call may spoil its process. Lifetime: static.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct null_call {
  const char* function;
  const char* argument;  // The one that is NULL.
  int expected;          // A doca_error_t; DOCA_SUCCESS where the function returns none.
  int (*call)(void);
};
extern const struct null_call null_calls[];
extern const size_t null_call_count;

// What the other pointers are: memory that can be neither read nor written.
extern void* null_calls_nowhere;

#ifdef __cplusplus
}
#endif
