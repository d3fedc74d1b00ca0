// Outcome: what became of an order that somebody wrote into a file.
//
//   done()                        it is done
//   failed(EBUSY, "is running")   it failed, and why
//   later(...)                    it has begun; ask again after progress()
//
// Threads: values, for the loop. Errors: `error` is the errno of the write; it is never
// ENOTCONN or ECONNABORTED, which on a file mean a dead mount.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "comch/result.h"

namespace comch::fuse {

struct Outcome {
  using Check = std::function<std::optional<Outcome>()>;

  int error = 0;
  std::string reason;
  bool is_noted = false;          // The object's `error` has it already.
  Check check;                    // Set while the order is under way: nothing means not yet.
  std::function<void()> give_up;  // The writer got a signal and waits no more.

  bool is_pending() const { return static_cast<bool>(check); }

  static Outcome done() { return {}; }
  static Outcome failed(int error, std::string reason);
  static Outcome failed(const Error& error);
  static Outcome of(const Status& status) { return status ? done() : failed(status.error()); }
  static Outcome later(Check check, std::function<void()> give_up = {});
};

// The outcome of what somebody wrote about `subject`: its name stands before a reason.
Outcome about(std::string_view subject, Outcome outcome);

// The errno for a failure, and one line for people without the place in our source.
int errno_of(const Error& error);
std::string reason_of(const Error& error);

}  // namespace comch::fuse
