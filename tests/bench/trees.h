// Trees: the two file systems whose cost is compared: comchfs, with both ends of a connection
// in it, and the bare one, which does nothing with what it is told.
//
// Threads, Lifetime, Errors: as MountedProgram.
#pragma once

#include <filesystem>

#include "bench/mounted_program.h"
#include "bench/timing.h"
#include "support/temp_dir.h"

namespace comch::bench {

class BareTree {
 public:
  explicit BareTree(const std::filesystem::path& program);

  // One write and one read of `bytes`, on a file that is kept open.
  double write_and_read_ns(Duration duration, std::size_t bytes) const;

 private:
  MountedProgram tree_;
};

class ComchTree {
 public:
  explicit ComchTree(const std::filesystem::path& program);

  // A client's message of 64 bytes, written, and read at the server.
  double write_and_read_ns(Duration duration) const;
  // `messages` of them, framed, in one write and in one read.
  double framed_write_and_read_ns(Duration duration, int messages) const;

 private:
  double exchange_ns(Duration duration, const char* send, const char* receive,
                     const std::string& bytes) const;

  test::RuntimeDirectory runtime_;
  MountedProgram tree_;
};

}  // namespace comch::bench
