// Spawned: another program as a child of this one, whose standard output is read by us.
//
//   auto child = spawn("ib_write_lat", {"ib_write_lat", "-R"}, Errors::kDropped);
//   ... read child->output, wait for child->pid ...
//
// Threads: any. The memory of this process is not copied, so that it may hold what does not
// survive a fork, such as an RDMA device.
// Lifetime: who spawns waits for the process.
// Errors: complaints.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tool/complaint.h"
#include "tool/descriptor.h"

namespace comch::tool {

// What a child writes to standard error: told to our user, or to nobody.
enum class Errors : std::uint8_t { kTold, kDropped };

struct Spawned {
  pid_t pid = -1;
  Descriptor output;
};

// `program` is a path, or looked for as a shell does; no shell reads the words, of which the
// first is its name.
Outcome<Spawned> spawn(const char* program, std::vector<std::string> words, Errors errors);

}  // namespace comch::tool
