// The part of INIT that libfuse does not know; see init_reply.h.
#include "init_reply.h"

#include <cstring>
#include <fstream>

namespace comch::fuse {
namespace {

// Of struct fuse_init_out since protocol 7.43; older headers do not have them.
constexpr std::size_t kFlagsAt = 12;
constexpr std::size_t kFlags2At = 32;
constexpr std::size_t kRequestTimeoutAt = 40;
constexpr std::size_t kBodySize = 64;
constexpr std::uint32_t kInitExt = 1U << 30;         // Flags: flags2 mean something.
constexpr std::uint32_t kRequestTimeout = 1U << 10;  // Flags2: so does request_timeout.
constexpr std::uint16_t kLongest_s = 65535;

void set_flag(std::span<std::byte> body, std::size_t at, std::uint32_t flag) {
  std::uint32_t flags = 0;
  std::memcpy(&flags, &body[at], sizeof flags);
  flags |= flag;
  std::memcpy(&body[at], &flags, sizeof flags);
}

}  // namespace

bool override_request_timeout(std::span<std::byte> body, std::uint32_t offered_flags2) {
  if ((offered_flags2 & kRequestTimeout) == 0 || body.size() < kBodySize) return false;
  set_flag(body, kFlagsAt, kInitExt);
  set_flag(body, kFlags2At, kRequestTimeout);
  std::memcpy(&body[kRequestTimeoutAt], &kLongest_s, sizeof kLongest_s);
  return true;
}

bool has_default_request_timeout() {
  std::ifstream file("/proc/sys/fs/fuse/default_request_timeout");
  unsigned seconds = 0;
  return file >> seconds && seconds != 0;
}

}  // namespace comch::fuse
