// ForkMark: see comch/fork_mark.h: a number that every fork() makes another one in the child.
#include "comch/fork_mark.h"

#include <pthread.h>

namespace comch {
namespace {

constinit std::atomic<std::uint32_t> generation{0};

// Without memory for the handler, marks tell nothing apart; nothing else depends on it.
void watch_forks() {
  [[maybe_unused]] static const int watched = ::pthread_atfork(nullptr, nullptr, [] {
    generation.fetch_add(1, std::memory_order_relaxed);  // Makes no edge: the child has one thread.
  });
}

}  // namespace

ForkMark::ForkMark() : now_(&generation) {
  watch_forks();
  made_ = now_->load(std::memory_order_relaxed);  // Makes no edge: a number.
}

}  // namespace comch
