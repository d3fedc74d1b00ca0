// FileToPeer: a cached file that is to be in another process's memory, as one message: how long
// until it is there and the sender may go on.
//
// Small files go a few at a time, large ones one by one. Threads: its process's one. Errors:
// std::runtime_error, std::system_error.
#pragma once

#include <cstddef>

#include "bench/placement.h"
#include "bench/timing.h"
#include "comch/uring/file_use.h"

namespace comch::bench {

// read() of it into memory of one's own, where it stays: what the others are measured by.
double read_file_ns(const Pair& pair, std::size_t bytes, Duration duration);
// read(), and a message of what was read.
double read_and_send_ns(const Pair& pair, std::size_t bytes, Duration duration);
// prep_send_file(), with everything registered; of a file that is shown both sides read it.
double send_file_ns(const Pair& pair, std::size_t bytes, Duration duration, uring::FileUse use);

}  // namespace comch::bench
