// Doorbell: one packet on a socket, for whoever sleeps at its other end; or none, where he waits
// for the word of his bell.
//
//   if (bell.should_ring()) ring(bell, socket);
//
// A socket that is full has what its owner will wake for. Else a doorbell that cannot be sent, for
// the kernel has no memory, would leave somebody asleep over what was published for him: it is
// tried again, a few times, and then the socket is shut down, so that both of its ends learn it by
// its end.
//
// Threads: any. Errors: none but that.
#pragma once

#include "comch/wake_word.h"
#include "os/fd.h"
#include "os/futex.h"
#include "shm/bell.h"

namespace comch::transport::shm {

void ring(const os::Fd& socket);

// Of a sleeper that is armed; see BellSleeper.
template <class Machine>
WakeWord ask_for_word(comch::shm::BellSleeper<Machine>& bell) {
  const std::uint32_t value = bell.ask_for_word();
  return {.word = static_cast<const std::uint32_t*>(bell.word()), .value = value};
}

template <class Machine>
void ring(comch::shm::BellRinger<Machine>& bell, const os::Fd& socket) {
  if (bell.raise()) return os::wake_all(bell.word());
  ring(socket);
}

}  // namespace comch::transport::shm
