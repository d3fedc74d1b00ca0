// Graveyard: objects that were removed from the tree and have not ended yet.
//
// rmdir(2) is answered at once, because the kernel locks the parent directory until it
// is; stopping a server may take as long as its peers do. What is still stopping is kept
// here, and destroyed as soon as it is idle.
//
// Threads: the loop's.
#pragma once

#include <memory>
#include <vector>

namespace comch::fuse {

// An object that is on its way out.
class Ending {
 public:
  virtual ~Ending() = default;
  // True: it is over, and may be destroyed. Must not be called from an engine callback.
  virtual bool try_to_end() = 0;
};

class Graveyard {
 public:
  void bury(std::shared_ptr<Ending> object) { objects_.push_back(std::move(object)); }
  void check() {
    std::erase_if(objects_, [](const auto& object) { return object->try_to_end(); });
  }
  bool empty() const { return objects_.empty(); }

 private:
  std::vector<std::shared_ptr<Ending>> objects_;
};

}  // namespace comch::fuse
