// ForkMark: whether this process is the one that made the mark, or one that was forked since.
//
//   if (mark.is_forked()) return refuse();      // Two loads, and no system call.
//
// Objects of comch belong to the process that made them. In a child of fork() they are out of use:
// calls that begin or end something, and progress(), answer not_permitted or do nothing, and to
// delete one changes nothing for the parent and its peers. The child makes objects of its own.
// Calls on the path of a message do not look; the rings they lead to are not there in the child,
// which such a call ends by SIGSEGV. Those of an accelerator (device calls, dpa_queue.h) may wait
// for ever for a kernel that is not there.
//
// Threads: any. Lifetime: a value. Errors: none; a process that was made by clone(2) itself, and
// not by fork(), is not told from the one that made it.
#pragma once

#include <atomic>
#include <cstdint>

#pragma GCC visibility push(default)
namespace comch {

class ForkMark {
 public:
  ForkMark();

  bool is_forked() const {
    // Makes no edge: it changes in fork(), where there is one thread.
    return made_ != now_->load(std::memory_order_relaxed);
  }

 private:
  const std::atomic<std::uint32_t>* now_;
  std::uint32_t made_;
};

}  // namespace comch
#pragma GCC visibility pop
