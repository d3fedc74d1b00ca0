// Slow close: ending what a peer has sent, which may take as long as the peer likes.
//
// close(2) waits for whoever is behind a descriptor: a file of the peer's own file system is
// flushed by the peer, a TCP socket lingers while the other end of it reads nothing, and a unix
// socket takes along what lies in it. What comch's peers send each other closes at once: memory,
// and unix sockets that are empty. Everything else is closed on a thread of its own.
//
// A peer has to be admitted to send such a thing, and none of ours does. So little of one user's
// waits at a time: beyond kWaitingOfAUserMax nothing of his is taken (packet.h), for he could have
// all descriptors of this process by what it waits for.
//
// Memory is freed by whoever unmaps it last: a peer's, who is gone, by us, at a second for a few
// gigabytes. Where there may be much of it, that is done elsewhere, too.
//
// Each is a job by itself, so that one that is not closed keeps no other open. A socket is told not
// to linger first; who sent it may take that back, but has to be quick. There are kSlowJobsMax
// threads at most: what comes beyond waits until somebody lets go of one. Memory waits for nobody:
// it has threads of its own.
//
// Threads: any. Errors: none; where no thread can be made the jobs wait for the next call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "os/fd.h"

namespace comch::os {

inline constexpr std::size_t kSlowJobsMax = 64;  // At a time; picked.
inline constexpr std::size_t kUnmappingMax = 4;  // The same of memory; picked.

// kOnceEmpty: a SeqSocket that listens to no callers.
enum class Closing { kAtOnce, kOnceEmpty, kSlow };
Closing closing_of(const Fd& fd);

// The user who has sent it, by the kernel's word. None: it is not counted.
using Sender = std::optional<std::uint32_t>;
inline constexpr std::size_t kWaitingOfAUserMax = 16;  // One packet may bring more; picked.
// More is not to be taken: so much of his waits.
bool has_too_many(Sender sender);

// Closes them, and does not wait for it.
void close_elsewhere(std::vector<Fd> fds, Sender sender = {});
// The same of memory.
void free_elsewhere(std::vector<Fd> memory);
// Unmaps these pages, and does not wait for it if they are many. The addresses are in use until
// then, and the share of what they are counted for is let go of thereafter.
void unmap_elsewhere(std::span<std::byte> pages, std::shared_ptr<const void> share);
inline constexpr std::size_t kManyBytes = std::size_t{16} << 20U;  // Some milliseconds; picked.
// Any other thing that may take its time, and does not throw.
void do_elsewhere(std::function<void()> job, Sender sender = {});

// How many are not done.
std::size_t slow_jobs();

}  // namespace comch::os
