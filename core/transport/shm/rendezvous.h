// Rendezvous: the place in the file system where a client finds a server by name.
//
//   <runtime directory>/<representor's PCI address>+<server name>/
//       lock      held by the server as long as it lives; the kernel frees it on death
//       socket    where it listens
//
// A name is taken while its lock is held, and by nobody else; what a dead owner left is
// taken over at once.
//
// Threads: values. Lifetime: destroying a Berth removes what it made and frees the name.
#pragma once

#include <string>
#include <string_view>

#include "comch/result.h"
#include "os/fd.h"
#include "os/held_name.h"

namespace comch::transport::shm {

std::string berth_name(std::string_view representor, std::string_view server_name);

// A server's place, held.
class Berth {
 public:
  // already_exist: a living server has the name. not_permitted: the runtime directory may
  // not be written, or the place is another user's. operating_system: see sys.
  static Result<Berth> take(std::string_view representor, std::string_view server_name);

  Berth(Berth&&) noexcept = default;
  Berth& operator=(Berth&&) = delete;
  ~Berth();

  const os::Fd& socket() const { return socket_; }

 private:
  Berth(os::HeldName name, os::Fd socket);

  os::HeldName name_;
  os::Fd socket_;
};

// A connection to the server of that name, wherever the runtime directories have it.
// not_found: no such server. again: its backlog is full. not_permitted, operating_system: the
// kernel does not let us look.
Result<os::Fd> call(std::string_view representor, std::string_view server_name);

}  // namespace comch::transport::shm
