// Peers: what a program would use that knows nothing of comch, as Debian packages it.
//
//   ucx_put       ucp_put into memory of the receiver, which looks for the message there
//   ucx_put_flag  the same, the whole message the sender's, and a flag behind it
//   ucx_am        ucp_am_send, and a handler at the receiver
//   iceoryx       loan, publish, take, release; one way by a copy into the loan
//   zeromq        PAIR sockets over ipc://
//   openmpi       MPI_Send and MPI_Recv, or a window of their non-blocking forms
//   seqpacket     a unix socket pair
//   pipe          a pipe, written and read a message at a time
//
// All ask for messages without sleeping. A peer this build found no library for is there all
// the same, and says which package it takes.
//
// Lifetime: what serves several cells (iceoryx's daemon, the MPI program) starts with the
// first of them, and ends with the last copy of the subject.
#pragma once

#include <filesystem>
#include <vector>

#include "bench/peers/subject.h"

namespace comch::bench {

// `programs`: the folder in which the build puts the programs of peers.
std::vector<Subject> peers(const std::filesystem::path& programs);

// Each is defined in a file of its own, which is compiled where its library is.
Subject ucx_put(const std::vector<Workload>& workloads);
Subject ucx_put_flag(const std::vector<Workload>& workloads);
Subject ucx_am(const std::vector<Workload>& workloads);
Subject iceoryx(std::vector<Workload> workloads);
Subject zeromq(const std::vector<Workload>& workloads);
Subject openmpi(std::vector<Workload> workloads, const std::filesystem::path& programs);
Subject seqpacket(const std::vector<Workload>& workloads);
Subject pipe(const std::vector<Workload>& workloads);

}  // namespace comch::bench
