// PollSet: the open files somebody polls for one reason, such as "a message may be there".
//
// A file joins when it is polled and leaves when it is closed; in between it is woken at
// every occasion, which edge-triggered epoll needs.
//
// Threads: the loop's.
#pragma once

#include <unordered_set>

#include "open_file.h"

namespace comch::fuse {

class PollSet {
 public:
  void join(OpenFile& file) { files_.insert(&file); }
  void leave(OpenFile& file) { files_.erase(&file); }
  bool empty() const { return files_.empty(); }
  void wake() const {
    for (OpenFile* file : files_) file->wake_pollers();
  }

 private:
  std::unordered_set<OpenFile*> files_;
};

}  // namespace comch::fuse
