// BadInputList: every setter of the C API, and every argument that is a number; made by
// bad_input.py.
//
// Threads: any. Lifetime: static.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const char* const setters[];
extern const size_t setter_count;

struct number_argument {
  const char* function;
  const char* argument;
  uint64_t most;  // That its type can say.
  int is_signed;
};
extern const struct number_argument number_arguments[];
extern const size_t number_argument_count;

#ifdef __cplusplus
}
#endif
