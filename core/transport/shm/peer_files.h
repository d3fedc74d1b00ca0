// PeerFiles: the files that a consumer was shown by the process of its producers, so that readings
// may speak of them by number: messages of which each side reads a part.
//
//   files.add({.number = 3}, std::move(packet.file), allowances);
//   const os::PeerFile* file = files.find(3);     // file->read(room, offset)
//   files.end(3);
//
// Nobody has to read one: what this side cannot have the other reads by itself. So one that it has
// no descriptor left for is known, and cannot be read.
//
// Threads: the consumer's. Lifetime: a file stays where it is until it ends. Errors: of add(), see
// there. Tests: peer_files_test.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "comch/result.h"
#include "os/peer_file.h"
#include "transport/shm/allowances.h"
#include "wire/fast_packet.h"

namespace comch::transport::shm {

class PeerFiles {
 public:
  static constexpr std::size_t kMost = 1024;  // That have not ended.

  // connection_reset: no correct peer says this.
  Status add(const wire::File& said, os::PeerFile file, Allowances& allowances);
  // False: there is none of this number.
  bool end(std::uint32_t number) { return files_.erase(number) != 0; }
  // Null: there is none, or none any more.
  const os::PeerFile* find(std::uint32_t number) const;

 private:
  struct Known {
    std::shared_ptr<const void> descriptor_share;
    os::PeerFile file;
  };
  std::map<std::uint32_t, Known> files_;  // By number.
  std::uint64_t next_ = 0;                // The least number that was not said yet.
};

}  // namespace comch::transport::shm
