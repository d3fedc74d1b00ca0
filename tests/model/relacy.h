// Relacy without its macros of everybody's names (new, assert, memory_order_relaxed). What the
// models want of the standard library comes with it, for all this is precompiled (meson.build).
#ifndef COMCH_TESTS_MODEL_RELACY_H
#define COMCH_TESTS_MODEL_RELACY_H

// Ahead of relacy, whose macros would rewrite them.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <iostream>
#include <ostream>
#include <relacy/relacy.hpp>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

#endif  // COMCH_TESTS_MODEL_RELACY_H
