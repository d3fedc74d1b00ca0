// Permission: who may use what inside an object's directory.
//
// An object (a server, a client, a connection) has one owner, one group and one mode:
// those of its directory. Its files follow: whoever may write in the directory may use
// the object, that is, read and write its streams and change its settings; whoever may
// read the directory may read its attributes.
//
//   directory rwxr-x---   attributes r--r----- or rw-r-----   streams -w------- r--------
//   directory rwxrwx---   attributes r--r----- or rw-rw----   streams -w--w---- r--r-----
//
// Threads: pure functions of their arguments.
#pragma once

#include <sys/stat.h>

namespace comch::fuse {

// What a file lets people do.
struct Direction {
  bool readable = false;
  bool writable = false;
};

// The permission bits of a settings or statistics file in a directory of mode `directory`.
constexpr mode_t attribute_mode(mode_t directory, Direction direction) {
  return (direction.readable ? directory & 0444 : 0) | (direction.writable ? directory & 0222 : 0);
}

// The permission bits of a stream: messages are for those who may write in the directory.
constexpr mode_t stream_mode(mode_t directory, Direction direction) {
  const mode_t users = directory & 0222;
  return (direction.readable ? users << 1 : 0) | (direction.writable ? users : 0);
}

static_assert(stream_mode(0755, {.writable = true}) == 0200);
static_assert(stream_mode(0755, {.readable = true}) == 0400);
static_assert(stream_mode(0755, {.readable = true, .writable = true}) == 0600);
static_assert(attribute_mode(0755, {.readable = true, .writable = true}) == 0644);

}  // namespace comch::fuse
