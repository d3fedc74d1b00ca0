// Inherited: descriptors that a child of fork() does not keep. They are closed in it at once, as
// memory can be kept from it by MADV_DONTFORK.
//
//   socket.close_in_children();       // Fd; what it holds from now on, until it closes it.
//
// A child that kept a connection's socket would keep the peer from seeing this process's death,
// and one that kept the lock of a name would keep the name, for as long as it lives.
//
// For descriptors of objects that a child forsakes (base/homebound.h) and never closes itself, and
// that the application does not know by number.
//
// Threads: any; a descriptor that is marked or closed while another thread forks may stay open in
// the child. Lifetime: nothing to end. Errors: none; descriptors above the first million are kept.
#pragma once

namespace comch::os {

void close_in_children(int fd);
// It is about to be closed, or another's.
void keep_in_children(int fd) noexcept;

}  // namespace comch::os
