// Fast subjects: comch's own cells beside its limits and peers.
//
//   comch_array      submits and polls arrays of messages
//   comch_view       the same, but messages are looked at where they lie, without posted buffers
//   comch_task       a task and a callback for each message, depth 256, nobody helps copying
//   comch_task_16    the same at depth 16
//   comch_shared     the same, sender and receiver copy together
//   comch_staged     through memory that both map, as for a consumer that cannot be mapped
//   comch_cma        the kernel copies
//   comch_loan       builds messages in the receiver's buffers
//   comch_hand_over  has messages read where they are, and given back
//   comch_ring       through submit() and peek_batch() of comch-uring, depth 256
//   comch_ring_1024  the same at depth 1,024
//   comch_ring_view  the same at 256, messages looked at where they lie
//
// Small messages have that many buffers posted; large ones as many as the bare rings.
#pragma once

#include <vector>

#include "bench/peers/subject.h"

namespace comch::bench {

// `largest`: bytes of the largest message.
std::vector<Subject> fast_subjects(std::size_t largest);

}  // namespace comch::bench
