// Complaint: why a subcommand failed, in one line that says what to do.
//
//   if (!server) return complain("cannot make the server \"echo\"", server.error());
//
// main() tells it after "comch: " and ends with exit code 1. Results inside the tool
// are Outcome<T>, so that the library's Error is turned into words where the reason for
// the call is still known.
//
// Threads: values; use them anywhere.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "comch/context.h"
#include "comch/result.h"

namespace comch::tool {

struct Complaint {
  std::string text;
};

template <class T = void>
using Outcome = std::expected<T, Complaint>;

// `what` failed because of `error`: its sentence, the kernel's, and what to do now.
std::unexpected<Complaint> complain(std::string_view what, const Error& error);

// The same for a context, whose Failure may carry the peer's own words.
std::unexpected<Complaint> complain(std::string_view what, const Failure& failure);

// A complaint that is complete as it is.
std::unexpected<Complaint> complain(std::string text);

// Standard output cannot be written, for this errno.
std::unexpected<Complaint> complain_of_output(int failure);

// Writes to standard error. That nobody can read it there is no reason to end.
void tell(std::string_view text);

}  // namespace comch::tool
