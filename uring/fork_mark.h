// ForkMark: whether this process is the one that made the mark, or one that was forked since.
// Asking is one load: the kernel empties the mark's page in the child (MADV_WIPEONFORK).
//
// Threads: any. Lifetime: a page of memory. Errors: operating_system: the kernel gives none.
#pragma once

#include <memory>

#include "comch/result.h"

namespace comch::uring {

class ForkMark {
 public:
  static Result<ForkMark> create();

  bool is_forked() const { return *page_ == 0; }

 private:
  struct Unmap {
    void operator()(int* page) const;
  };
  explicit ForkMark(int* page) : page_(page) { *page_ = 1; }

  std::unique_ptr<int, Unmap> page_;
};

}  // namespace comch::uring
