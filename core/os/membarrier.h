// Membarrier: a memory barrier in every other process that has asked to take part.
//
// Who publishes a message on every send cannot afford a store-load barrier; who goes to
// sleep once in a while can. With membarrier the sleeper runs the barrier for both:
//
//   sender                          sleeper
//   register_expedited() once
//   publish;  look at "asleep"      say "asleep";  expedite();  look again
//
// expedite() returns after every thread of every registered process that was running has
// passed a full barrier; one that was not running has passed it in the scheduler. It
// does nothing for a process that has not registered, which must use a fence of its own
// after publishing: tell the peer in the handshake which of the two you are.
//
// Threads: any.
#pragma once

namespace comch::os {

// True: this process takes part, from now on. The kernel is asked until it agrees, once.
// False: the kernel has no such call, or COMCH_NO_MEMBARRIER is set in the environment.
bool register_expedited();

// The barrier, in all that take part and in the calling thread. False: the kernel cannot
// do it and nothing has happened. Then no process of this machine takes part, and the
// sleeper owes itself std::atomic_thread_fence(std::memory_order_seq_cst), like everybody.
bool expedite();

// Makes the two calls above answer false while the object lives. For tests; one thread.
class WithoutMembarrier {
 public:
  WithoutMembarrier();
  ~WithoutMembarrier();
  WithoutMembarrier(const WithoutMembarrier&) = delete;
  WithoutMembarrier& operator=(const WithoutMembarrier&) = delete;
};

}  // namespace comch::os
