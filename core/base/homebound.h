// Homebound: an object that ends only in the process that made it.
//
//   class ServerObject final : public Server, public Homebound<ServerObject> { ... };
//
// What its destructor would say and undo is the parent's: names, sockets' other ends, places in
// memory that a peer maps, threads that the child has not got, locks that they hold for ever. So a
// child of fork() that deletes it, be it by exit(), forsakes it: its memory stays as it is.
//
// It is done by the deletion and not in destructors, because nothing of the object may run: no
// member knows of it.
//
// Threads: any. Lifetime: the object's. Errors: none.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>

#include "comch/fork_mark.h"
#include "comch/result.h"

namespace comch {

// Keeps in mind what will never be freed, so that it does not count as lost.
void forsake(const void* memory) noexcept;

// What a call on another process's object is answered: not_permitted, and the first time a line in
// the log as well.
std::unexpected<Error> refuse_away();

template <class Object>
class Homebound {
 public:
  static void operator delete(Homebound* base, std::destroying_delete_t) {
    auto* const object = static_cast<Object*>(base);
    if (base->home_.is_forked()) return forsake(object);
    object->~Object();
    if constexpr (alignof(Object) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
      ::operator delete(object, sizeof(Object), std::align_val_t{alignof(Object)});
    } else {
      ::operator delete(object, sizeof(Object));
    }
  }

  // Whether this is a child of the process that it belongs to.
  bool is_away() const { return home_.is_forked(); }
  // The mutex, locked; but not by a child, where whoever held it in fork() holds it for ever, and
  // nobody changes the object any more.
  std::unique_lock<std::mutex> lock_at_home(std::mutex& mutex) const {
    if (is_away()) return {};
    return std::unique_lock(mutex);
  }

 private:
  friend Object;
  Homebound() = default;
  Homebound(const Homebound&) = delete;
  Homebound& operator=(const Homebound&) = delete;
  ~Homebound() = default;

  const ForkMark home_;
};

}  // namespace comch
