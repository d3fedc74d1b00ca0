// Limits: bare programs, each of which does nothing but what its structure needs: the most
// that a fast path of that structure could reach.
//
//   slot_ring        a line pair per message, copied in and out, published one by one: 64 slots
//   slot_ring_256    the same at that depth, which not every first-level cache holds
//   index_ring       packed, published 64 at a time
//   one_copy         one copy by the sender, into the buffer where it is read
//   shared_copy      the same copy, by sender and receiver together
//   in_place         two buffers, no copy: a message waits for the one before the last
//   in_place_16      sixteen of them
//   memcpy, rep_movsb, non_temporal     no message at all: one process copies
#pragma once

#include <vector>

#include "bench/peers/subject.h"

namespace comch::bench {

// `largest`: messages of more bytes are left out.
std::vector<Subject> limits(std::size_t largest);

}  // namespace comch::bench
