// Homebound: what is forsaken; see homebound.h.
#include "base/homebound.h"

#include <atomic>
#include <forward_list>
#include <mutex>
#include <new>

#include "base/say.h"

namespace comch {
namespace {

// Never destroyed: objects may be deleted by whatever runs at the very end.
struct Forsaken {
  std::mutex mutex;
  std::forward_list<const void*> objects;
};

}  // namespace

std::unexpected<Error> refuse_away() {
  static std::atomic<bool> told{false};
  if (!told.exchange(true, std::memory_order_relaxed)) {  // Makes no edge: a flag alone.
    say(LogLevel::kError,
        "an object of comch that was made before fork() is used in the child; it is the parent's: "
        "make another one in the child, or fork before making any");
  }
  return fail(Errc::not_permitted, "the object is the process's that forked this one");
}

void forsake(const void* memory) noexcept {
  try {
    static auto& forsaken = *new Forsaken;
    const std::lock_guard lock(forsaken.mutex);
    forsaken.objects.push_front(memory);
  } catch (const std::bad_alloc&) {
    return;  // It counts as lost, and that is all.
  }
}

}  // namespace comch
