// MsgqLink: what the consumers and producers of one msgq/NAME share: the run it is in.
//
// Threads: the loop's. Lifetime: shared by them.
#pragma once

#include <memory>

#include "accelerator_end.h"

namespace comch::fuse {

struct MsgqLink {
  AcceleratorEnd::Settings settings;
  std::shared_ptr<AcceleratorEnd> end;  // Null: it does not run.
};

}  // namespace comch::fuse
