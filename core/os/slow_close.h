// Slow close: ending descriptors that a peer has sent, which may take as long as the peer likes.
//
// close(2) waits for whoever is behind a descriptor: a file of the peer's own file system is
// flushed by the peer, a TCP socket lingers while the other end of it reads nothing, and a unix
// socket takes along what lies in it. What comch's peers send each other closes at once: memory,
// and unix sockets that are empty. Everything else is closed on a thread of its own.
//
// Threads: any. Errors: none. One peer costs a thread for each such packet, until it lets go; there
// are kSlowClosesMax at most, and what comes beyond stays open with the process.
#pragma once

#include <cstddef>
#include <vector>

#include "os/fd.h"

namespace comch::os {

inline constexpr std::size_t kSlowClosesMax = 64;  // At a time; picked.

// kOnceEmpty: a SeqSocket that listens to no callers.
enum class Closing { kAtOnce, kOnceEmpty, kSlow };
Closing closing_of(const Fd& fd);

// Closes them, and does not wait for it.
void close_elsewhere(std::vector<Fd> fds);

// How many threads are at it.
std::size_t slow_closes();

}  // namespace comch::os
