// The links of the C++ API. See link.h.
//
// Threads: free functions; what they make belongs to one thread.
// Errors: complaints that say which step failed.
#pragma once

#include <memory>
#include <string>

#include "tool/bench/link.h"

namespace comch::tool {

Outcome<std::unique_ptr<Link>> connect_cpp(const FastPlan& plan, const std::string& server);
Outcome<std::unique_ptr<Link>> listen_cpp(const FastPlan& plan, const std::string& name);

}  // namespace comch::tool
