// InitReply: what is said to the kernel at INIT that libfuse 3.14 cannot say.
//
// Newer kernels let a daemon name a time after which an unanswered request means that it
// is stuck, and the administrator may set a default (fs.fuse.default_request_timeout).
// Reads of ours wait for hours by design, and one such read would end the whole mount:
// so where a default is set, the longest time there is, 65535 s, takes its place. Where
// none is set nothing is changed, because naming any time would be a limit.
//
// Threads: a pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace comch::fuse {

// Changes the body of an INIT reply in place. `offered_flags2` are the upper flags of
// the kernel's INIT. True: it was changed.
bool override_request_timeout(std::span<std::byte> body, std::uint32_t offered_flags2);

// Whether the administrator has set a default.
bool has_default_request_timeout();

}  // namespace comch::fuse
