// CommonOptions: what every subcommand understands, before or after its own options.
//
// main() fills them from the command line; fabric.h turns them into devices.
//
// Threads: plain values; they do not change once the command line is read.
#pragma once

#include <cstdint>
#include <string>

#include "comch/capability.h"

namespace comch::tool {

struct CommonOptions {
  std::string device;       // A name or PCI address; empty: the first of the side needed.
  std::string representor;  // A PCI address or vuid; empty: the first there is.
  std::uint32_t max_message_size = kDefaultMessageSize;
  bool json = false;
};

}  // namespace comch::tool
