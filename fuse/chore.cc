// Work on a thread of its own; see chore.h.
#include "chore.h"

#include <system_error>
#include <thread>
#include <utility>

namespace comch::fuse {

std::shared_ptr<Chore> Chore::start(std::shared_ptr<const Bell> bell, std::function<void()> work) {
  auto chore = std::make_shared<Chore>();
  auto run = [chore, bell = std::move(bell), work = std::move(work)]() mutable {
    work();
    work = {};  // What it kept ends here, on this thread, and not with who asks whether it is done.
    // DONE: what was written above is seen by whoever is told of it.
    chore->done_.store(true, std::memory_order_release);
    bell->ring();
  };
  try {
    std::thread(std::move(run)).detach();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return chore;
}

}  // namespace comch::fuse
