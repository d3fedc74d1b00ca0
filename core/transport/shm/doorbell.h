// Doorbell: one packet on a socket, for whoever sleeps at its other end.
//
//   ring(socket);
//
// A socket that is full has what its owner will wake for. Else a doorbell that cannot be sent, for
// the kernel has no memory, would leave somebody asleep over what was published for him: it is
// tried again, a few times, and then the socket is shut down, so that both of its ends learn it by
// its end.
//
// Threads: any. Errors: none but that.
#pragma once

#include "os/fd.h"

namespace comch::transport::shm {

void ring(const os::Fd& socket);

}  // namespace comch::transport::shm
