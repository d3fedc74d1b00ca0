// Claim: a server's name on this machine, held. Ports alone would let a second server of the same
// name in: it would take the next one.
//
// Threads: any. Lifetime: the name is free again when the claim goes, however its process ends.
#pragma once

#include <string>
#include <string_view>

#include "comch/result.h"
#include "os/fd.h"

namespace comch::transport::rdma {

class Claim {
 public:
  // already_exist: a living server of this machine has the name. not_permitted: the runtime
  // directory may not be written. operating_system: see sys.
  static Result<Claim> take(std::string_view device, std::string_view representor,
                            std::string_view server_name);

  Claim(Claim&&) noexcept = default;
  Claim& operator=(Claim&&) noexcept = default;
  ~Claim();

 private:
  Claim(os::Fd runtime, os::Fd directory, os::Fd lock, std::string name)
      : runtime_(std::move(runtime)),
        directory_(std::move(directory)),
        lock_(std::move(lock)),
        name_(std::move(name)) {}

  os::Fd runtime_;
  os::Fd directory_;
  os::Fd lock_;
  std::string name_;
};

}  // namespace comch::transport::rdma
