// FileUse: what becomes of a file that is registered with a Ring.
#pragma once

#include <cstdint>

namespace comch::uring {

// kOwn    this side alone reads and writes it.
// kShown  the processes that it is sent to may read it, too, all of it: see comch/shown_file.h. A
//         prep_send_file() of 256 KiB and more is read by both sides then, each a part, where they
//         can (Producer::send_file()), and by this side alone where not.
enum class FileUse : std::uint8_t { kOwn, kShown };

}  // namespace comch::uring
